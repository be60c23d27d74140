"""Starting a turn only if none is active: Busy. Public pages: Session and Turn; Turn records."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from tests.sessions.reading import blocked, completed, turn_of


@agents.tool
def look_up() -> str:
    """Read an alert."""
    return "alert"


async def busy_session(*steps: Any) -> tuple[agents.Session, agents.Turn, Any]:
    """A session whose turn is held, the turn, and its gate."""
    held = gate()
    session = await agents.Agent(model=ScriptedModel([reply(held, "One."), *steps])).start_session()
    return session, await session.send_message("1"), held


class TestStartingATurn:
    """`start_turn` starts a turn, never joins one: Busy where another is active."""

    async def test_of_an_idle_session_returns_its_handle(self) -> None:
        session = await agents.Agent(model=ScriptedModel([reply("One.")])).start_session()
        turn = turn_of(await session.start_turn("1"))
        assert turn.started is True
        assert completed(await turn.result()).text == "One."

    async def test_while_another_runs_returns_busy_with_that_one(self) -> None:
        session, first, held = await busy_session()
        busy = await session.start_turn("2")
        assert isinstance(busy, agents.Busy)
        assert (busy.session_id, busy.active_turn_id, busy.turn) == (session.id, first.id, first)
        held.open()
        assert completed(await busy.turn.result()).text == "One."

    async def test_while_another_waits_returns_busy_too(self) -> None:
        model = ScriptedModel([call("look_up"), reply("Done.")])
        agent = agents.Agent(model=model, tools=[look_up], permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("1"))
        busy = await session.start_turn("2")
        assert isinstance(busy, agents.Busy)
        assert busy.active_turn_id == state.turn_id

    async def test_that_is_refused_leaves_nothing_behind(self) -> None:
        session, first, held = await busy_session(reply("Two."))
        before = await session.history()
        assert isinstance(await session.start_turn("2"), agents.Busy)
        assert await session.history() == before
        held.open()
        await first.result()
        assert completed(await session.run("3")).text == "Two."

    async def test_of_session_run_returns_busy_as_well_and_at_once(self) -> None:
        session, first, held = await busy_session()
        busy = await session.run("2")
        assert isinstance(busy, agents.Busy)
        assert busy.turn == first
        held.open()
        await first.result()

    async def test_is_atomic_whoever_starts_first(self) -> None:
        """Regression, codex#38289: between "is it idle?" and "start" the message landed in another's turn."""
        held = gate()
        session = await agents.Agent(model=ScriptedModel([reply(held, "One.")])).start_session()
        outcomes = await asyncio.gather(*(session.start_turn(str(number)) for number in range(10)))
        turns = [outcome for outcome in outcomes if isinstance(outcome, agents.Turn)]
        assert len(turns) == 1
        assert all(outcome.turn == turns[0] for outcome in outcomes if isinstance(outcome, agents.Busy))
        held.open()
        await turns[0].result()
        assert len(await session.history()) == 2

    async def test_works_again_once_the_active_one_ended(self) -> None:
        session, first, held = await busy_session(reply("Two."))
        assert isinstance(await session.start_turn("2"), agents.Busy)
        held.open()
        await first.result()
        assert completed(await session.run("2")).text == "Two."

    @pytest.mark.parametrize("content", ["", [], None, 17, {"type": "text"}, b"bytes"])
    async def test_with_what_is_no_message_is_refused(self, content: Any) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        session = await agent.start_session()
        for send in (session.start_turn, session.send_message, session.run):
            with pytest.raises(agents.SdkError, match="content"):
                await send(content)
        with pytest.raises(agents.SdkError, match="content"):
            await agent.run(content)
        assert await session.history() == ()


class TestBusy:
    """It is no state of a turn: it has no cursor, and it compares by value."""

    async def test_compares_by_value_and_matches_by_keyword(self) -> None:
        session, first, held = await busy_session()
        busy = await session.start_turn("2")
        assert busy == agents.Busy(session_id=session.id, active_turn_id=first.id, turn=session.turn(first.id))
        match busy:
            case agents.Busy(turn=turn):
                assert turn == first
            case _:
                raise AssertionError(busy)
        assert not hasattr(busy, "cursor")
        held.open()
        await first.result()
