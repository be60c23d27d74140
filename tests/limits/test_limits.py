"""`max_iterations` and `UsageLimits`: where a turn stops, what its record says, and what the model is told before."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, Step, call, calls, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed

TOKENS_NEARLY_UP = (
    "The tokens of this turn are nearly used up, and at most about one more reply is possible: come to an answer."
)
LAST_BUT_ONE = "After this reply only one more is possible in this turn: come to an answer."


@agents.tool
def read(page: int = 1) -> str:
    """Read a page."""
    return f"page {page}"


def agent_of(*steps: Step | Any, **options: Any) -> tuple[agents.Agent[str], ScriptedModel]:
    model = ScriptedModel(steps)
    return agents.Agent(model=model, tools=[read], **options), model


class TestMaxIterations:
    async def test_ends_the_turn_with_the_last_text(self) -> None:
        agent, model = agent_of(call("read", text="Looking."), call("read"), reply("never"), max_iterations=2)
        state = completed(await agent.run("Read."))
        assert (state.text, state.output, state.stop_reason) == ("Looking.", "Looking.", "iteration_limit")
        assert len(state.tool_calls) == 2
        assert len(model.requests) == 2

    async def test_without_any_text_leaves_none(self) -> None:
        agent, _ = agent_of(call("read"), max_iterations=1)
        state = completed(await agent.run("Read."))
        assert (state.text, state.output) == (None, "")

    async def test_leaves_no_output_to_parse(self) -> None:
        agent, _ = agent_of(call("read", text="7"), max_iterations=1, output_type=int)
        assert completed(await agent.run("Read.")).output is None

    async def test_is_not_reached_by_an_answer_in_the_last_call(self) -> None:
        agent, _ = agent_of(call("read"), reply("Done."), max_iterations=2)
        assert completed(await agent.run("Read.")).stop_reason is None

    async def test_counts_anew_in_each_turn(self) -> None:
        agent, _ = agent_of(reply("A"), reply("B"), max_iterations=1)
        session = await agent.start_session()
        assert [completed(await session.run("Hi.")).text for _ in range(2)] == ["A", "B"]

    async def test_runs_the_calls_of_the_last_reply_so_that_the_history_can_be_sent(self) -> None:
        agent, model = agent_of(call("read"), reply("Yes."), max_iterations=1)
        session = await agent.start_session()
        await session.run("Read.")
        await session.run("Go on.")
        assert asked(model) == ["user: Read.", "assistant: read({})", "tool: page 1", "user: Go on."]

    async def test_may_be_changed_for_one_session(self) -> None:
        agent, _ = agent_of(call("read"), max_iterations=5)
        session = await agent.start_session(agent={"max_iterations": 1})
        assert completed(await session.run("Read.")).stop_reason == "iteration_limit"

    async def test_answers_a_message_that_came_during_the_last_call_no_more(self) -> None:
        gate = Gate()
        agent, _ = agent_of(reply("A", gate), reply("never"), max_iterations=1)
        session = await agent.start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.steer("And?")
        gate.open()
        assert completed(await turn.result()).stop_reason == "iteration_limit"


class TestUsageLimits:
    @pytest.mark.parametrize(
        ("limits", "made"),
        [
            (agents.UsageLimits(model_calls=2), 2),
            (agents.UsageLimits(input_tokens=300), 3),
            (agents.UsageLimits(output_tokens=25), 3),
            (agents.UsageLimits(total_tokens=220), 2),
            (agents.UsageLimits(total_tokens=1), 1),
            (agents.UsageLimits(model_calls=9, output_tokens=10), 1),
        ],
        ids=str,
    )
    async def test_end_the_turn_once_reached(self, limits: agents.UsageLimits, made: int) -> None:
        model = ScriptedModel([call("read", text="Looking.")] * 9, usage=tokens(100, 10))
        session = await agents.Agent(model=model, tools=[read], limits=limits).start_session()
        turn = await session.send_message("Read.")
        state = completed(await turn.result())
        assert (state.text, state.stop_reason) == ("Looking.", "usage_limit")
        assert len(model.requests) == made
        assert await turn.usage() == tokens(100 * made, 10 * made)

    async def test_leave_an_answer_be_that_used_them_up(self) -> None:
        agent, _ = agent_of(reply("Done."), limits=agents.UsageLimits(model_calls=1, total_tokens=1))
        assert completed(await agent.run("Hi.")).stop_reason is None

    async def test_leave_no_output_to_parse(self) -> None:
        limits = agents.UsageLimits(model_calls=1)
        agent, _ = agent_of(call("read", text="7"), limits=limits, output_type=int)
        assert completed(await agent.run("Read.")).output is None

    async def test_count_anew_in_each_turn(self) -> None:
        agent, _ = agent_of(reply("A"), reply("B"), limits=agents.UsageLimits(model_calls=1, total_tokens=20))
        session = await agent.start_session()
        assert [completed(await session.run("Hi.")).stop_reason for _ in range(2)] == [None, None]

    @pytest.mark.parametrize("wrong", [-1, True, 1.5, "2"])
    def test_are_whole_numbers(self, wrong: Any) -> None:
        with pytest.raises(agents.SdkError, match="model_calls"):
            agents.UsageLimits(model_calls=wrong)


class TestTheLimitOnToolCalls:
    async def test_is_not_overshot_by_parallel_calls(self) -> None:
        """Regression, pydantic-ai#2593: the calls of one reply ran past it."""
        ran: list[int] = []

        @agents.tool
        def act(number: int) -> str:
            """Act."""
            ran.append(number)
            return "done"

        made = [call("act", {"number": number}) for number in range(5)]
        model = ScriptedModel([calls(*made), reply("Yes.")])
        agent = agents.Agent(model=model, tools=[act], limits=agents.UsageLimits(tool_calls=3))
        session = await agent.start_session()
        state = completed(await session.run("Act."))
        assert sorted(ran) == [0, 1, 2]
        assert state.stop_reason == "usage_limit"
        assert len(state.tool_calls) == 5
        await session.run("Go on.")
        assert [line for line in asked(model) if "used up" in line] == [
            "tool: This call did not run: the turn has used up its tool calls."
        ] * 2

    async def test_lets_the_model_answer_with_what_it_has(self) -> None:
        agent, model = agent_of(
            calls(call("read"), call("read")), reply("Done."), limits=agents.UsageLimits(tool_calls=2)
        )
        assert completed(await agent.run("Read.")).stop_reason is None
        assert "no tool call is left" in asked(model)[-1]

    async def test_ends_the_turn_where_it_calls_again_all_the_same(self) -> None:
        agent, model = agent_of(call("read"), call("read"), limits=agents.UsageLimits(tool_calls=1))
        state = completed(await agent.run("Read."))
        assert (state.stop_reason, len(state.tool_calls), len(model.requests)) == ("usage_limit", 2, 2)

    async def test_asks_nobody_about_a_call_past_it(self) -> None:
        agent, _ = agent_of(
            calls(call("read"), call("read")), limits=agents.UsageLimits(tool_calls=1), permission_mode="ask"
        )
        session = await agent.start_session()
        turn = await session.send_message("Read.")
        state = await turn.result()
        assert isinstance(state, agents.Blocked)
        (question,) = state.callbacks
        await turn.answer(question.id, agents.AllowApproval())
        assert completed(await turn.result()).stop_reason == "usage_limit"


