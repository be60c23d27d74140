"""What a list of local sessions shows of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.core.facts import TurnAccepted
from mistralai.agents.core.present import agent_name, moment, protocol_error
from mistralai.agents.values.sessions import (
    CancelledTermination,
    CompletedTermination,
    FailedTermination,
    SessionInfo,
    UnknownTermination,
)

if TYPE_CHECKING:
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.values.sessions import Termination

LONGEST_TITLE = 80


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
        title=_title(session),
        created_at=moment(started.at if started else 0.0),
        updated_at=moment(state.last_at),
        termination=_termination(session),
        open_callbacks=len(state.active.open_callbacks) if state.active else 0,
    )


def _title(session: OpenSession) -> str | None:
    """The first line of the first message."""
    first = next((fact for fact in session.log if isinstance(fact, TurnAccepted)), None)
    if first is None:
        return None
    content = first.content
    text = content if isinstance(content, str) else " ".join(block.get("text") or "" for block in content)
    line = text.strip().partition("\n")[0]
    return (line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…") or None


def _termination(session: OpenSession) -> Termination | None:
    ended = session.state.ended
    match ended.termination if ended else None:
        case None:
            return None
        case "completed":
            return CompletedTermination()
        case "cancelled":
            return CancelledTermination()
        case "failed":
            return FailedTermination(error=protocol_error(ended.error if ended else None))
        case other:
            return UnknownTermination(type=other)
