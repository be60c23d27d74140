"""The records of turns: what each says, field by field. Public page: Turn records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, error, gate, reply, stream
from tests.sessions.reading import blocked, completed, failed, interrupted, running, turn_of, until

if TYPE_CHECKING:
    from mistralai.agents.testing import Step


@agents.tool
def look_up(name: str) -> str:
    """Look a name up."""
    return f"{name} is here"


def agent_of(*steps: Step, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), tools=[look_up], **options)


class TestCompleted:
    """The page's Completed: the turn is done; text, output, stop_reason, tool_calls."""

    async def test_has_its_ids_its_text_and_the_same_text_as_output(self) -> None:
        session = await agent_of(reply("Lisbon.")).start_session()
        turn = turn_of(await session.start_turn("Where?"))
        state = completed(await turn.result())
        assert (state.session_id, state.turn_id) == (session.id, turn.id)
        assert (state.text, state.output, state.stop_reason) == ("Lisbon.", "Lisbon.", None)

    async def test_without_any_text_has_none_as_text_and_an_empty_string_as_output(self) -> None:
        state = completed(await agent_of(reply("")).run("Say nothing."))
        assert (state.text, state.output) == (None, "")

    async def test_lists_its_calls_by_full_id_in_the_order_of_the_history(self) -> None:
        agent = agent_of(calls(call("look_up", {"name": "a"}), call("look_up", {"name": "b"})), reply("Both."))
        state = completed(await agent.run("Look."))
        assert state.tool_calls == (
            agents.ToolCall("client.look_up", {"name": "a"}),
            agents.ToolCall("client.look_up", {"name": "b"}),
        )

    async def test_lists_only_its_own_calls_not_those_of_earlier_turns(self) -> None:
        session = await agent_of(call("look_up", {"name": "a"}), reply("Here."), reply("Again.")).start_session()
        assert len(completed(await session.run("Look.")).tool_calls) == 1
        assert completed(await session.run("And?")).tool_calls == ()

    async def test_keeps_arguments_that_are_no_json_as_the_raw_text(self) -> None:
        state = completed(await agent_of(call("look_up", '{"name": '), reply("Sorry.")).run("Look."))
        assert state.tool_calls == (agents.ToolCall("client.look_up", '{"name": '),)

    async def test_keeps_the_models_name_of_a_tool_that_does_not_exist(self) -> None:
        class Stray(ScriptedModel):
            """A model that calls what it was not offered."""

            def _check_offered(self, number: int, step: Step, request: agents.ModelRequest) -> None:
                pass

        agent = agents.Agent(model=Stray([call("look_down", {"name": "a"}), reply("Sorry.")]), tools=[look_up])
        assert completed(await agent.run("Look.")).tool_calls == (agents.ToolCall("look_down", {"name": "a"}),)

    async def test_lists_a_call_whose_arguments_did_not_fit_and_one_that_the_policy_denied(self) -> None:
        refused = agents.PermissionRule(tools=["client.look_up"], decision="deny", denylist=["name=secret"])
        agent = agent_of(
            calls(call("look_up", {"nam": "a"}), call("look_up", {"name": "secret"})),
            reply("Neither."),
            permission_policy=agents.PermissionPolicy(default="allow", rules=[refused]),
        )
        assert [made.arguments for made in completed(await agent.run("Look.")).tool_calls] == [
            {"nam": "a"},
            {"name": "secret"},
        ]

    async def test_at_the_iteration_limit_says_so_and_has_the_last_text(self) -> None:
        agent = agent_of(call("look_up", {"name": "a"}, text="Looking."), reply("Never."), max_iterations=1)
        state = completed(await agent.run("Look."))
        assert (state.stop_reason, state.text, state.output) == ("iteration_limit", "Looking.", "Looking.")

    async def test_at_the_output_limit_asks_six_times_for_a_shorter_reply_and_then_keeps_the_cut_one(self) -> None:
        model = ScriptedModel([reply(f"Too long {number}", finish="length") for number in range(7)])
        state = completed(await agents.Agent(model=model).run("Go on."))
        model.assert_consumed()
        assert (state.stop_reason, state.output) == ("output_limit", "Too long 6")


class TestAnEmptyTextBeforeACall:
    """Regression, pydantic-ai#2256: an empty piece of text before a tool call was taken for the answer."""

    async def test_is_no_answer(self) -> None:
        state = completed(await agent_of(call("look_up", {"name": "a"}, text=""), reply("Found.")).run("Look."))
        assert state.text == "Found."


class TestRunning:
    """The page's Running: the turn runs and nothing is asked of the reader."""

    async def test_has_no_text_before_the_first_and_the_latest_text_afterwards(self) -> None:
        before, within = gate(), gate()
        session = await agent_of(reply(before, "One, ", within, "two.")).start_session()
        turn = await session.send_message("Count.")
        await before.reached()
        assert running(await turn.get()).text is None
        before.open()
        await within.reached()
        assert running(await turn.get()).text == "One, "
        within.open()
        assert completed(await turn.result()).text == "One, two."

    async def test_keeps_the_text_of_the_last_reply_until_the_next_one_begins(self) -> None:
        second = gate()
        session = await agent_of(
            call("look_up", {"name": "a"}, text="Looking."), reply(second, "Done.")
        ).start_session()
        turn = await session.send_message("Look.")
        await second.reached()
        assert running(await turn.get()).text == "Looking."
        second.open()
        await turn.result()