class TestWhatTheModelIsTold:
    async def test_is_how_much_it_has_in_the_same_words_each_time(self) -> None:
        agent, model = agent_of(
            call("read"),
            reply("Done."),
            instructions="Be brief.",
            limits=agents.UsageLimits(model_calls=5, tool_calls=9),
        )
        await agent.run("Read.")
        assert {request.instructions for request in model.requests} == {
            "Be brief.\n\nYou have at most 5 replies and 9 tool calls to answer a message."
        }

    async def test_comes_in_the_last_call_but_one(self) -> None:
        agent, model = agent_of(*[call("read")] * 4, limits=agents.UsageLimits(model_calls=4))
        await agent.run("Read.")
        told = [[LAST_BUT_ONE in line for line in asked(model, number)] for number in range(4)]
        assert [any(lines) for lines in told] == [False, False, True, True]
        assert told[2][-1], "with the newest result"

    @pytest.mark.parametrize(
        ("limits", "calls_told"),
        [
            (agents.UsageLimits(input_tokens=500), [False, False, False, True, True]),
            (agents.UsageLimits(output_tokens=50), [False, False, False, True, True]),
            (agents.UsageLimits(total_tokens=550), [False, False, False, True, True]),
            (agents.UsageLimits(total_tokens=150), [False, True]),
        ],
        ids=str,
    )
    async def test_comes_about_then_where_tokens_are_what_is_bounded(
        self, limits: agents.UsageLimits, calls_told: list[bool]
    ) -> None:
        model = ScriptedModel([call("read")] * 9, usage=tokens(100, 10))
        await agents.Agent(model=model, tools=[read], limits=limits).run("Read.")
        told = [any(TOKENS_NEARLY_UP in line for line in asked(model, number)) for number in range(len(model.requests))]
        assert told == calls_told

    async def test_changes_nothing_of_what_was_sent_before(self) -> None:
        agent, model = agent_of(*[call("read")] * 4, limits=agents.UsageLimits(model_calls=4))
        await agent.run("Read.")
        for number in range(3):
            before = asked(model, number)
            assert asked(model, number + 1)[: len(before)] == before

    async def test_never_comes_after_what_the_user_said(self) -> None:
        """The user's text stays the last word, also where the user spoke between two calls."""
        gate = Gate()
        agent, model = agent_of(
            call("read"), call("read", hold=gate), reply("Done."), limits=agents.UsageLimits(model_calls=4)
        )
        session = await agent.start_session()
        turn = await session.send_message("Read.")
        await gate.reached()
        await turn.steer("Hurry.")
        gate.open()
        await turn.result()
        lines = asked(model)
        assert lines[-1] == "user: Hurry."
        assert lines[-2].endswith(LAST_BUT_ONE)

    async def test_comes_before_it_where_there_is_no_result_to_put_it_with(self) -> None:
        first, second = Gate(), Gate()
        agent, model = agent_of(
            reply("A", first), reply("B", second), reply("C"), limits=agents.UsageLimits(model_calls=4)
        )
        session = await agent.start_session()
        turn = await session.send_message("Hi.")
        for gate, message in ((first, "And?"), (second, "And then?")):
            await gate.reached()
            await turn.steer(message)
            gate.open()
        await turn.result()
        assert asked(model) == [
            "user: Hi.",
            "assistant: A",
            "user: And?",
            "assistant: B",
            f"context(limits): {LAST_BUT_ONE}",
            "user: And then?",
        ]

    async def test_goes_with_a_hooks_feedback(self) -> None:
        class Picky(agents.Hook):
            async def post_llm_call(
                self, ctx: agents.hook.HookContext, invocation: agents.hook.PostLLMCallInvocation
            ) -> agents.hook.Retry | None:
                return agents.retry("Shorter.") if len(invocation.content) > 1 else None

        agent, model = agent_of(
            reply("Long."), reply("Longer."), reply("C"), hooks=[Picky()], limits=agents.UsageLimits(model_calls=4)
        )
        await agent.run("Hi.")
        assert asked(model) == [
            "user: Hi.",
            "context(feedback): Shorter.",
            f"context(feedback): Shorter.\n\n{LAST_BUT_ONE}",
        ]

    async def test_is_told_once_and_for_one_turn(self) -> None:
        agent, model = agent_of(
            call("read"), reply("A"), call("read"), reply("B"), limits=agents.UsageLimits(model_calls=3)
        )
        session = await agent.start_session()
        await session.run("Read.")
        await session.run("Again.")
        assert sum(LAST_BUT_ONE in line for line in asked(model)) == 2

    async def test_is_no_message_in_the_transcript(self) -> None:
        agent, _ = agent_of(*[call("read")] * 4, limits=agents.UsageLimits(model_calls=4))
        session = await agent.start_session()
        await session.run("Read.")
        assert not any(LAST_BUT_ONE in str(entry) for entry in await session.history())


class TestUsage:
    async def test_is_reported_for_each_call_and_summed(self) -> None:
        first, second = tokens(100, 7, cached_input_tokens=60), tokens(120, 9, cached_input_tokens=100)
        agent, _ = agent_of(call("read", usage=first), reply("Done.", usage=second))
        session = await agent.start_session()
        turn = await session.send_message("Read.")
        reported = [event.usage async for event in turn.iter_events() if isinstance(event, agents.UsageReported)]
        assert reported == [first, second]
        assert await turn.usage() == tokens(220, 16, cached_input_tokens=160)

    async def test_of_a_turn_without_a_call_is_zero(self) -> None:
        gate = Gate()
        agent, _ = agent_of(reply(gate, "A"))
        session = await agent.start_session()
        turn = await session.send_message("Hi.")
        assert await turn.usage() == tokens(0, 0)
        gate.open()
        await turn.result()
