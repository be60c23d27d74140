"""The table of `agents sessions`: a row a session, none longer than the terminal is wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from mistralai.agents.cli.chat.clean import one_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mistralai.agents.values.sessions import SessionInfo

_HEAD = ("SESSION", "LAST", "AGENT", "NOW", "FIRST MESSAGE")
_ID = 12
"""Characters of the ID, its last, which differ from session to session; `--resume` takes them."""
_LONGEST_NAME = 24
_DAYS_WITH_TIME = 180
"""Of what is older, the year says more than the hour."""


def session_rows(sessions: Sequence[SessionInfo], width: int | None, now: datetime) -> list[str]:
    """Return the rows below their head; `width` None cuts nothing."""
    rows = [_HEAD, *(_cells(info, now) for info in sessions)]
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [_fitted("  ".join(map(set_cell_size, row[:-1], widths)) + f"  {row[-1]}", width) for row in rows]


def state_of(info: SessionInfo) -> str:
    """Say what a session does."""
    match info.status:
        case "waiting" if info.open_callbacks:
            return f"waits for {info.open_callbacks} answer{'' if info.open_callbacks == 1 else 's'}"
        case "waiting":
            return "idle"
        case "terminated":
            return "ended"
        case status:
            return status


def _cells(info: SessionInfo, now: datetime) -> tuple[str, ...]:
    name = _fitted(one_row(info.agent_name), _LONGEST_NAME)
    return info.session_id[-_ID:], _moment(info.updated_at, now), name, state_of(info), one_row(info.title or "")


def _moment(at: datetime, now: datetime) -> str:
    written = "%b %d %H:%M" if abs((now - at).days) < _DAYS_WITH_TIME else "%b %d  %Y"
    return at.astimezone().strftime(written)


def _fitted(text: str, width: int | None) -> str:
    text = text.rstrip()
    return text if width is None or cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"
