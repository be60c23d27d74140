"""What is derived from a function: name, description, input and output schema."""

from __future__ import annotations

import enum
import subprocess
import sys
from dataclasses import dataclass
from datetime import date  # noqa: TC003  # read when a tool is declared
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from pydantic import BaseModel, Field

from mistralai.agents.authoring.tool import Tool, tool
from mistralai.agents.authoring.tool_context import ToolContext  # noqa: TC001  # read when a tool is declared
from mistralai.agents.values.content import ImageContentBlock, TextContentBlock  # noqa: TC001  # read when a tool is declared
from mistralai.agents.values.tool_result import ToolResult


class Severity(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Payee(BaseModel):
    """Who is paid."""

    title: str
    iban: str = Field(title="IBAN")
    parent: Payee | None = None


@dataclass
class Amount:
    cents: int
    currency: str = "EUR"


class Address(TypedDict):
    city: str
    street: NotRequired[str]


class TestTheNameAndTheDescription:
    def test_come_from_the_function_and_its_docstring(self) -> None:
        @tool
        def open_case(alert_id: str) -> str:
            """Open a case file
            on a payment.

            It stays open until somebody closes it.
            """
            return alert_id

        assert open_case.name == "open_case"
        assert open_case.id == "client.open_case"
        assert open_case.description == "Open a case file on a payment."

    def test_can_be_given(self) -> None:
        @tool(name="open-case", description="Opens one.")
        def anything() -> None:
            """Not this."""

        assert (anything.id, anything.description) == ("client.open-case", "Opens one.")

    def test_a_function_without_a_docstring_has_an_empty_description(self) -> None:
        @tool
        def silent() -> None: ...

        assert silent.description == ""


class TestDescriptionsOfParameters:
    def described(self, docstring: str) -> dict[str, Any]:
        def open_case(alert_id: str, summary: Annotated[str, Field(description="Said by the field.")]) -> None: ...

        open_case.__doc__ = docstring
        properties: dict[str, Any] = tool(open_case).input_schema["properties"]
        return {name: held.get("description") for name, held in properties.items()}

    def test_are_read_from_a_google_docstring(self) -> None:
        said = self.described("Open.\n\nArgs:\n    alert_id (str): The alert:\n        its id.\n    summary: No.\n")
        assert said == {"alert_id": "The alert: its id.", "summary": "Said by the field."}

    def test_are_read_from_a_numpy_docstring(self) -> None:
        said = self.described(
            "Open.\n\nParameters\n----------\nalert_id : str\n    The alert's id.\n\nReturns\n-------\nstr\n"
        )
        assert said["alert_id"] == "The alert's id."

    @pytest.mark.parametrize("field", [":param alert_id: AA", ":param str alert_id: AA", "    :param alert_id: AA"])
    @pytest.mark.parametrize("around", ["Open.\n\n{}\n", "Open.\n\n{}", "{}", "\n{}\n"])
    def test_are_read_from_a_rest_docstring_of_one_field(self, field: str, around: str) -> None:
        assert self.described(around.format(field))["alert_id"] == "AA"

    def test_are_read_from_a_rest_docstring(self) -> None:
        said = self.described(
            "Open.\n\n:param alert_id: The alert's\n    id.\n:param str summary: No.\n:returns: It.\n"
        )
        assert said["alert_id"] == "The alert's id."

    def test_a_section_right_after_the_summary_is_no_part_of_it(self) -> None:
        def f(x: int) -> None:
            """Do it.
            Args:
                x: How often.
            """

        assert tool(f).description == "Do it."


class TestTheInputSchema:
    def test_has_every_kind_of_type_that_pydantic_knows_and_no_made_up_titles(self) -> None:
        @tool
        def pay(
            payee: Payee,
            amount: Amount,
            to: Address,
            on: date,
            severity: Severity = Severity.LOW,
            note: str | None = None,
            tags: list[Literal["a", "b"]] | int = 3,
            *,
            retries: Annotated[int, Field(ge=0, le=9, description="How often.")] = 1,
        ) -> None: ...

        schema = pay.input_schema
        assert schema["required"] == ["payee", "amount", "to", "on"]
        assert schema["additionalProperties"] is False
        properties = schema["properties"]
        assert properties["on"] == {"type": "string", "format": "date"}
        assert properties["severity"] == {"$ref": "#/$defs/Severity", "default": "low"}
        assert properties["note"] == {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
        assert properties["retries"] == {
            "type": "integer", "minimum": 0, "maximum": 9, "default": 1, "description": "How often.",
        }  # fmt: skip
        assert schema["$defs"]["Payee"] == {
            "type": "object",
            "description": "Who is paid.",
            "properties": {
                "title": {"type": "string"},
                "iban": {"type": "string", "title": "IBAN"},
                "parent": {"anyOf": [{"$ref": "#/$defs/Payee"}, {"type": "null"}], "default": None},
            },
            "required": ["title", "iban"],
        }
        assert schema["$defs"]["Amount"]["required"] == ["cents"]
        assert schema["$defs"]["Address"]["required"] == ["city"]

    def test_leaves_out_what_the_model_does_not_give(self) -> None:
        @tool
        def look(where: ToolContext, there: str) -> None: ...

        assert list(look.input_schema["properties"]) == ["there"]

    def test_of_a_function_without_parameters_is_an_empty_object(self) -> None:
        @tool
        def now() -> str:
            return "now"

        assert now.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}

    def test_uses_the_alias_of_a_field_and_describes_it_by_the_parameter(self) -> None:
        @tool
        def find(kind: Annotated[str, Field(alias="type")]) -> None:
            """Find.

            Args:
                kind: What to find.
            """

        assert find.input_schema["properties"] == {"type": {"type": "string", "description": "What to find."}}

    def test_knows_types_that_are_local_to_a_function(self) -> None:
        class Local(BaseModel):
            x: int

        @tool
        def use(item: Local) -> list[Local]:
            return [item]

        assert use.input_schema["$defs"]["Local"]["required"] == ["x"]
        assert use.output_schema is not None

    def test_knows_a_class_that_is_defined_further_down_in_the_module(self) -> None:
        @tool
        def use(item: DefinedBelow) -> str:
            return item.x

        assert use.input_schema["$defs"]["DefinedBelow"]["required"] == ["x"]


class DefinedBelow(BaseModel):
    x: str


class TestTheOutputSchema:
    def test_comes_from_the_return_type(self) -> None:
        @tool
        def f() -> dict[str, int]:
            return {}

        assert f.output_schema == {"type": "object", "additionalProperties": {"type": "integer"}}

    def test_of_an_async_function_is_that_of_what_it_awaits(self) -> None:
        @tool
        async def f() -> Payee:
            raise AssertionError

        assert f.output_schema is not None
        assert f.output_schema["$defs"]["Payee"]["type"] == "object"

    def test_of_a_tool_result_is_that_of_its_structured_part(self) -> None:
        @tool
        def f() -> ToolResult[int]:
            return ToolResult(structured=1)

        assert f.output_schema == {"type": "integer"}

    def test_is_none_where_the_return_type_says_nothing(self) -> None:
        def unhinted():  # type: ignore[no-untyped-def]  # the point of the test
            return 1

        def anything() -> Any:
            return 1

        def content() -> list[TextContentBlock | ImageContentBlock]:
            return []

        def result() -> ToolResult[Any]:
            return ToolResult()

        for function in (unhinted, anything, content, result):
            declared: Tool[..., Any] = tool(function)
            assert declared.output_schema is None


class TestImports:
    def test_the_parser_of_docstrings_is_imported_only_when_a_description_is_read(self) -> None:
        program = (
            "import sys\n"
            "from mistralai.agents.authoring.tool import tool\n"
            "from mistralai.agents.authoring.agent_definition import AgentDefinition\n"
            "def f(x: int) -> int:\n"
            "    'Do.\\n\\nArgs:\\n    x: It.'\n"
            "f = tool(f); AgentDefinition(model='m', tools=[f])\n"
            "assert not {'griffe', 'asyncio', 'aiohttp', 'msgspec'} & sys.modules.keys()\n"
            "class Desk:\n"
            "    @tool\n"
            "    def look(self, x: int) -> int:\n"
            "        'Do.\\n\\nArgs:\\n    x: It.'\n"
            "AgentDefinition(model='m', tools=[Desk().look])\n"
            "assert 'griffe' not in sys.modules\n"
            "assert f.input_schema['properties']['x']['description'] == 'It.'\n"
            "assert 'griffe' in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)

    def test_an_agent_without_tools_does_not_import_pydantic(self) -> None:
        program = (
            "import sys\n"
            "from mistralai.agents.authoring.agent_definition import AgentDefinition\n"
            "from mistralai.agents.authoring.session_inputs import SessionInputs\n"
            "AgentDefinition(model='m'); SessionInputs()\n"
            "assert not {'pydantic', 'asyncio', 'dataclasses'} & sys.modules.keys()\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("style", ["", "Just one line."])
def test_a_plain_docstring_says_nothing_of_parameters(style: str) -> None:
    def f(x: int) -> None: ...

    f.__doc__ = style
    assert tool(f).input_schema["properties"] == {"x": {"type": "integer"}}
