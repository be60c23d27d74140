"""Positions in a log and the cursors that name them to users."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mistralai.agents.values.errors import InvalidCursorError

if TYPE_CHECKING:
    from mistralai.agents.core.session import OpenSession


class Position(NamedTuple):
    """A place in a log between two events, named by the one before it."""

    fact: int
    """The fact's index in the log."""
    event: int
    """The event's place among those of its fact."""
    offset: int = 0
    """Characters read of the reply that was being written at that point."""


START = Position(-1, 0)
"""Before the first event."""


def cursor(session_id: str, position: Position) -> str:
    """Return the cursor of a position: the id of the event before it."""
    fact, event, offset = position
    text = f"{session_id[-12:]}-{fact}"
    if event:
        text += f":{event}"
    return f"{text}.{offset}" if offset else text


def position_of(session: OpenSession, text: str) -> Position:
    """Return the position a cursor names. Raises InvalidCursorError for another session's, or one past the end."""
    tag, _, rest = text.rpartition("-")
    try:
        rest, _, offset = rest.partition(".")
        fact, _, event = rest.partition(":")
        position = Position(int(fact), int(event or 0), int(offset or 0))
    except ValueError:
        raise InvalidCursorError(
            f"Cursor {text!r} is not a position in session {session.session_id}. "
            "Pass the id of one of its events, or a record of it."
        ) from None
    if tag != session.session_id[-12:]:
        raise InvalidCursorError(
            f"Cursor {text!r} belongs to another session than {session.session_id}. "
            "Pass the id of one of this session's events."
        )
    if not _reached(session, position):
        raise InvalidCursorError(
            f"Cursor {text!r} lies past the end of session {session.session_id}. "
            "Read the session again from an earlier cursor."
        )
    return position


def end_of(session: OpenSession) -> Position:
    """Return the position after everything a reader can get now, the reply being written included."""
    fact, event = session.state.last_event
    live = session.live
    if live is None or live.length == live.shown_before(fact):
        return Position(fact, event)  # the fact's own event is the last one: no text came after it
    return Position(fact, event, live.length)


def _reached(session: OpenSession, position: Position) -> bool:
    """Whether the session has come so far. Of a reply that is complete, any offset will do."""
    fact, event, offset = position
    if not 0 <= fact < len(session.log) or not 0 <= event < max(1, session.log[fact].width()):
        return False
    live = session.live
    return 0 <= offset <= live.length if live is not None and fact >= live.position else offset >= 0