class TestBlocked:
    """The page's Blocked: the callbacks that the turn waits on, in `callbacks`."""

    async def test_has_its_ids_the_last_text_and_each_open_callback(self) -> None:
        agent = agent_of(
            calls(call("look_up", {"name": "a"}), call("look_up", {"name": "b"}), text="May I?"), permission_mode="ask"
        )
        session = await agent.start_session()
        turn = await session.send_message("Look.")
        state = blocked(await turn.result())
        assert (state.session_id, state.turn_id, state.text) == (session.id, turn.id, "May I?")
        assert [callback.kind for callback in state.callbacks] == ["approval", "approval"]
        assert {(each.session_id, each.turn_id) for each in state.callbacks} == {(session.id, turn.id)}


class TestInterrupted:
    """The page's Interrupted: stopped before its end, with its cause and the text so far."""

    async def test_by_a_client_keeps_the_text_that_was_written(self) -> None:
        within = gate()
        session = await agent_of(reply("Once upon", within, " a time")).start_session()
        turn = await session.send_message("A story.")
        await within.reached()
        await turn.interrupt()
        state = interrupted(await turn.result())
        assert (state.cause, state.text) == ("interrupted", "Once upon")

    async def test_with_its_session_has_the_cause_cancelled(self) -> None:
        within = gate()
        session = await agent_of(reply(within, "Never.")).start_session()
        turn = await session.send_message("A story.")
        await within.reached()
        await session.cancel()
        state = interrupted(await turn.get())
        assert (state.cause, state.text) == ("cancelled", None)


class TestFailed:
    """The page's Failed and ProtocolError: what failed, its code and whether the same request may succeed later."""

    async def test_has_the_providers_code_and_details(self) -> None:
        state = failed(await agent_of(error(422, "no such field", reason="invalid_request_error")).run("Hello"))
        assert (state.error.code, state.error.retryable) == ("completion_rejected", False)
        assert state.error.details is not None
        assert state.error.details["status_code"] == 422

    async def test_keeps_the_text_that_was_shown_before_the_failure(self) -> None:
        state = failed(await agent_of(error(503, after="I think ")).run("Hello"))
        assert (state.text, state.error.code, state.error.retryable) == ("I think ", "completion_unavailable", True)

    async def test_for_a_stream_that_ends_too_early_may_be_retried(self) -> None:
        state = failed(await agent_of(stream("I think ")).run("Hello"))
        assert (state.error.code, state.error.retryable) == ("completion_failed", True)

    async def test_for_a_reply_without_usage_may_not_be_retried_and_names_the_option(self) -> None:
        state = failed(await agent_of(reply("Hello", reports_usage=False)).run("Hello"))
        assert (state.error.code, state.error.retryable) == ("completion_failed_permanently", False)
        assert "stream_options.include_usage" in state.error.message

    async def test_leaves_the_session_open_for_the_next_turn(self) -> None:
        session = await agent_of(error(503), reply("Better.")).start_session()
        failed(await session.run("Hello"))
        assert completed(await session.run("Hello again")).text == "Better."


class TestTheCursor:
    """Each record says at which position of the session's log it was read."""

    async def test_is_the_sessions_last_event_at_that_moment(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        state = completed(await session.run("Hello"))
        await session.cancel()
        events = [event async for event in session.iter_events()]
        assert state.cursor in [event.id for event in events]
        later = [event async for event in session.iter_events(after=state)]
        assert [type(event) for event in later] == [agents.SessionUpdated]

    async def test_moves_on_with_the_log(self) -> None:
        first, second = gate(), gate()
        session = await agent_of(reply(first, "a", second, "b")).start_session()
        turn = await session.send_message("Go.")
        await first.reached()
        before = (await turn.get()).cursor
        assert (await turn.get()).cursor == before
        first.open()
        await second.reached()
        assert (await turn.get()).cursor != before
        second.open()
        await turn.result()


class TestReadingATurn:
    """The page Session and Turn, `Turn.get`: reads now, waits for nothing, changes nothing."""

    async def test_of_an_ended_turn_gives_the_same_record_each_time(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = turn_of(await session.start_turn("Hello"))
        ended = await turn.result()
        assert await turn.get() == ended
        assert await session.turn(turn.id).get() == ended

    async def test_that_waits_on_a_callback_is_blocked_and_stays_so(self) -> None:
        session = await agent_of(call("look_up", {"name": "a"}), permission_mode="ask").start_session()
        turn = await session.send_message("Look.")
        await until(session, agents.CallbackOpened)
        assert await turn.get() == await turn.get() == await turn.result()

    async def test_that_the_session_never_had_is_an_error_that_names_it(self) -> None:
        session = await agent_of().start_session()
        with pytest.raises(agents.TurnNotFoundError, match="no turn 'nobody'"):
            await session.turn("nobody").get()
