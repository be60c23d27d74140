"""Tests of what every record promises: frozen, slotted, compared by value, copied, and cheap."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from mistralai.agents.values.callbacks import OpenClientToolCall
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.record import fields_of, fresh, hidden, record, replace
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.turn_states import Completed, Running, UnknownOutcome

from .samples import ALL, CALL, OPEN, RECORDS, TURN


def named(value: Any) -> str:
    return type(value).__name__


@record
class Base:
    a: int
    b: dict[str, int] = fresh(default_factory=dict[str, int])


@record
class Derived(Base):
    c: str = "c"
    _kept: object = hidden(default=None)


class TestEveryRecord:
    @pytest.mark.parametrize("value", RECORDS, ids=named)
    def test_never_changes(self, value: Any) -> None:
        fields = fields_of(value)
        assert fields is not None
        for name in (*fields.names, "unheard_of"):
            with pytest.raises(FrozenInstanceError, match=name):
                setattr(value, name, None)
            with pytest.raises(FrozenInstanceError, match=name):
                delattr(value, name)

    @pytest.mark.parametrize("value", RECORDS, ids=named)
    def test_holds_no_dict_of_its_own(self, value: Any) -> None:
        assert not hasattr(value, "__dict__")

    @pytest.mark.parametrize("value", ALL, ids=named)
    def test_equals_its_copies(self, value: Any) -> None:
        assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value

    @pytest.mark.parametrize("value", RECORDS, ids=named)
    def test_can_be_matched_by_the_names_of_its_fields(self, value: Any) -> None:
        fields = fields_of(value)
        assert fields is not None
        assert all(hasattr(value, name) for name in fields.names)
        assert value.__match_args__ == (("name", "arguments") if isinstance(value, ToolCall) else ())

    @pytest.mark.parametrize("value", ALL, ids=named)
    def test_documents_its_class_in_its_own_module(self, value: Any) -> None:
        assert type(value).__doc__
        assert getattr(sys.modules[type(value).__module__], type(value).__name__) is type(value)


class TestMakingARecord:
    def test_takes_keywords_only(self) -> None:
        with pytest.raises(TypeError):
            Base(1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]  # the call is what is refused

    def test_names_a_keyword_it_lacks(self) -> None:
        with pytest.raises(TypeError, match="'a'"):
            Base()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]  # the call is what is refused

    def test_takes_the_fields_of_the_base_first(self) -> None:
        assert list(inspect.signature(Derived).parameters) == ["a", "b", "c"]

    def test_gives_each_value_a_dict_of_its_own(self) -> None:
        first, second = Base(a=1), Base(a=1)
        first.b["x"] = 1
        assert second.b == {}

    def test_shows_an_empty_dict_as_the_default(self) -> None:
        assert inspect.signature(UnknownOutcome).parameters["raw"].default == {}

    def test_works_with_a_type_argument(self) -> None:
        assert Completed[int](**TURN, output=3) == Completed(**TURN, output=3)

    def test_lets_only_a_tool_call_be_positional(self) -> None:
        assert ToolCall("client.a", {"b": 1}) == ToolCall(name="client.a", arguments={"b": 1})
        match ToolCall("client.a", 1):
            case ToolCall(name, arguments):
                assert (name, arguments) == ("client.a", 1)


class TestComparing:
    def test_asks_for_the_same_class(self) -> None:
        assert Base(a=1) != Derived(a=1)
        assert Running(**TURN) != object()

    def test_gives_equal_records_equal_hashes(self) -> None:
        assert hash(Running(**TURN)) == hash(Running(**TURN))

    def test_has_no_hash_where_a_field_has_none(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(Base(a=1))


class TestTheReprOfARecord:
    def test_names_what_is_not_left_out(self) -> None:
        assert repr(ProtocolError(message="no")) == "ProtocolError(message='no')"
        assert repr(Derived(a=1, b={"x": 1})) == "Derived(a=1, b={'x': 1})"


class TestReplacing:
    def test_changes_what_is_named_and_keeps_the_rest(self) -> None:
        assert replace(Derived(a=1, c="d"), a=2) == Derived(a=2, c="d")

    def test_keeps_private_fields(self) -> None:
        kept = replace(Derived(a=1), _kept="secret")
        assert replace(kept, a=2)._kept == "secret"  # pyright: ignore[reportPrivateUsage]  # privacy is what is tested

    def test_refuses_a_name_that_is_no_field(self) -> None:
        with pytest.raises(TypeError, match="zzz"):
            replace(Base(a=1), zzz=1)

    def test_refuses_what_is_no_record(self) -> None:
        with pytest.raises(TypeError, match="str"):
            replace("text", a=1)

    @pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace came with 3.13")
    def test_is_what_copy_replace_does(self) -> None:
        copy_replace: Any = vars(copy)["replace"]
        assert copy_replace(Running(**TURN), text="x").text == "x"


class TestAPrivateField:
    def test_is_not_compared_shown_or_pickled(self) -> None:
        plain = OpenClientToolCall[..., Any](**OPEN, kind="client_tool", call=CALL)
        runnable = replace(plain, _runner=print)
        assert runnable == plain
        assert repr(runnable) == repr(plain)
        assert pickle.loads(pickle.dumps(runnable)) == plain
        assert "_runner" not in inspect.signature(OpenClientToolCall).parameters


class TestLoadingTheRecords:
    def test_loads_neither_pydantic_nor_asyncio_nor_dataclasses(self) -> None:
        names = "answers callbacks conflicts entries errors events requests sessions tool_result turn_states usage ids"
        program = "import sys, importlib\n" + "\n".join(
            f"importlib.import_module('mistralai.agents.values.{name}')" for name in names.split()
        )
        program += (
            "\nprint([name for name in ('pydantic', 'asyncio', 'dataclasses', 'inspect') if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"
