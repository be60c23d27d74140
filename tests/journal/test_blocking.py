"""Tests that saving keeps the event loop free: what may block it for a moment is named here, with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from tests.journal.story import agent, payments, saved_in
from tests.support.blocking import ALLOWED, nothing_blocks

if TYPE_CHECKING:
    from pathlib import Path


async def story(directory: Path, teller: agents.Agent[str]) -> None:
    """Every kind of use: a session that is started, left blocked, listed, opened again, answered and ended."""
    async with saved_in(directory):
        session = await teller.start_session()
        state = await session.run("Pay.")
        assert isinstance(state, agents.Blocked)
    async with saved_in(directory):
        assert session.id in [info.session_id async for info in agents.list_sessions(host="local")]
        again = teller.session(session.id)
        await again.history()
        turn = again.turn(state.turn_id)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        assert (await turn.result()).text == "So: paid"
        await again.cancel()


class TestTheLoop:
    async def test_never_waits_for_a_disk(self, directory: Path, ledger: Path) -> None:
        await story(directory, agent(ledger))  # what is imported late is imported
        teller = agent(ledger)
        with nothing_blocks():
            await story(directory, teller)
        assert len(payments(ledger)) == 2

    async def test_would_be_caught_if_it_did(
        self, directory: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await story(directory, agent(ledger))
        monkeypatch.setattr("tests.support.blocking.ALLOWED", ALLOWED[1:])
        with nothing_blocks(), pytest.raises(Exception, match="Blocking call to"):
            await story(directory, agent(ledger))
