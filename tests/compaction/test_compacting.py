"""Compaction through the public interface: when it happens, what stands for what, and what the model reads after it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, Step, call, calls, error, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed, interrupted

LARGE = tokens(5000, 10)
"""A call that says the context has passed the threshold of these tests."""
SUMMARY = reply("<summary>They said hello.</summary>", usage=tokens(40, 4))
SUMMARY_LINE = "context(summary): What was said before, summarised:\n<summary>\nThey said hello.\n</summary>"
TOO_LARGE = error("completion_context_too_large", "The prompt is too long.", retryable=False)


@agents.tool
def read(page: int = 1) -> str:
    """Read a page."""
    return f"page {page} " + "words " * 200


def agent_of(*steps: Step | Any, **options: Any) -> tuple[agents.Agent[str], ScriptedModel]:
    model = ScriptedModel(steps)
    settings: dict[str, Any] = {"auto_compact_threshold": 1000} | options
    return agents.Agent(model=model, tools=[read], **settings), model


def is_for_a_summary(request: agents.ModelRequest) -> bool:
    last = request.messages[-1]
    return isinstance(last, agents.UserMessage) and last.context == "compaction"


class TestWhenTheContextPassesTheThreshold:
    async def test_the_summary_stands_for_what_came_before_the_turn(self) -> None:
        agent, model = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        assert completed(await session.run("How are you?")).text == "Fine."
        assert asked(model, 1)[:2] == ["user: Hi.", "assistant: Hello."]
        assert is_for_a_summary(model.requests[1])
        assert asked(model) == [SUMMARY_LINE, "user: How are you?"]

    async def test_nothing_happens_below_it(self) -> None:
        agent, model = agent_of(reply("Hello.", usage=tokens(900, 5)), reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        assert len(model.requests) == 2

    async def test_a_long_new_message_counts_too(self) -> None:
        agent, model = agent_of(reply("Hello.", usage=tokens(700, 5)), SUMMARY, reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("word " * 350)
        assert is_for_a_summary(model.requests[1])

    async def test_the_count_starts_again_at_the_cut(self) -> None:
        """Regression, cherry-studio#19447: figures from before the cut were used again."""
        agent, model = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine."), reply("Bye."))
        session = await agent.start_session()
        for message in ("Hi.", "How are you?", "See you."):
            await session.run(message)
        assert [is_for_a_summary(request) for request in model.requests] == [False, True, False, False]

    async def test_the_summary_becomes_part_of_the_next_one(self) -> None:
        again = reply("<summary>Twice.</summary>")
        agent, model = agent_of(
            reply("Hello.", usage=LARGE), SUMMARY, reply("Fine.", usage=LARGE), again, reply("Bye.")
        )
        session = await agent.start_session()
        for message in ("Hi.", "How are you?", "See you."):
            await session.run(message)
        assert asked(model, 3)[:3] == [SUMMARY_LINE, "user: How are you?", "assistant: Fine."]
        assert asked(model)[0].endswith("<summary>\nTwice.\n</summary>")

    async def test_eighty_percent_of_a_known_window_is_the_threshold(self) -> None:
        class Windowed(ScriptedModel):
            context_window = 10_000

        model = Windowed([reply("Hello.", usage=tokens(7999, 1)), SUMMARY, reply("Fine.")])
        session = await agents.Agent(model=model).start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        assert is_for_a_summary(model.requests[1])

    async def test_without_a_known_window_there_is_none(self) -> None:
        agent, model = agent_of(reply("Hello.", usage=tokens(10**7, 1)), reply("Fine."), auto_compact_threshold=None)
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        assert len(model.requests) == 2


