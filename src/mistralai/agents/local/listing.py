"""Listing local sessions: those that are open, then those that are only saved, and what is shown of each."""

from __future__ import annotations

import contextvars
from functools import partial
from itertools import batched
from typing import TYPE_CHECKING

from mistralai.agents.core.facts import TurnAccepted
from mistralai.agents.core.present import agent_name, moment, protocol_error, title_of
from mistralai.agents.values.sessions import (
    CancelledTermination,
    CompletedTermination,
    FailedTermination,
    SessionInfo,
    UnknownTermination,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mistralai.agents.core.facts import ErrorData
    from mistralai.agents.core.ports import SavedSummary
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.local.runtime import Runtime
    from mistralai.agents.local.saving import SavedSessions
    from mistralai.agents.values.sessions import Termination

UNREADABLE = "unreadable"
"""The type of the termination that a list shows for a session which cannot be read."""
_AT_ONCE = 64
"""How many saved sessions are looked up in one go, off the event loop."""


async def session_infos(runtime: Runtime, only: str | None = None) -> AsyncIterator[SessionInfo]:
    """Yield the sessions of a runtime, newest first, its saved ones too; with `only`, the one of this id."""
    if runtime.saved is None:
        for session in reversed(list(runtime.sessions.values())):
            if only is None or session.session_id == only:
                yield session_info(session)
        return
    async for info in _with_saved(runtime, runtime.saved, only):
        yield info


async def _with_saved(runtime: Runtime, saved: SavedSessions, only: str | None) -> AsyncIterator[SessionInfo]:
    def look_up(ids: tuple[str, ...]) -> list[SavedSummary | None]:
        return [None if session_id in runtime.sessions else saved.journals.summary(session_id) for session_id in ids]

    if only is None:
        listed = await runtime.threads.run(saved.journals.ids, contextvars.Context())
        ids = sorted({*listed, *runtime.sessions}, reverse=True)  # ids sort by the time they were made
    else:
        ids = [only]
    for batch in batched(ids, _AT_ONCE):
        summaries = await runtime.threads.run(partial(look_up, batch), contextvars.Context())
        for session_id, summary in zip(batch, summaries, strict=True):
            if (session := runtime.sessions.get(session_id)) is not None:
                await session.told(vital=False)
                yield session_info(session)
            elif summary is not None:
                yield saved_info(summary)


def session_info(session: OpenSession) -> SessionInfo:
    """Return a session as a list shows it."""
    state = session.state
    started = state.started
    return SessionInfo(
        session_id=session.session_id,
        agent_name=agent_name(session),
        parent_id=None,
        root_id=session.session_id,
        status=state.status,
        title=title_of(next((fact.content for fact in session.log if isinstance(fact, TurnAccepted)), None)),
        created_at=moment(started.at if started else 0.0),
        updated_at=moment(state.last_at),
        termination=_termination(state.ended.termination, state.ended.error) if state.ended else None,
        open_callbacks=len(state.active.open_callbacks) if state.active else 0,
    )


def saved_info(summary: SavedSummary) -> SessionInfo:
    """Return a saved session that is not open as a list shows it."""
    if summary.problem is not None:
        termination: Termination | None = UnknownTermination(type=UNREADABLE, raw={"message": summary.problem})
    else:
        termination = _termination(summary.ended, summary.error) if summary.ended else None
    return SessionInfo(
        session_id=summary.session_id,
        agent_name=summary.about.get("agent", {}).get("name", ""),
        parent_id=None,
        root_id=summary.session_id,
        status=summary.status,
        title=title_of(summary.first_message),
        created_at=moment(summary.started_at),
        updated_at=moment(summary.updated_at),
        termination=termination,
        open_callbacks=summary.open_callbacks,
    )


def _termination(kind: str, error: ErrorData | None) -> Termination:
    match kind:
        case "completed":
            return CompletedTermination()
        case "cancelled":
            return CancelledTermination()
        case "failed" if error is not None:
            return FailedTermination(error=protocol_error(error))
        case other:
            return UnknownTermination(type=other)
