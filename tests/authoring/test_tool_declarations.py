"""Which declarations of a tool are refused, and what a decorated function still is."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
from collections.abc import AsyncIterator, Callable, Iterator  # noqa: TC003  # read when a tool is declared
from typing import Annotated, Any, cast

import pytest
from pydantic import BaseModel

from mistralai.agents.authoring.client_tool import client_tool
from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.session_input import SessionInput
from mistralai.agents.authoring.session_inputs import SessionInputs
from mistralai.agents.authoring.tool import Tool, tool
from mistralai.agents.authoring.tool_context import ToolContext
from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.errors import SdkError

WRONG_SCHEMAS: list[tuple[dict[str, Any], str]] = [
    ({"type": "foo"}, "type is 'foo', none of string, integer, number, boolean, null, array, object"),
    ({"type": []}, "type is [], none of"),
    ({"$ref": "#/nope"}, "$ref is '#/nope', which the schema does not have"),
    ({"$ref": "#/anyOf/1", "anyOf": [{}]}, "which the schema does not have"),
    ({"$ref": "#/title/x", "title": "t"}, "which the schema does not have"),
    ({"$ref": 3}, "$ref is 3, not a reference such as #/$defs/name"),
    ({"required": 5}, "required is 5, not a list of names"),
    ({"required": [5]}, "required is [5], not a list of names"),
    ({"dependentRequired": {"a": "b"}}, "not lists of names by name"),
    ({"enum": "a"}, "enum is 'a', not a list"),
    ({"uniqueItems": "yes"}, "uniqueItems is 'yes', not true or false"),
    ({"pattern": "["}, "pattern is '[', which Python's re cannot read"),
    ({"pattern": 3}, "pattern is 3, which Python's re cannot read"),
    ({"patternProperties": {"(": {}}}, "patternProperties has '(', which Python's re cannot read"),
    ({"$defs": []}, "$defs is [], not schemas by name"),
    ({"anyOf": []}, "anyOf is [], not a list of schemas"),
    ({"allOf": [{}, {"not": {"type": 1}}]}, "allOf[1].not.type is 1, none of"),
    ({"$defs": {"a": {"items": 3}}}, "$defs.a.items is 3, not a schema"),
    ({"items": [{}]}, "items is [{}], a list: write prefixItems"),
    ({"minLength": -1}, "minLength is -1, not a whole number from 0"),
    ({"maxItems": 1.5}, "maxItems is 1.5, not a whole number from 0"),
    ({"exclusiveMinimum": True}, "exclusiveMinimum is True, not a number"),
    ({"multipleOf": 0}, "multipleOf is 0, not a number above 0"),
    ({"default": object()}, "it cannot be written as JSON"),
    ({"const": float("nan")}, "it cannot be written as JSON"),
    ({"enum": "a" * 100}, f"enum is '{'a' * 56}..., not a list"),
]

CONTEXT = ToolContext(session_id="s", turn_id="t", tool_call_id="c", idempotency_key="k")


class Case:
    """A class that pydantic cannot validate."""


@tool
def at_module_level(x: int) -> int:
    """Double it."""
    return 2 * x


class Desk:
    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    def lookup(self, alert_id: str) -> str:
        """Look it up."""
        return f"{self.name}:{alert_id}"

    @tool
    async def later(self, alert_id: str) -> str:
        return f"{self.name}:{alert_id}"


class TestARefusedDeclaration:
    def refused(self, function: Any, **options: Any) -> str:
        with pytest.raises(SdkError) as caught:
            tool(**options)(function)
        return str(caught.value)

    def test_names_the_parameter_without_a_hint(self) -> None:
        def open_case(case, note: str = "") -> None: ...  # type: ignore[no-untyped-def]  # pyright: ignore  # the point of the test

        said = self.refused(open_case)
        assert said == "Tool 'open_case': parameter 'case' has no type hint. Add one, such as case: str."

    def test_names_the_parameter_whose_type_pydantic_cannot_validate(self) -> None:
        def open_case(alert_id: str, case: Case) -> str:
            return alert_id

        assert self.refused(open_case) == (
            "Tool 'open_case': parameter 'case' has type Case, which pydantic cannot validate. "
            "Give it a type with a schema, or pass input_schema=."
        )

    def test_names_a_type_that_has_no_json_schema(self) -> None:
        def f(compare: Callable[[int], int], n: int) -> None: ...
        def g(n: int, call: functools.partial[int]) -> None: ...

        assert "parameter 'compare'" in self.refused(f)
        assert "parameter 'call'" in self.refused(g)

    def test_names_collecting_and_positional_parameters(self) -> None:
        def many(*cases: str) -> None: ...
        def any_keyword(**cases: str) -> None: ...
        def positional(case: str, /) -> None: ...

        assert "parameter '*cases'" in self.refused(many)
        assert "parameter '**cases'" in self.refused(any_keyword)
        assert "parameter 'case' is positional-only" in self.refused(positional)

    def test_names_a_return_type_that_is_not_json(self) -> None:
        def open_case() -> Case:
            return Case()

        assert "Tool 'open_case': it returns Case" in self.refused(open_case)

    def test_names_a_session_input_that_is_none(self) -> None:
        def f(x: Annotated[int, Depends()]) -> None: ...

        assert "parameter 'x' is marked Depends() but its type int is not a SessionInput" in self.refused(f)

    def test_names_a_session_input_class_without_an_id(self) -> None:
        class Nameless(SessionInput):
            x: int

        def f(x: Annotated[Nameless, Depends()]) -> None: ...

        assert "Session input Nameless has no input_id" in self.refused(f)

    def test_names_the_option_that_is_wrong(self) -> None:
        def f() -> None: ...

        assert "timeout_seconds is 0" in self.refused(f, timeout_seconds=0)
        assert "model_access is 'all'" in self.refused(f, model_access="all")
        assert "idempotent is 1" in self.refused(f, idempotent=1)
        assert "annotations is {}" in self.refused(f, annotations={})
        assert "'a b'" in self.refused(f, name="a b")
        assert "description is 3" in self.refused(f, description=3)
        assert "input_schema has type 'array'" in self.refused(f, input_schema={"type": "array"})

    @pytest.mark.parametrize(("schema", "told"), WRONG_SCHEMAS)
    def test_says_what_is_wrong_with_a_schema(self, schema: dict[str, Any], told: str) -> None:
        def f() -> None: ...

        said = self.refused(f, output_schema=schema)
        assert "'f': output_schema is no JSON schema: " in said
        assert told in said
        assert told in self.refused(f, input_schema={"type": "object", "$defs": schema.get("$defs", {}), **schema})

    def test_is_of_no_schema_that_has_what_schemas_may_have(self) -> None:
        schema: dict[str, Any] = {
            "type": ["object", "null"],
            "properties": {"a": {"$ref": "#/$defs/a%20b~1c"}, "type": {"type": "string", "pattern": "^a", "x-own": 1}},
            "patternProperties": {"^x": True},
            "additionalProperties": False,
            "required": ("type",),
            "anyOf": [{"$ref": "#/anyOf/1"}, {"minProperties": 1}, {"$ref": "https://x.test/other.json"}],
            "$defs": {"a%20b/c": {"enum": [1, None], "multipleOf": 0.5, "minLength": 1.0}},
        }
        assert tool(name="f", output_schema=schema)(lambda: None).output_schema == schema

    def test_an_unknown_option_is_a_type_error(self) -> None:
        with pytest.raises(TypeError, match=r"agents\.client_tool takes no argument 'timeout'\. It takes "):
            client_tool(timeout=3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]  # the point of the test
        with pytest.raises(TypeError, match=r"agents\.tool takes no argument 'timeout'\. It takes "):
            tool(timeout=3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]  # the point of the test

    def test_a_lambda_needs_a_name(self) -> None:
        assert "'<lambda>'" in self.refused(lambda: None)
        assert tool(name="nothing")(lambda: None).id == "client.nothing"

    def test_what_is_not_a_function_is_refused(self) -> None:
        assert "takes a function, not 3" in self.refused(3)
        assert "is a tool already" in self.refused(at_module_level)

    def test_a_function_that_yields_is_refused(self) -> None:
        def numbers() -> Iterator[int]:
            """Count."""
            yield 1

        async def later() -> AsyncIterator[int]:
            """Count."""
            yield 1

        for function in (numbers, later, functools.partial(numbers)):
            with pytest.raises(SdkError, match=r"yields, and a call has one result\. Return it, such as a list"):
                tool(name="numbers")(function)

        @client_tool
        def count() -> list[int]:
            """Count."""
            raise AssertionError("answered by the client")

        untyped: Any = numbers
        with pytest.raises(SdkError, match=r"'count': .*numbers yields"):
            count.answer(untyped)

    def test_an_input_schema_must_name_the_parameters(self) -> None:
        def f(case: Case) -> None: ...

        assert "property 'other'" in self.refused(f, input_schema={"properties": {"other": {}, "case": {}}})
        assert "parameter 'case' is required" in self.refused(f, input_schema={"properties": {}})

    def test_a_hint_that_is_never_defined_is_told_at_the_first_use(self) -> None:
        def f(x: Nowhere) -> None: ...  # type: ignore[name-defined]  # pyright: ignore  # noqa: F821  # the point of the test

        function: Any = f  # pyright: ignore[reportUnknownVariableType]  # it has no hint
        declared: Tool[..., Any] = tool(function)
        with pytest.raises(SdkError, match="Tool 'f': a type hint uses 'Nowhere'"):
            declared.check_declared()


class TestADecoratedFunction:
    def test_is_called_as_before(self) -> None:
        assert at_module_level(4) == 8
        assert at_module_level(x=4) == 8

    def test_keeps_its_name_its_docstring_and_its_signature(self) -> None:
        assert at_module_level.__name__ == "at_module_level"
        assert at_module_level.__doc__ == "Double it."
        assert list(inspect.signature(at_module_level).parameters) == ["x"]
        assert repr(at_module_level) == "Tool('client.at_module_level')"

    def test_is_pickled_and_copied_by_name_like_a_function(self) -> None:
        assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
        assert copy.deepcopy(at_module_level) is at_module_level

    def test_inside_a_function_cannot_be_pickled(self) -> None:
        @tool
        def local() -> None: ...

        with pytest.raises((AttributeError, pickle.PicklingError)):
            pickle.dumps(local)

    def test_has_the_options_it_was_given(self) -> None:
        hints = ToolAnnotations(read_only_hint=True)

        @tool(annotations=hints, model_access="direct", timeout_seconds=2.5, idempotent=True)
        def f() -> None: ...

        assert (f.annotations, f.model_access, f.timeout_seconds, f.idempotent) == (hints, "direct", 2.5, True)
        assert at_module_level.annotations == ToolAnnotations()
        assert at_module_level.model_access == "both"

    def test_says_whether_it_is_async(self) -> None:
        async def slow(x: int) -> int:
            return x

        class Callable_:
            async def __call__(self, x: int) -> int:
                return x

        assert tool(slow).is_async
        assert tool(name="partial")(functools.partial(slow, 1)).is_async
        assert tool(name="object")(Callable_()).is_async
        assert not at_module_level.is_async


class TestAMethod:
    def test_is_a_tool_of_its_instance(self) -> None:
        desk = Desk("front")
        bound = desk.lookup.bind({"alert_id": "7"}, CONTEXT, SessionInputs())
        assert bound.call() == "front:7"
        assert desk.lookup("8") == "front:8"
        assert list(desk.lookup.input_schema["properties"]) == ["alert_id"]
        assert Desk("back").lookup("8") == "back:8"

    def test_may_be_async(self) -> None:
        desk = Desk("front")
        assert desk.later.is_async
        assert asyncio.run(desk.later.bind({"alert_id": "7"}, CONTEXT, SessionInputs()).call()) == "front:7"

    def test_of_no_instance_is_refused_where_it_is_used(self) -> None:
        with pytest.raises(SdkError, match=r"tools=\[instance.lookup\]"):
            Desk.lookup.check_declared()

    def test_may_be_decorated_after_it_is_bound(self) -> None:
        class Plain:
            def find(self, x: int) -> int:
                return x + 1

        assert tool(Plain().find).bind({"x": 1}, CONTEXT, SessionInputs()).call() == 2

    def test_of_a_class_or_static_works_too(self) -> None:
        class Office:
            floor = 3

            @tool
            @classmethod
            def up(cls, by: int) -> int:
                return cls.floor + by

            @tool
            @staticmethod
            def down(by: int) -> int:
                return -by

        for holder in (cast("Any", Office), cast("Any", Office())):
            assert holder.up.bind({"by": 1}, CONTEXT, SessionInputs()).call() == 4
            assert holder.down.bind({"by": 1}, CONTEXT, SessionInputs()).call() == -1

    def test_may_use_the_local_types_of_the_function_around_its_class(self) -> None:
        class Local(BaseModel):
            x: int

        class Holder:
            @tool
            def get(self, item: Local) -> int:
                return item.x

        assert Holder().get.bind({"item": {"x": 5}}, CONTEXT, SessionInputs()).call() == 5
