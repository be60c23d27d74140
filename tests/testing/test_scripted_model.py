"""Tests of the scripted model: what its steps come to in a turn, and what it says when a call leaves the script."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import (
    ScriptedModel,
    ScriptError,
    call,
    calls,
    error,
    gate,
    reply,
    run_typescript,
    stream,
    tokens,
)
from tests.testing.answering import agent, completed, double, error_of, run, shout

if TYPE_CHECKING:
    from collections.abc import Callable

FIVE: Any = 5
NOTHING: Any = None


class TestAReply:
    async def test_is_the_turns_text(self) -> None:
        assert (await completed(ScriptedModel([reply("Hello")]))).text == "Hello"

    async def test_comes_in_its_pieces(self) -> None:
        first, second = gate(), gate()
        model = ScriptedModel([reply("Hel", first, "lo ", second, "there")])
        with agent.override(model=model):
            async with agents.local_runtime():
                session = await agent.start_session()
                turn = await session.send_message("hi")
                assert isinstance(turn, agents.Turn)
                await first.reached()
                assert not second.is_reached
                first.open()
                second.open()
                assert isinstance(state := await turn.result(), agents.Completed)
                assert state.text == "Hello there"

    async def test_is_cut_in_as_many_pieces_as_asked(self) -> None:
        events = [event async for event in ScriptedModel([reply("abcdef", chunks=3)]).stream(request())]
        assert [event.text for event in events if isinstance(event, agents.TextChunk)] == ["ab", "cd", "ef"]

    async def test_at_a_gate_holds_until_the_test_opens_it(self) -> None:
        point = gate()
        model = ScriptedModel([reply("Half", point, " and half")])
        with agent.override(model=model):
            async with agents.local_runtime():
                session = await agent.start_session()
                turn = await session.send_message("hi")
                assert isinstance(turn, agents.Turn)
                await point.reached()
                assert isinstance(await turn.get(), agents.Running)
                await turn.interrupt()
                assert isinstance(state := await turn.get(), agents.Interrupted)
                assert state.text == "Half"

    async def test_held_before_its_first_piece_has_shown_nothing(self) -> None:
        point = gate()
        turn = asyncio.create_task(run(ScriptedModel([reply("Hello", hold=point)])))
        await point.reached()
        assert not turn.done()
        point.open()
        assert isinstance(state := await turn, agents.Completed)
        assert state.text == "Hello"

    async def test_cut_at_the_output_limit_is_asked_for_again(self) -> None:
        model = ScriptedModel([reply("Once upon", finish="length"), reply("Short.")])
        assert (await completed(model)).text == "Short."
        model.assert_consumed()

    async def test_reports_the_tokens_it_is_given(self) -> None:
        model = ScriptedModel([reply("a", usage=tokens(100, 20)), reply("b")], usage=tokens(7, 3))
        with agent.override(model=model):
            async with agents.local_runtime():
                session = await agent.start_session()
                used: list[int] = []
                for _ in range(2):
                    turn = await session.send_message("hi")
                    assert isinstance(turn, agents.Turn)
                    await turn.result()
                    used.append((await turn.usage()).total_tokens)
        assert used == [120, 10]

    async def test_without_tokens_fails_the_turn(self) -> None:
        assert (
            await error_of(ScriptedModel([reply("a", reports_usage=False)]))
        ).code == "completion_failed_permanently"

    async def test_that_just_stops_is_a_cut_stream(self) -> None:
        failure = await error_of(ScriptedModel([stream("Hel")]))
        assert (failure.code, failure.retryable) == ("completion_failed", True)


class TestACall:
    async def test_runs_the_tool_and_the_model_reads_the_result(self) -> None:
        model = ScriptedModel([call("double", {"number": 21}), reply("42")])
        state = await completed(model)
        assert state.tool_calls == (agents.ToolCall("client.double", {"number": 21}),)
        last = model.requests[1].messages[-1]
        assert isinstance(last, agents.ToolMessage)
        assert last.content == "42"

    async def test_among_several_runs_beside_the_others(self) -> None:
        both = calls(call("double", {"number": 2}), call("shout", {"text": "a"}), text="One moment.")
        state = await completed(ScriptedModel([both, reply("done")]))
        assert [one.name for one in state.tool_calls] == ["client.double", "client.shout"]

    async def test_may_have_arguments_that_do_not_parse(self) -> None:
        model = ScriptedModel([call("double", "{number: "), reply("sorry")])
        state = await completed(model)
        assert state.tool_calls == (agents.ToolCall("client.double", "{number: "),)

    async def test_of_a_tool_that_is_not_offered_fails_and_names_those_that_are(self) -> None:
        model = ScriptedModel([call("treble", {})])
        failure = await error_of(model)
        assert failure.message == (
            "Step 1 of 1 calls the tool 'treble', which this call does not offer. It offers double, shout."
        )
        with pytest.raises(AssertionError, match="'treble'"):
            model.assert_consumed()

    async def test_of_a_program_needs_an_agent_with_programs(self) -> None:
        model = ScriptedModel([run_typescript("1 + 1")])
        with agents.Agent(model="a-model").override(model=model) as bare:
            state = await bare.run("hi")
        assert isinstance(state, agents.Failed)
        assert "'run_typescript', which this call does not offer. It offers no tools." in state.error.message
        assert len(model.problems) == 1


class TestAnError:
    @pytest.mark.parametrize(
        ("status", "code", "retryable"),
        [
            (400, "completion_rejected", False),
            (401, "completion_unauthorized", False),
            (402, "completion_billing_denied", False),
            (408, "completion_timed_out", True),
            (409, "completion_unavailable", True),
            (429, "completion_rate_limited", True),
            (503, "completion_unavailable", True),
            ("completion_failed", "completion_failed", True),
            ("completion_failed_permanently", "completion_failed_permanently", False),
        ],
    )
    async def test_has_the_code_that_providers_give_it(self, status: int | str, code: str, retryable: bool) -> None:
        failure = await error_of(ScriptedModel([error(status, "because")]))
        assert (failure.code, failure.retryable) == (code, retryable)
        assert "because" in failure.message

    async def test_is_read_by_the_providers_reason(self) -> None:
        failure = await error_of(ScriptedModel([error(429, reason="", request_id="r-1")]))
        assert failure.code == "completion_unavailable"
        assert failure.details == {"status_code": 429, "request_id": "r-1"}
        failure = await error_of(ScriptedModel([error(400, reason="context_length_exceeded")]))
        assert failure.code == "completion_context_too_large"

    async def test_keeps_the_text_that_came_before_it(self) -> None:
        state = await run(ScriptedModel([error(500, after="Hel")]))
        assert isinstance(state, agents.Failed)
        assert state.text == "Hel"


class TestAFunctionAsAStep:
    async def test_answers_what_the_model_is_asked(self) -> None:
        def echo(asked: agents.ModelRequest) -> Any:
            said = asked.messages[-1]
            assert isinstance(said, agents.UserMessage)
            return reply(f"You said {said.content}.")

        assert (await completed(ScriptedModel([echo]), "yes")).text == "You said yes."

    async def test_may_be_async(self) -> None:
        async def later(asked: agents.ModelRequest) -> Any:
            await asyncio.sleep(0)
            return reply("late")

        assert (await completed(ScriptedModel([later]))).text == "late"

    async def test_that_raises_fails_the_turn_and_the_test(self) -> None:
        def check(asked: agents.ModelRequest) -> Any:
            raise AssertionError("no tools were wanted")

        model = ScriptedModel([check])
        assert (await error_of(model)).message == "Step 1's function raised AssertionError: no tools were wanted"
        with pytest.raises(ScriptError, match="no tools were wanted"):
            model.assert_consumed()

    async def test_that_returns_no_step_says_so(self) -> None:
        model = ScriptedModel([lambda asked: "hi"])  # type: ignore[return-value, list-item]  # the mistake under test # pyright: ignore[reportArgumentType]
        assert "Step 1's function returned 'hi'" in (await error_of(model)).message
        assert len(model.problems) == 1


class TestTheScriptsEnd:
    async def test_is_told_by_a_call_past_it(self) -> None:
        model = ScriptedModel([call("double", {"number": 1})])
        failure = await error_of(model)
        assert failure.message.startswith("The script has 1 step, and the model was called for the 2nd time.")
        assert failure.details == {"reason": "script"}
        with pytest.raises(AssertionError, match="The script has 1 step"):
            model.assert_consumed()

    async def test_that_was_not_reached_is_told_too(self) -> None:
        model = ScriptedModel([reply("a"), call("double", {"number": 3})])
        await completed(model)
        assert model.remaining == 1
        with pytest.raises(
            AssertionError, match=r"called once, and its script has 2 steps.*call\('double', \{\"number\": 3\}\)"
        ):
            model.assert_consumed()

    async def test_can_be_moved(self) -> None:
        model = ScriptedModel([])
        model.add(reply("a"))
        await completed(model)
        model.assert_consumed()

    @pytest.mark.parametrize(
        ("make", "told"),
        [
            (lambda: reply(FIVE), "reply: 5 is no piece of a stream"),
            (lambda: stream(NOTHING), "stream: None is no piece of a stream"),
            (lambda: call(""), "call: name is ''"),
            (lambda: call(FIVE), "call: name is 5"),
            (lambda: call("a", FIVE), "call: arguments is 5. Pass them by name in a dict"),
            (lambda: call("a", {"b": object()}), "which JSON cannot hold"),
            (lambda: call("a", text=FIVE), "call: 5 is no piece"),
            (lambda: calls(), "calls: there is no call"),
            (lambda: calls(call("a"), text=FIVE), "calls: 5 is no piece"),
            (lambda: error(200), "error: status is 200. Pass an HTTP status of a failure"),
            (lambda: error(True), "error: status is True"),
            (lambda: error(""), "error: status is ''"),
            (lambda: error(500, after=FIVE), "error: 5 is no piece"),
        ],
    )
    def test_says_which_part_of_a_step_is_none(self, make: Callable[[], Any], told: str) -> None:
        with pytest.raises((TypeError, ValueError), match=re.escape(told)):
            make()

    def test_holds_steps_only(self) -> None:
        with pytest.raises(TypeError, match="step 2 is 'hi'"):
            ScriptedModel([reply("a"), "hi"])  # type: ignore[list-item]  # the mistake under test # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match="argument 1 is"):
            calls(reply("a"))


class TestRequests:
    async def test_are_kept_as_they_were_at_the_time(self) -> None:
        model = ScriptedModel([call("double", {"number": 1}), reply("2")])
        await completed(model, "double it")
        first, second = model.requests
        assert first.messages == (agents.UserMessage(content="double it"),)
        assert len(second.messages) == 3
        assert first.instructions == "Be brief."
        assert [tool.name for tool in first.tools] == [double.name, shout.name]


def request() -> agents.ModelRequest:
    return agents.ModelRequest(model="", instructions="", messages=[])
