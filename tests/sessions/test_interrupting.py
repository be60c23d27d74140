"""Stopping a turn: what is kept, what is closed, how soon. Public pages: Session and Turn; Turn records."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import blocked, completed, interrupted, kinds, sent, turn_of, until, without_deltas

if TYPE_CHECKING:
    from collections.abc import Sequence


@agents.tool
def look_up(alert: str = "1") -> str:
    """Read an alert."""
    return f"alert {alert}"


def scripted(
    *steps: Any, tools: Sequence[agents.Tool[..., Any]] = (look_up,), **options: Any
) -> tuple[ScriptedModel, agents.Agent[str]]:
    model = ScriptedModel(steps)
    return model, agents.Agent(model=model, tools=tools, **options)


async def pairs(session: agents.Session) -> list[tuple[str, int]]:
    """Each call of the history and how many results it has."""
    entries = await session.history()
    results = [entry.tool_call_id for entry in entries if isinstance(entry, agents.ToolResultEntry)]
    made = [entry.tool_call_id for entry in entries if isinstance(entry, agents.ToolCallEntry)]
    assert set(results) <= set(made)
    return [(made_id, results.count(made_id)) for made_id in made]


class TestInterrupting:
    """`turn.interrupt` stops the turn and returns when it has ended; the session takes the next one."""

    async def test_returns_the_handle_of_the_stopped_turn(self) -> None:
        held = gate()
        _, agent = scripted(reply("Once ", held, "upon"), reply("Fresh."))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        assert await turn.interrupt() == turn
        interrupted(await turn.get())
        assert completed(await session.run("Something else.")).text == "Fresh."

    async def test_during_a_reply_keeps_what_was_written_in_the_record_and_the_history(self) -> None:
        """Regression, deer-flow PR3571: the partial answer that the user saw was gone after a reload."""
        held = gate()
        model, agent = scripted(reply("Once ", held, "upon"), reply("Fresh."))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text == "Once "
        _, partial = await session.history()
        assert isinstance(partial, agents.MessageEntry)
        assert partial.text == "Once "
        await session.run("Go on.")
        assert sent(model) == ["user: A story.", "assistant: Once ", "user: Go on."]

    async def test_before_the_first_words_leaves_nothing_that_cannot_be_sent(self) -> None:
        held = gate()
        model, agent = scripted(reply(held, "Never."), reply("Fresh."))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text is None
        await session.run("Go on.")
        assert sent(model) == ["user: A story.", "user: Go on."]

    async def test_during_a_tool_gives_every_call_a_result(self) -> None:
        """Regression, pydantic-ai#7977, strands#1111: the history after a cancel could be sent to no model."""
        held = gate()

        @agents.tool
        async def slow() -> str:
            """Take its time."""
            await held.hold()
            return "slow"

        steps = calls(call("slow"), call("look_up"), call("slow"))
        model, agent = scripted(steps, reply("Fresh."), tools=[slow, look_up])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await until(session, agents.EntryCompleted, count=5)  # the quick one has its result
        await turn.interrupt()
        interrupted(await turn.get())
        assert [count for _, count in await pairs(session)] == [1, 1, 1]
        assert completed(await session.run("Go on.")).text == "Fresh."
        results = [line for line in sent(model) if line.startswith("tool: ")]
        assert results[1] == "tool: alert 1"
        assert all("interrupted" in line for line in (results[0], results[2]))

    async def test_cancels_an_async_tool_at_once(self) -> None:
        held, ended = gate(), list[str]()

        @agents.tool
        async def slow() -> str:
            """Take its time."""
            try:
                await held.hold()
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise
            return "slow"

        _, agent = scripted(call("slow"), tools=[slow])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        await turn.interrupt()
        assert ended == ["cancelled"]

    async def test_keeps_the_result_of_a_tool_that_ends_all_the_same(self) -> None:
        held = gate()

        @agents.tool
        async def stubborn() -> str:
            """Finish what was begun."""
            try:
                await held.hold()
            except asyncio.CancelledError:
                return "finished"
            return "slow"

        model, agent = scripted(call("stubborn"), reply("Fresh."), tools=[stubborn])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        await turn.interrupt()
        interrupted(await turn.get())
        await session.run("Go on.")
        assert "tool: finished" in sent(model)

    @pytest.mark.slow
    async def test_ends_within_five_seconds_though_a_sync_tool_does_not_stop(self) -> None:
        """Regression, pydantic-ai#3960, codex#36926: tools ran on after the cancel, which itself never returned."""
        begun, release = threading.Event(), threading.Event()

        @agents.tool
        def stuck() -> str:
            """Do not stop."""
            begun.set()
            release.wait()
            return "late"

        _, agent = scripted(call("stuck"), reply("Fresh."), tools=[stuck])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await asyncio.to_thread(begun.wait)
        async with asyncio.timeout(5):
            await turn.interrupt()
        interrupted(await turn.get())
        assert [count for _, count in await pairs(session)] == [1]
        notice = await until(session, agents.Notice)
        assert "client.stuck" in notice.message
        assert completed(await session.run("Go on.")).text == "Fresh."
        release.set()

    async def test_closes_the_open_callbacks(self) -> None:
        _, agent = scripted(calls(call("look_up"), call("look_up")), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        turn = session.turn(state.turn_id)
        await turn.interrupt()
        events = [event async for event in turn.iter_events()]
        closed = [(e.callback_id, e.reason) for e in events if isinstance(e, agents.CallbackResolved)]
        assert closed == [(callback.id, "turn_ended") for callback in state.callbacks]
        assert (await session.info()).open_callbacks == 0
        assert [count for _, count in await pairs(session)] == [1, 1]

    async def test_lets_every_wait_return(self) -> None:
        held = gate()
        _, agent = scripted(reply(held, "Never."))
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        waits = [asyncio.create_task(turn.result()) for _ in range(3)]
        await held.reached()
        await turn.interrupt()
        for state in await asyncio.gather(*waits):
            interrupted(state)

    async def test_lets_a_wait_past_the_callback_return(self) -> None:
        _, agent = scripted(call("look_up"), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        turn = session.turn(state.turn_id)
        waiting = asyncio.create_task(turn.result(after=state))
        await turn.interrupt()
        interrupted(await waiting)

    async def test_twice_at_once_stops_it_once(self) -> None:
        held = gate()
        _, agent = scripted(reply("Once ", held, "upon"))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        first, second = await asyncio.gather(turn.interrupt(), turn.interrupt())
        assert turn in (first, second)
        ends = [event async for event in turn.iter_events() if isinstance(event, agents.TurnEnded)]
        assert len(ends) == 1

    async def test_answers_a_message_that_was_added_but_not_read_with_nothing(self) -> None:
        """A message that the turn had not read when it stopped is not lost: the next turn sends it."""
        held = gate()
        model, agent = scripted(reply("Once ", held, "upon"), reply("Fresh."))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        await turn.steer("With a fox.")
        await turn.interrupt()
        await session.run("Go on.")
        assert sent(model) == ["user: A story.", "assistant: Once ", "user: With a fox.", "user: Go on."]

    async def test_keeps_a_message_that_was_added_while_a_tool_ran(self) -> None:
        held = gate()

        @agents.tool
        async def slow() -> str:
            """Take its time."""
            await held.hold()
            return "slow"

        model, agent = scripted(call("slow"), reply("Fresh."), tools=[slow])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        await turn.steer("Quick!")
        await turn.interrupt()
        await session.run("Go on.")
        assert sent(model)[-2:] == ["user: Quick!", "user: Go on."]

    async def test_closes_the_entry_that_was_being_written(self) -> None:
        held = gate()
        _, agent = scripted(reply("Once ", held, "upon"))
        session = await agent.start_session()
        turn = await session.send_message("A story.")
        await held.reached()
        await turn.interrupt()
        events = without_deltas([event async for event in turn.iter_events()])
        assert kinds(events)[-3:] == ["EntryAdded", "EntryCompleted", "TurnEnded"]


class TestInterruptingATurnThatIsNotActive:
    """TurnConflict: nothing was stopped."""

    async def test_any_more(self) -> None:
        _, agent = scripted(reply("Done."))
        session = await agent.start_session()
        state = completed(await session.run("Go."))
        conflict = await session.turn(state.turn_id).interrupt()
        assert conflict == agents.TurnConflict(
            session_id=session.id, expected_turn_id=state.turn_id, active_turn_id=None
        )

    async def test_leaves_the_active_one_alone(self) -> None:
        held = gate()
        _, agent = scripted(reply("Done."), reply(held, "Two."))
        session = await agent.start_session()
        first = completed(await session.run("1"))
        second = await session.send_message("2")
        conflict = await session.turn(first.turn_id).interrupt()
        assert isinstance(conflict, agents.TurnConflict)
        assert conflict.active_turn_id == second.id
        held.open()
        assert completed(await second.result()).text == "Two."

    async def test_of_a_turn_that_waits_on_a_callback_is_no_conflict(self) -> None:
        _, agent = scripted(call("look_up"), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        turn_of(await session.turn(state.turn_id).interrupt())
        interrupted(await session.turn(state.turn_id).get())
