"""The table of `agents sessions`: a row a session, none longer than the terminal is wide."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.wording import time_left

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.cli.saved import SavedSession
    from mistralai.agents.values.sessions import SessionInfo

_HEAD = ("SESSION", "LAST", "AGENT", "NOW", "FIRST MESSAGE")
_ID = 12
"""Characters of the ID, its last, which differ from session to session; `--resume` takes them, or some of them."""
_LONGEST_NAME = 24
_DAYS_WITH_TIME = 180
"""Of what is older, the year says more than the hour."""


def session_rows(sessions: Sequence[SavedSession], width: int | None, now: datetime) -> list[str]:
    """Return the rows below their head; `width` None cuts nothing."""
    rows = [_HEAD, *(_cells(session, now) for session in sessions)]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [_fitted("  ".join(map(set_cell_size, row[:-1], widths)) + f"  {row[-1]}", width) for row in rows]


def state_of(session: SavedSession, now: datetime) -> str:
    """Say what a session does."""
    info = session.info
    if session.problem is not None:
        return "cannot be read"
    match info.status:
        case "waiting" if info.open_callbacks:
            count = f" {info.open_callbacks}" if info.open_callbacks > 1 else ""
            return f"asks{count}" + (f" ({time_left(session.expires_at, now)})" if session.expires_at else "")
        case "waiting":
            return "idle"
        case "terminated":
            return "ended"
        case "running" if session.stopped:
            return "stopped in a turn"
        case status:
            return status


def last_used(info: SessionInfo, now: datetime | None = None) -> str:
    """Say when something last happened in a session."""
    at = info.updated_at
    written = "%b %d %H:%M" if abs(((now or datetime.now(UTC)) - at).days) < _DAYS_WITH_TIME else "%b %d  %Y"
    return at.astimezone().strftime(written)


def _cells(session: SavedSession, now: datetime) -> tuple[str, ...]:
    info = session.info
    name = _fitted(one_row(info.agent_name), _LONGEST_NAME)
    said = one_row(session.problem or info.title or "")
    return info.session_id[-_ID:], last_used(info, now), name, state_of(session, now), said


def _fitted(text: str, width: int | None) -> str:
    text = text.rstrip()
    return text if width is None or cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"
