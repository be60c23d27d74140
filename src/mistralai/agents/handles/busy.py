"""`Busy`: a turn was not started, because another one is active. It holds the handle of that one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from mistralai.agents.handles.turn import Turn


@record
class Busy:
    """Another turn of the session is active, so none was started. Public page: Turn records."""

    session_id: str
    """The session's ID."""
    active_turn_id: str
    """The active turn's ID."""
    turn: Turn
    """The active turn, to follow, steer or interrupt it."""

    @property
    def text(self) -> None:
        """None, as in a record of a turn without text: what `run` returns can be read for its text in every case."""
