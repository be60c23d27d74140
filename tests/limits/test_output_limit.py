"""Replies that are cut at the output limit: a shorter one is asked for, and nothing that was cut is run."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, Step, call, calls, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed

CUT = reply("A long", finish="length")
SHORTER = "context(feedback): Your reply was cut at the output limit. Answer again, in fewer words."


class Tool:
    """A tool that keeps what it ran with."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.tool = agents.tool(self.write)

    def write(self, text: str = "") -> str:
        """Write."""
        self.ran.append(text)
        return "written"


@pytest.fixture
def pen() -> Tool:
    """A tool that has written nothing."""
    return Tool()


def agent_of(pen: Tool, *steps: Step, **options: Any) -> tuple[agents.Agent[str], ScriptedModel]:
    model = ScriptedModel(steps)
    return agents.Agent(model=model, tools=[pen.tool], **options), model


class TestAnAnswerThatIsCut:
    async def test_is_asked_for_again_in_fewer_words(self, pen: Tool) -> None:
        agent, model = agent_of(pen, CUT, reply("Short."))
        state = completed(await agent.run("Tell me."))
        assert (state.text, state.stop_reason) == ("Short.", None)
        assert asked(model) == ["user: Tell me.", "assistant: A long", SHORTER]

    async def test_is_asked_for_up_to_six_times(self, pen: Tool) -> None:
        agent, model = agent_of(pen, *[CUT] * 6, reply("Short."))
        assert completed(await agent.run("Tell me.")).text == "Short."
        assert len(model.requests) == 7

    async def test_is_then_the_answer_as_far_as_it_goes(self, pen: Tool) -> None:
        last = reply("The last", finish="length")
        agent, model = agent_of(pen, *[CUT] * 6, last, reply("never"))
        state = completed(await agent.run("Tell me."))
        assert (state.text, state.output, state.stop_reason) == ("The last", "The last", "output_limit")
        assert len(model.requests) == 7

    async def test_leaves_no_output_to_parse(self, pen: Tool) -> None:
        agent, _ = agent_of(pen, *[reply("7", finish="length")] * 7, output_type=int)
        assert completed(await agent.run("Tell me.")).output is None

    async def test_without_a_word_is_asked_for_again_too(self, pen: Tool) -> None:
        agent, model = agent_of(pen, reply("", finish="length"), reply("Short."))
        assert completed(await agent.run("Tell me.")).text == "Short."
        assert asked(model) == ["user: Tell me.", SHORTER]

    async def test_starts_the_count_again_after_one_that_was_whole(self, pen: Tool) -> None:
        agent, _ = agent_of(pen, *[CUT] * 6, call("write"), *[CUT] * 6, reply("Short."))
        assert completed(await agent.run("Tell me.")).text == "Short."

    async def test_counts_as_a_model_call_with_its_tokens(self, pen: Tool) -> None:
        agent, _ = agent_of(pen, *[CUT] * 3, max_iterations=3)
        session = await agent.start_session()
        turn = await session.send_message("Tell me.")
        assert completed(await turn.result()).stop_reason == "iteration_limit"
        assert await turn.usage() == tokens(30, 15)


class TestACallThatIsCut:
    @pytest.mark.parametrize("arguments", ['{"text": "half a se', '{"text": "whole"}', ""])
    async def test_is_never_run(self, pen: Tool, arguments: str) -> None:
        """Regression, mastra#15717 and hermes-agent#7680: it ran with half of its arguments, or looped for ever."""
        agent, model = agent_of(pen, call("write", arguments, finish="length"), reply("Done."))
        state = completed(await agent.run("Write."))
        assert pen.ran == []
        assert "did not run" in asked(model)[-1]
        assert [made.name for made in state.tool_calls] == ["client.write"]

    async def test_takes_the_calls_beside_it_with_it(self, pen: Tool) -> None:
        cut = calls(call("write", {"text": "a"}), call("write", '{"text": "b'), finish="length")
        agent, model = agent_of(pen, cut, reply("Done."))
        await agent.run("Write.")
        assert pen.ran == []
        assert [line.partition(":")[0] for line in asked(model)] == ["user", "assistant", "tool", "tool"]

    async def test_ends_the_turn_after_six_shorter_ones(self, pen: Tool) -> None:
        cut = call("write", '{"text": "b', finish="length", text="Writing.")
        agent, model = agent_of(pen, *[cut] * 7, reply("never"))
        state = completed(await agent.run("Write."))
        assert (state.text, state.stop_reason) == ("Writing.", "output_limit")
        assert len(model.requests) == 7
        assert pen.ran == []

    async def test_asks_nobody(self, pen: Tool) -> None:
        agent, _ = agent_of(pen, call("write", "{}", finish="length"), reply("Done."), permission_mode="ask")
        assert completed(await agent.run("Write.")).text == "Done."

    async def test_may_be_made_again(self, pen: Tool) -> None:
        agent, _ = agent_of(pen, call("write", '{"te', finish="length"), call("write", {"text": "a"}), reply("Done."))
        assert completed(await agent.run("Write.")).text == "Done."
        assert pen.ran == ["a"]
