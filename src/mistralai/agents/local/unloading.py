"""Letting go of open sessions without ending them: what runs may end for a moment, the rest leaves no trace."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from mistralai.agents.core import state as phases
from mistralai.agents.core.stopping import GRACE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mistralai.agents.core.ports import Journal
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.works import Work

LAST_WAIT_SECONDS: Final = 0.5
"""How long is waited for tasks that were cancelled."""


def hold(session: OpenSession) -> None:
    """Let the session take no further step."""
    session.unloading = True
    for timer in (session.expiry, session.stop_timer):
        if timer is not None:
            timer.cancel()


async def quiet(sessions: Sequence[OpenSession]) -> None:
    """Hold sessions, and return when nothing of them runs. A tool gets time to end, so that its outcome is known."""
    tools: list[Work] = []
    others: list[Work] = []
    for session in sessions:
        hold(session)
        calls = session.state.active.open_calls if session.state.active else {}
        for key, work in session.works.items():
            runs = key in calls and calls[key].phase == phases.STARTED
            (tools if runs else others).append(work)
    cancelled = cancel_works(others)
    if running := {work.task for work in tools if work.task is not None}:
        await asyncio.wait(running, timeout=GRACE_SECONDS)
        cancelled |= cancel_works(tools)
    if cancelled:
        await asyncio.wait(cancelled, timeout=LAST_WAIT_SECONDS)


def cancel_works(works: Iterable[Work]) -> set[asyncio.Task[None]]:
    """Cancel what still runs of these works, and return its tasks. Nothing is written of it."""
    tasks: set[asyncio.Task[None]] = set()
    for work in works:
        work.stopping = True
        if work.task is not None and not work.task.done() and work.task is not asyncio.current_task():
            work.task.cancel()
            tasks.add(work.task)
    return tasks


def close_all(journals: Iterable[Journal | None]) -> None:
    """Commit and close journals. May take a while."""
    for journal in journals:
        if journal is not None:
            journal.sync_and_close()
