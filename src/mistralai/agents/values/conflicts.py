"""Refusals that are values: a request named a turn that is not the active one."""

from __future__ import annotations

from .record import record


@record
class TurnConflict:
    """The turn named is no longer the session's active one; nothing was applied. Public page: Turn records."""

    session_id: str
    """The session."""
    expected_turn_id: str
    """The turn the request named."""
    active_turn_id: str | None
    """The turn that is active; None if none is."""
