"""What becomes of what a tool returns: for the model, for the record, and for who reads the history."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, TypedDict, cast

import pytest
from pydantic import BaseModel

from mistralai import agents
from mistralai.agents.testing import call
from tests.support.outcomes import completed
from tests.tools.calling import called

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Order(BaseModel):
    number: str
    paid: bool = False


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Place(TypedDict):
    city: str


def text(words: str, *audience: str) -> agents.TextContentBlock:
    annotations: Any = {"audience": list(audience)} if audience else None
    return agents.TextContentBlock(text=words, annotations=annotations)


class TestAValue:
    @pytest.mark.parametrize(
        ("value", "read"),
        [
            ('as it is: "quotes", {braces}\nand lines', 'as it is: "quotes", {braces}\nand lines'),
            ("", ""),
            (None, "null"),
            (0, "0"),
            (False, "false"),
            ([], "[]"),
            ({"b": 1, "a": [True, None, "é"]}, '{"b":1,"a":[true,null,"é"]}'),
            (Order(number="A1"), '{"number":"A1","paid":false}'),
            (Point(1, 2), '{"x":1,"y":2}'),
            ([Point(1, 2)], '[{"x":1,"y":2}]'),
        ],
    )
    async def test_is_read_as_text_or_as_json_on_one_line(self, value: Any, read: str) -> None:
        @agents.tool
        def give() -> Any:
            """Give a value."""
            return value

        result = await called(call("give"), give)
        assert result.text == read
        assert not result.read[0].is_error
        assert completed(result.state).text == "Done."

    async def test_that_is_structured_is_structured_in_the_history(self) -> None:
        @agents.tool
        def give() -> Order:
            """Give an order."""
            return Order(number="A1")

        assert (await called(call("give"), give)).entry.structured == {"number": "A1", "paid": False}

    async def test_that_cannot_be_json_fails_the_call(self) -> None:
        @agents.tool
        def give() -> Any:
            """Give something that no JSON can hold."""
            return object()

        result = await called(call("give"), give)
        assert result.read[0].is_error
        assert "object" in result.text

    async def test_that_is_a_huge_text_arrives_whole(self) -> None:
        @agents.tool
        def give() -> str:
            """Give a lot."""
            return "x" * 1_000_000

        assert len((await called(call("give"), give)).text) == 1_000_000

    async def test_with_a_lone_surrogate_does_not_break_the_turn(self) -> None:
        @agents.tool
        def give() -> str:
            """Give half a character."""
            return "half: \ud83d"

        assert completed((await called(call("give"), give)).state).text == "Done."


class TestAnOutputSchema:
    @pytest.fixture
    def wrong(self) -> Any:
        @agents.tool
        def give() -> Order:
            """Give what was not promised."""
            return cast("Order", {"number": ["not", "a", "string"]})

        return give

    async def test_that_a_result_does_not_fit_is_read_by_the_model(self, wrong: Any) -> None:
        result = await called(call("give"), wrong)
        assert result.read[0].is_error
        assert "number" in result.text
        assert completed(result.state).text == "Done."

    async def test_that_a_result_does_not_fit_fails_the_turn_where_it_is_asked_for(self) -> None:
        @agents.tool(
            output_schema={"type": "object", "required": ["number"], "properties": {"number": {"type": "string"}}}
        )
        def give() -> Any:
            """Give what was not promised."""
            return {"number": 3}

        result = await called(call("give"), give, tool_errors="raise")
        assert (result.error.code, result.error.retryable) == ("tool_output_schema_mismatch", False)
        assert "client.give" in result.error.message


class TestContentBlocks:
    async def test_of_text_are_read_as_text(self) -> None:
        @agents.tool
        def give() -> list[agents.TextContentBlock]:
            """Give two blocks."""
            return [text("one"), text("two")]

        assert (await called(call("give"), give)).text == "one\ntwo"

    async def test_alone_are_taken_as_a_list_of_one(self) -> None:
        @agents.tool
        def give() -> agents.TextContentBlock:
            """Give a block."""
            return text("one")

        result = await called(call("give"), give)
        assert result.text == "one"

    async def test_of_images_reach_the_model_as_images(self) -> None:
        @agents.tool
        def give() -> list[Any]:
            """Give a picture."""
            return [text("A dot:"), agents.ImageContentBlock(uri=f"data:image/png;base64,{PIXEL}")]

        blocks = (await called(call("give"), give)).blocks
        assert [block["type"] for block in blocks] == ["text", "image"]

    async def test_for_the_user_alone_do_not_reach_the_model_but_are_in_the_history(self) -> None:
        @agents.tool
        def give() -> list[agents.TextContentBlock]:
            """Give blocks for different readers."""
            return [text("for all"), text("for the user", "user"), text("for the model", "assistant")]

        result = await called(call("give"), give)
        assert result.text == "for all\nfor the model"
        told = [block.text for block in result.entry.content or () if isinstance(block, agents.TextContentBlock)]
        assert told == ["for all", "for the user", "for the model"]

    async def test_all_for_the_user_leave_the_model_a_result_all_the_same(self) -> None:
        @agents.tool
        def give() -> agents.TextContentBlock:
            """Give something secret."""
            return text("secret", "user")

        result = await called(call("give"), give)
        assert len(result.read) == 1
        assert "secret" not in str(result.read)


class TestToolResult:
    async def test_has_content_for_the_model_and_the_rest_for_others(self) -> None:
        @agents.tool
        def give() -> agents.ToolResult[Any]:
            """Give all three."""
            return agents.ToolResult(content=[text("Order A1.")], structured={"number": "A1"}, metadata={"ms": 7})

        result = await called(call("give"), give)
        assert result.text == "Order A1."
        assert result.entry.structured == {"number": "A1"}
        assert result.entry.metadata == {"ms": 7}
        assert "ms" not in str(result.read)
        assert result.entry.error is None

    async def test_may_say_that_the_call_failed(self) -> None:
        @agents.tool
        def give() -> agents.ToolResult[Any]:
            """Fail politely."""
            return agents.ToolResult(content=[text("No such order.")], metadata={"ms": 7}, is_error=True)

        result = await called(call("give"), give, tool_errors="raise")
        assert (result.text, result.read[0].is_error) == ("No such order.", True)
        assert result.entry.error is not None
        assert result.entry.error.message == "No such order."
        assert result.entry.metadata == {"ms": 7}
        assert completed(result.state).text == "Done."


class TestAnError:
    async def test_that_a_tool_tells_is_read_unchanged(self) -> None:
        words = '  Not on Sundays:\n"closed" {}  '

        @agents.tool
        async def refuse() -> str:
            """Refuse."""
            raise agents.ToolError(words)

        result = await called(call("refuse"), refuse)
        assert (result.text, result.read[0].is_error) == (words, True)
        assert result.entry.error is not None
        assert result.entry.error.message == words

    async def test_that_a_tool_tells_does_not_fail_a_turn_that_others_would(self) -> None:
        @agents.tool
        def refuse() -> str:
            """Refuse."""
            raise agents.ToolError("No.")

        result = await called(call("refuse"), refuse, tool_errors="raise")
        assert result.text == "No."

    async def test_of_a_class_of_its_own_is_a_tool_error_too(self) -> None:
        class Closed(agents.ToolError):
            """The shop is closed."""

        @agents.tool
        def refuse() -> str:
            """Refuse."""
            raise Closed("Closed.")

        assert (await called(call("refuse"), refuse)).text == "Closed."

    @pytest.mark.parametrize(
        ("error", "read"),
        [
            (ValueError("no such order"), "The tool failed: ValueError: no such order"),
            (KeyError("a"), "The tool failed: KeyError: 'a'"),
            (ValueError(), "The tool failed: ValueError"),
            (StopIteration("enough"), None),
            (StopAsyncIteration("enough"), None),
            (GeneratorExit("enough"), None),
            (ExceptionGroup("several", [ValueError("a")]), None),
        ],
    )
    @pytest.mark.parametrize("how", ["thread", "loop"])
    async def test_of_any_other_kind_is_read_with_its_type_and_message(
        self, error: BaseException, read: str | None, how: str
    ) -> None:
        @agents.tool(name="fail")
        def in_thread() -> str:
            """Fail."""
            raise error

        @agents.tool(name="fail")
        async def in_loop() -> str:
            """Fail."""
            raise error

        result = await called(call("fail"), {"thread": in_thread, "loop": in_loop}[how])
        assert completed(result.state).text == "Done."
        assert result.read[0].is_error
        if read is None:
            assert type(error).__name__ in result.text
        else:
            assert result.text == read
        assert "Traceback" not in result.text

    async def test_whose_own_message_breaks_is_a_failed_call_too(self) -> None:
        class Broken(Exception):
            def __str__(self) -> str:
                raise RuntimeError("even this")

        @agents.tool
        def fail() -> str:
            """Fail."""
            raise Broken

        result = await called(call("fail"), fail)
        assert completed(result.state).text == "Done."
        assert "Broken" in result.text

    async def test_fails_the_turn_where_it_is_asked_for_and_names_tool_and_type(self) -> None:
        @agents.tool
        def fail() -> str:
            """Fail."""
            raise LookupError("no such order")

        result = await called(call("fail"), fail, tool_errors="raise")
        assert (result.error.code, result.error.retryable) == ("tool_raised", False)
        assert "client.fail" in result.error.message
        assert "LookupError" in result.error.message
        assert len(result.entries) == 1


class TestParameters:
    async def test_of_every_kind_arrive_as_python_values(self) -> None:
        seen: list[Any] = []

        @agents.tool
        def take(order: Order, point: Point, place: Place, many: list[Order], number: int = 7) -> str:
            """Take all kinds."""
            seen.extend([order, point, place, many, number])
            return "taken"

        arguments: dict[str, Any] = {
            "order": {"number": "A1", "paid": True},
            "point": {"x": 1, "y": 2},
            "place": {"city": "Lisbon"},
            "many": [{"number": "B2"}],
        }
        result = await called(call("take", arguments), take)
        assert result.text == "taken"
        assert seen == [Order(number="A1", paid=True), Point(1, 2), {"city": "Lisbon"}, [Order(number="B2")], 7]
        assert result.tool_calls == (agents.ToolCall("client.take", arguments),)

    async def test_that_a_tool_changes_are_not_changed_in_the_record(self) -> None:
        @agents.tool
        def take(items: list[int], options: dict[str, Any]) -> str:
            """Change what it was given."""
            items.append(2)
            options["changed"] = True
            return "taken"

        result = await called(call("take", {"items": [1], "options": {}}), take)
        assert result.tool_calls == (agents.ToolCall("client.take", {"items": [1], "options": {}}),)

    async def test_of_methods_and_closures_work(self) -> None:
        class Shop:
            name = "Shop"

            @agents.tool
            def where(self, street: Annotated[str, "The street"]) -> str:
                """Say where."""
                return f"{self.name} in {street}"

        assert (await called(call("where", {"street": "Rua"}), Shop().where)).text == "Shop in Rua"
