"""Calls that cannot run: the model reads why, and the record lists them as they were written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.support.outcomes import completed
from tests.tools.calling import CarelessModel, called

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


@agents.tool
def pay(amount: int, to: str = "nobody") -> str:
    """Pay."""
    return f"{amount} to {to}"


class TestInvalidArguments:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            ({}, "amount"),
            ({"amount": "much"}, "amount"),
            ({"amount": None}, "amount"),
            ({"amount": 1, "to": 7}, "to"),
            ({"amount": 1, "currency": "EUR"}, "currency"),
        ],
    )
    async def test_are_read_as_an_invalid_call_that_names_the_parameter(
        self, arguments: dict[str, Any], named: str
    ) -> None:
        result = await called(call("pay", arguments), pay)
        assert result.read[0].is_error
        assert result.text.startswith("invalid_tool_call")
        assert named in result.text
        assert "pydantic" not in result.text
        assert result.entry.error is not None
        assert result.entry.error.code == "invalid_tool_call"
        assert result.tool_calls == (agents.ToolCall("client.pay", arguments),)

    @pytest.mark.parametrize(
        "raw", ['{"amount": 1', "one", '{"amount": 1} and more', '{"amount": NaN}', "{'amount': 1}"]
    )
    async def test_that_are_no_json_stay_the_text_they_are(self, raw: str) -> None:
        result = await called(call("pay", raw), pay)
        assert result.text.startswith("invalid_tool_call")
        assert result.tool_calls == (agents.ToolCall("client.pay", raw),)
        assert completed(result.state).text == "Done."

    async def test_that_are_nested_too_deep_to_be_kept_stay_the_text_they_are(self) -> None:
        raw = '{"amount": ' + "[" * 250 + "]" * 250 + "}"
        result = await called(call("pay", raw), pay)
        assert "more than 200 deep" in result.text
        assert result.tool_calls == (agents.ToolCall("client.pay", raw),)

    @pytest.mark.parametrize("raw", ["[1]", "1", '"one"', "null", "true"])
    async def test_that_are_json_but_no_object_are_invalid(self, raw: str) -> None:
        result = await called(call("pay", raw), pay)
        assert result.text.startswith("invalid_tool_call")

    async def test_that_are_no_text_at_all_are_no_arguments(self) -> None:
        @agents.tool
        def now() -> str:
            """Say the time."""
            return "noon"

        result = await called(call("now", ""), now)
        assert result.text == "noon"
        assert result.tool_calls == (agents.ToolCall("client.now", {}),)

    async def test_do_not_fail_a_turn_even_where_errors_do(self) -> None:
        result = await called(call("pay", {}), pay, tool_errors="raise")
        assert completed(result.state).text == "Done."

    async def test_nested_too_deep_are_invalid(self) -> None:
        result = await called(call("pay", "[" * 100_000), pay)
        assert result.text.startswith("invalid_tool_call")

    async def test_never_ask_a_person(self) -> None:
        result = await called(call("pay", {}), pay, permission_mode="ask")
        assert completed(result.state).text == "Done."

    async def test_leave_the_model_free_to_try_again(self) -> None:
        model = ScriptedModel([call("pay", {}), call("pay", {"amount": 1}), reply("Paid.")])
        state = completed(await agents.Agent(model=model, tools=[pay]).run("go"))
        assert state.tool_calls == (agents.ToolCall("client.pay", {}), agents.ToolCall("client.pay", {"amount": 1}))


class TestAnUnknownTool:
    async def test_is_read_as_an_invalid_call_and_listed_by_the_name_the_model_used(self) -> None:
        model = CarelessModel(("steal", '{"amount": 1}'), ("pay", '{"amount": 2}'))
        state = completed(await agents.Agent(model=model, tools=[pay]).run("go"))
        assert state.tool_calls == (
            agents.ToolCall("steal", {"amount": 1}),
            agents.ToolCall("client.pay", {"amount": 2}),
        )
        read = [message.content for message in model.requests[1] if isinstance(message, agents.ToolMessage)]
        assert str(read[0]).startswith("invalid_tool_call")
        assert "steal" in str(read[0])
        assert "pay" in str(read[0])
        assert read[1] == "2 to nobody"

    @pytest.mark.parametrize("name", ["", " ", "pay ", "client.pay", "x" * 300, "päy", "a\nb"])
    async def test_of_an_odd_name_does_not_break_the_turn(self, name: str) -> None:
        model = CarelessModel((name, "{}"))
        assert completed(await agents.Agent(model=model, tools=[pay]).run("go")).text == "Done."

    async def test_for_programs_only_is_unknown_to_a_direct_call(self) -> None:
        @agents.tool(model_access="programmatic")
        def inner() -> str:
            """Run in programs only."""
            return "ran"

        model = CarelessModel(("inner", "{}"))
        await agents.Agent(model=model, tools=[inner]).run("go")
        (read,) = [message for message in model.requests[1] if isinstance(message, agents.ToolMessage)]
        assert str(read.content).startswith("invalid_tool_call")

    async def test_of_an_agent_without_tools_is_told_that_there_are_none(self) -> None:
        model = CarelessModel(("pay", "{}"))
        assert completed(await agents.Agent(model=model).run("go")).text == "Done."


class TestCallIds:
    async def test_that_repeat_or_are_odd_still_pair_with_their_results(self) -> None:
        ids = ["same", "same", "null", "", "x" * 100, "ä"]

        class Repeating(CarelessModel):
            """A model that gives its calls odd ids."""

            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
                self.requests.append(list(request.messages))
                usage = agents.TokenUsage(input_tokens=1, output_tokens=1, total_tokens=2)
                if len(self.requests) < 3:
                    for number, id in enumerate(ids):
                        made = agents.ModelToolCall(id=id, name="pay", arguments=f'{{"amount": {number}}}')
                        yield agents.ToolCallBlock(call=made)
                    yield agents.ReplyFinished(reason="tool_calls", usage=usage)
                    return
                yield agents.TextChunk("Done.")
                yield agents.ReplyFinished(reason="stop", usage=usage)

        model = Repeating()
        assert completed(await agents.Agent(model=model, tools=[pay]).run("go")).text == "Done."
        results = [message for message in model.requests[2] if isinstance(message, agents.ToolMessage)]
        made = [each for m in model.requests[2] if isinstance(m, agents.AssistantMessage) for each in m.tool_calls]
        assert [result.tool_call_id for result in results] == [each.id for each in made]
        assert len({each.id for each in made}) == 2 * len(ids)
        assert [result.content for result in results] == [f"{number} to nobody" for number in range(len(ids))] * 2
