"""Binding a call: which arguments fit, what the function receives, and what the model reads of a refusal."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, field_validator

from mistralai.agents.authoring.call_errors import InputUnavailable, InvalidArguments
from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.session_input import SessionInput
from mistralai.agents.authoring.session_inputs import SessionInputs, encode_session_inputs
from mistralai.agents.authoring.tool import Tool, tool
from mistralai.agents.authoring.tool_context import ToolContext
from mistralai.agents.values.errors import SdkError

CONTEXT = ToolContext(session_id="s", turn_id="t", tool_call_id="c", idempotency_key="k")


class Repo(SessionInput):
    input_id = "repo"
    name: str

    @field_validator("name")
    @classmethod
    def _known(cls, name: str) -> str:
        if name == "secret":
            raise ValueError("no such repository")
        return name


class Severity(enum.Enum):
    LOW = "low"


class Item(BaseModel):
    sku: str
    count: int = 1


@dataclass
class Point:
    x: int


def call(declared: Tool[..., Any], arguments: Any, inputs: SessionInputs | None = None) -> Any:
    return declared.bind(arguments, CONTEXT, inputs or SessionInputs()).call()


def problems(declared: Tool[..., Any], arguments: Any) -> list[str]:
    with pytest.raises(InvalidArguments) as caught:
        declared.validate_arguments(arguments)
    return caught.value.problems


class TestTheArguments:
    def test_become_the_types_of_the_parameters(self) -> None:
        @tool
        def f(on: date, severity: Severity, items: list[Item], at: Point, many: set[int], price: Decimal) -> Any:
            return on, severity, items, at, many, price

        assert call(
            f,
            {
                "on": "2026-01-02",
                "severity": "low",
                "items": [{"sku": "a"}],
                "at": {"x": 1},
                "many": [1, 1],
                "price": "1.10",
            },
        ) == (date(2026, 1, 2), Severity.LOW, [Item(sku="a")], Point(1), {1}, Decimal("1.10"))

    def test_are_read_as_json_even_where_a_field_is_strict(self) -> None:
        @tool
        def f(on: Annotated[date, Field(strict=True)], pair: tuple[int, str], wait: timedelta) -> Any:
            return on, pair, wait

        given = {"on": "2026-01-02", "pair": [1, "a"], "wait": "PT5S"}
        assert call(f, given) == (date(2026, 1, 2), (1, "a"), timedelta(seconds=5))

    def test_that_are_left_out_take_the_function_s_default(self) -> None:
        @tool
        def f(x: int = 3, tags: list[str] = ["a"], *, y: int = Field(5, ge=1)) -> Any:  # noqa: B006  # the point of the test
            tags.append("b")
            return x, tags, y

        assert call(f, {}) == (3, ["a", "b"], 5)
        assert call(f, {}) == (3, ["a", "b"], 5)

    def test_may_be_named_by_an_alias(self) -> None:
        @tool
        def f(kind: Annotated[str, Field(alias="type")]) -> str:
            return kind

        assert call(f, {"type": "x"}) == "x"
        assert f.canonical_arguments({"type": "x"}) == {"type": "x"}

    def test_may_have_names_that_python_uses_itself(self) -> None:
        @tool
        def f(self_: str, kwargs: int, values: int, schema: str, _private: int) -> Any:
            return self_, kwargs, values, schema, _private

        given = {"self_": "a", "kwargs": 1, "values": 2, "schema": "s", "_private": 3}
        assert call(f, given) == ("a", 1, 2, "s", 3)

    def test_that_are_huge_numbers_stay_exact(self) -> None:
        @tool
        def f(n: int) -> int:
            return n

        assert call(f, {"n": 10**30}) == 10**30

    def test_are_shown_to_permission_rules_as_the_function_would_get_them(self) -> None:
        @tool
        def pay(amount: int, on: date, to: str = "nobody") -> None: ...

        given: Any = {"amount": " 100 ", "on": "2026-01-02"}
        assert pay.canonical_arguments(given) == {"amount": 100, "on": "2026-01-02", "to": "nobody"}


class TestArgumentsThatDoNotFit:
    @pytest.fixture
    def order(self) -> Tool[..., Any]:
        @tool
        def order(items: list[Item], note: str = "") -> None: ...

        return order

    def test_give_one_line_a_problem_that_says_where(self, order: Tool[..., Any]) -> None:
        assert problems(order, {"items": [{"sku": "a"}, {"count": "many"}], "urgent": True}) == [
            "items[1].sku: is required",
            "items[1].count: Input should be a valid integer, unable to parse string as an integer, not 'many'",
            "urgent: is not a parameter of this tool",
        ]

    def test_that_are_missing_are_named(self, order: Tool[..., Any]) -> None:
        assert problems(order, {}) == ["items: is required"]

    @pytest.mark.parametrize(
        ("arguments", "kind"),
        [(None, "null"), ("{", "a string"), ([], "an array"), (3, "a number"), (True, "a boolean")],
    )
    def test_that_are_no_object_are_refused(self, order: Tool[..., Any], arguments: Any, kind: str) -> None:
        assert problems(order, arguments) == [f"The arguments must be a JSON object, not {kind}."]

    def test_with_text_that_is_no_unicode_are_refused(self, order: Tool[..., Any]) -> None:
        assert "not valid JSON" in problems(order, {"items": [], "note": "\ud800"})[0]

    def test_never_show_a_long_value_or_a_link(self, order: Tool[..., Any]) -> None:
        (said,) = problems(order, {"items": "x" * 10_000})
        assert len(said) < 200
        assert "http" not in said


class TestTheContext:
    def test_is_passed_under_any_name(self) -> None:
        @tool
        def f(x: int, here: ToolContext) -> Any:
            return x, here

        assert call(f, {"x": 1}) == (1, CONTEXT)
        assert problems(f, {"x": 1, "here": {}}) == ["here: is not a parameter of this tool"]

    def test_may_be_optional_for_a_function_that_is_also_called_directly(self) -> None:
        @tool
        def f(here: ToolContext | None = None) -> Any:
            return here

        assert f() is None
        assert call(f, {}) == CONTEXT
        assert f.input_schema["properties"] == {}


class TestASessionInput:
    @pytest.fixture
    def clone(self) -> Tool[..., Any]:
        @tool
        def clone(branch: str, repo: Annotated[Repo, Depends()]) -> str:
            return f"{repo.name}@{branch}"

        return clone

    def test_is_passed_and_the_model_does_not_see_it(self, clone: Tool[..., Any]) -> None:
        assert list(clone.input_schema["properties"]) == ["branch"]
        assert call(clone, {"branch": "main"}, SessionInputs({"repo": {"name": "fanal"}})) == "fanal@main"

    def test_that_was_not_given_fails_the_call(self, clone: Tool[..., Any]) -> None:
        with pytest.raises(InputUnavailable, match="Session input 'repo' was not given"):
            call(clone, {"branch": "main"})

    def test_that_its_class_rejects_fails_the_call_and_is_not_shown(self, clone: Tool[..., Any]) -> None:
        with pytest.raises(InputUnavailable) as caught:
            call(clone, {"branch": "main"}, SessionInputs({"repo": {"name": "secret"}}))
        assert "name: Value error, no such repository" in str(caught.value)
        assert "secret" not in str(caught.value)

    def test_is_built_once_a_session(self) -> None:
        inputs = SessionInputs({"repo": {"name": "fanal"}})
        assert inputs.get(Repo) is inputs.get(Repo)

    def test_may_be_optional(self) -> None:
        @tool
        def f(repo: Annotated[Repo | None, Depends()], other: Annotated[Repo | None, Depends()] = None) -> bool:
            return repo is None and other is None

        assert call(f, {}) is True
        assert call(f, {}, SessionInputs({"repo": {"name": "x"}})) is False

    def test_is_kept_as_json_by_its_id(self) -> None:
        assert encode_session_inputs({"repo": Repo(name="fanal")}) == {"repo": {"name": "fanal"}}
        assert encode_session_inputs(None) == {}

    def test_under_another_key_is_refused(self) -> None:
        with pytest.raises(SdkError, match="whose input_id is 'repo'"):
            encode_session_inputs({"repository": Repo(name="fanal")})

    def test_of_another_type_is_refused(self) -> None:
        given: Any = {"repo": {"name": "fanal"}}
        with pytest.raises(SdkError, match="not a SessionInput"):
            encode_session_inputs(given)

    def test_may_have_its_id_as_a_class_argument(self) -> None:
        class Org(SessionInput, input_id="org"):
            name: str

        assert encode_session_inputs({"org": Org(name="x")}) == {"org": {"name": "x"}}


class TestAnInputSchemaOfTheAuthor:
    def test_decides_which_arguments_fit(self) -> None:
        @tool(
            input_schema={"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}}, "required": ["n"]}
        )
        def f(n: int) -> int:
            return n

        assert f.input_schema["required"] == ["n"]
        assert call(f, {"n": 3}) == 3
        assert problems(f, {"n": 4}) == ["n: should be at most 3"]
        assert problems(f, {}) == ["value: n is required"]

    def test_allows_parameters_without_hints_and_with_types_of_any_kind(self) -> None:
        class Opaque: ...

        @tool(input_schema={"type": "object", "properties": {"a": {}, "b": {"type": "object"}}})
        def f(a, b: Opaque) -> Any:  # type: ignore[no-untyped-def]  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]  # the point of the test
            return a, b

        declared: Tool[..., Any] = f  # pyright: ignore[reportUnknownVariableType]  # it has no hint
        assert call(declared, {"a": [1], "b": {"x": 1}}) == ([1], {"x": 1})