class TestAnImportedHistory:
    HISTORY: ClassVar[list[dict[str, Any]]] = [
        {"type": "message", "role": "system", "content": [{"type": "text", "text": "Speak English."}]},
        {"type": "message", "role": "user", "content": [{"type": "text", "text": "Hi."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello. " * 800}]},
    ]

    async def test_is_compacted_and_keeps_the_system_messages_it_begins_with(self) -> None:
        agent, model = agent_of(SUMMARY, reply("Fine."))
        session = await agent.start_session(history=self.HISTORY)
        completed(await session.run("How are you?"))
        assert asked(model) == ["system: Speak English.", SUMMARY_LINE, "user: How are you?"]

    async def test_of_system_messages_alone_has_nothing_to_compact(self) -> None:
        agent, model = agent_of(reply("Fine."))
        session = await agent.start_session(history=self.HISTORY[:1])
        completed(await session.run("word " * 1000))
        assert len(model.requests) == 1

    async def test_can_be_compacted_again(self) -> None:
        agent, model = agent_of(SUMMARY, reply("Fine.", usage=LARGE), SUMMARY, reply("Bye."))
        session = await agent.start_session(history=self.HISTORY)
        await session.run("How are you?")
        await session.run("See you.")
        assert asked(model) == ["system: Speak English.", SUMMARY_LINE, "user: See you."]


class TestWhenTheProviderRefusesTheContext:
    async def test_it_is_compacted_and_sent_again(self) -> None:
        agent, model = agent_of(reply("Hello."), TOO_LARGE, SUMMARY, reply("Fine."), auto_compact_threshold=None)
        session = await agent.start_session()
        await session.run("Hi.")
        assert completed(await session.run("How are you?")).text == "Fine."
        assert asked(model) == [SUMMARY_LINE, "user: How are you?"]

    async def test_in_the_middle_of_a_turn_too(self) -> None:
        steps = [call("read", {"page": page}) for page in (1, 2, 3)]
        agent, model = agent_of(*steps, TOO_LARGE, SUMMARY, reply("Read."), auto_compact_threshold=None)
        state = completed(await agent.run("Read three pages."))
        assert state.text == "Read."
        assert len(state.tool_calls) == 3
        assert asked(model)[:2] == [SUMMARY_LINE, "user: Read three pages."]

    async def test_a_long_turn_is_what_is_compacted_where_it_is_most_of_the_context(self) -> None:
        steps = [call("read", {"page": page}) for page in (1, 2, 3)]
        agent, model = agent_of(
            reply("Hello."), *steps, TOO_LARGE, SUMMARY, reply("Read."), auto_compact_threshold=None
        )
        session = await agent.start_session()
        await session.run("Hi.")
        completed(await session.run("Read three pages."))
        assert asked(model)[:2] == [SUMMARY_LINE, "user: Read three pages."]
        assert "words" not in "".join(asked(model)[:2])


class TestATurnThatIsLongByItself:
    """Regression: a history of calls and results, with no further message of the user, must compact as well."""

    async def test_keeps_its_message_and_its_last_step(self) -> None:
        steps = [call("read", {"page": page}) for page in range(1, 6)]
        steps.append(call("read", {"page": 6}, usage=LARGE))
        agent, model = agent_of(*steps, SUMMARY, reply("Read."), auto_compact_threshold=2000)
        state = completed(await agent.run("Read six pages."))
        assert len(state.tool_calls) == 6
        lines = asked(model)
        assert lines[:3] == [SUMMARY_LINE, "user: Read six pages.", 'assistant: read({"page": 6})']
        assert [line.partition(":")[0] for line in lines[3:]] == ["tool"]

    async def test_never_parts_a_call_from_its_result(self) -> None:
        """Regression, openclaw#4739 and opencode#25774: every later request was refused."""
        steps = [calls(*(call("read", {"page": page}) for page in (1, 2, 3)), usage=LARGE)] * 3
        agent, model = agent_of(
            steps[0], SUMMARY, steps[1], SUMMARY, steps[2], SUMMARY, reply("Read."), auto_compact_threshold=2500
        )
        completed(await agent.run("Read."))
        for request in model.requests:
            waiting: list[str] = []
            for message in request.messages:
                if isinstance(message, agents.ToolMessage):
                    waiting.remove(message.tool_call_id)
                    continue
                assert waiting == []
                waiting = (
                    [made.id for made in message.tool_calls] if isinstance(message, agents.AssistantMessage) else []
                )
            assert waiting == []

    async def test_is_summarised_whole_where_its_last_step_alone_is_too_long(self) -> None:
        steps = [calls(*(call("read", {"page": page}) for page in (1, 2, 3, 4)), usage=LARGE)]
        agent, model = agent_of(*steps, SUMMARY, reply("Read."))
        completed(await agent.run("Read."))
        assert asked(model) == [SUMMARY_LINE, "user: Read."]

    async def test_can_be_compacted_again_and_again(self) -> None:
        steps: list[Any] = []
        for page in range(8):
            steps += [call("read", {"page": page}, usage=LARGE), SUMMARY]
        agent, model = agent_of(*steps, reply("Read."), auto_compact_threshold=1200)
        state = completed(await agent.run("Read."))
        assert len(state.tool_calls) == 8
        model.assert_consumed()
        assert all("user: Read." in asked(model, number) for number in range(len(model.requests)))


class TestMessagesThatArriveMeanwhile:
    async def test_are_kept_and_follow_the_summary(self) -> None:
        """Regression, pinet#941: they were lost."""
        gate = Gate()
        held = reply(gate, "<summary>They said hello.</summary>")
        agent, model = agent_of(reply("Hello.", usage=LARGE), held, reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        turn = await session.send_message("How are you?")
        await gate.reached()
        await turn.steer("And the children?")
        gate.open()
        completed(await turn.result())
        assert asked(model) == [SUMMARY_LINE, "user: How are you?", "user: And the children?"]

    async def test_also_where_the_whole_turn_is_summarised(self) -> None:
        gate = Gate()
        held = reply(gate, "<summary>They said hello.</summary>")
        many = calls(*(call("read", {"page": page}) for page in (1, 2, 3, 4)), usage=LARGE)
        agent, model = agent_of(many, held, reply("Read."))
        session = await agent.start_session()
        turn = await session.send_message("Read.")
        await gate.reached()
        await turn.steer("Slowly.")
        gate.open()
        completed(await turn.result())
        assert asked(model) == [SUMMARY_LINE, "user: Read.", "user: Slowly."]


class TestTheRecordOfIt:
    async def test_the_summary_is_a_context_message_and_no_message_of_the_user(self) -> None:
        """Regression, mistral-vibe#221: it was taken for the user's last message."""
        agent, _ = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        history = await session.history()
        (context,) = [entry for entry in history if isinstance(entry, agents.ContextMessage)]
        assert (context.kind, context.source) == ("summary", "runtime")
        assert "They said hello." in context.text
        said = [entry.text for entry in history if isinstance(entry, agents.MessageEntry)]
        assert said == ["Hi.", "Hello.", "How are you?", "Fine."], "people still read everything"

    async def test_its_tokens_are_reported_and_counted(self) -> None:
        agent, _ = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine.", usage=tokens(60, 6)))
        session = await agent.start_session()
        await session.run("Hi.")
        turn = await session.send_message("How are you?")
        used = [event.usage async for event in turn.iter_events() if isinstance(event, agents.UsageReported)]
        assert used == [tokens(40, 4), tokens(60, 6)]
        assert await turn.usage() == tokens(100, 10)

    async def test_no_text_of_it_is_the_turns(self) -> None:
        agent, _ = agent_of(reply("Hello.", usage=LARGE), SUMMARY, call("read"), reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        turn = await session.send_message("How are you?")
        deltas = [event.text async for event in turn.iter_events() if isinstance(event, agents.TextDelta)]
        assert "".join(deltas) in ("", "Fine.")
        assert completed(await turn.result()).text == "Fine."

    async def test_an_interruption_during_it_changes_nothing(self) -> None:
        gate = Gate()
        agent, model = agent_of(
            reply("Hello.", usage=LARGE), reply(gate, "<summary>no</summary>"), SUMMARY, reply("Fine.")
        )
        session = await agent.start_session()
        await session.run("Hi.")
        turn = await session.send_message("How are you?")
        await gate.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text is None
        completed(await session.run("Still there?"))
        assert asked(model) == [SUMMARY_LINE, "user: Still there?"]


class TestTheRequestForASummary:
    """The words matter: what they ask for is what is left of the conversation."""

    @pytest.fixture
    async def request_made(self) -> agents.ModelRequest:
        agent, model = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine."), output_type=dict[str, int])
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        return model.requests[1]

    async def test_forbids_tools_and_asks_for_no_format(self, request_made: agents.ModelRequest) -> None:
        assert request_made.tool_choice == "none"
        assert request_made.output is None

    async def test_keeps_the_prefix_that_the_provider_has_cached(self, request_made: agents.ModelRequest) -> None:
        assert [tool.name for tool in request_made.tools] == ["read"]
        assert [
            getattr(message, "content", None) or getattr(message, "text", None) for message in request_made.messages
        ][:2] == ["Hi.", "Hello."]

    @pytest.mark.parametrize(
        "wanted",
        ["<summary>", "</summary>", "user wants", "constraint", "decided", "exact", "failed", "still to be done"],
    )
    async def test_names_what_must_be_kept(self, request_made: agents.ModelRequest, wanted: str) -> None:
        last = request_made.messages[-1]
        assert isinstance(last, agents.UserMessage)
        assert wanted in last.content

    async def test_says_that_no_tool_is_to_be_called(self, request_made: agents.ModelRequest) -> None:
        last = request_made.messages[-1]
        assert isinstance(last, agents.UserMessage)
        assert "Call no tool" in last.content

    async def test_leaves_no_words_of_its_own_behind(self) -> None:
        agent, model = agent_of(reply("Hello.", usage=LARGE), SUMMARY, reply("Fine."))
        session = await agent.start_session()
        await session.run("Hi.")
        await session.run("How are you?")
        assert not any("context(compaction)" in line for line in asked(model))
