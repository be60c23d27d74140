"""Whether a call that failed had run, as far as the log can tell. Its error says so in `details["ran"]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mistralai.agents.core.facts import CallEnded
    from mistralai.agents.core.state import SessionState

_RAN: Final = frozenset({"tool_error", "raised", "output_mismatch"})
"""The kinds that tell how a call ended which had begun."""


def ran(state: SessionState, ended: CallEnded) -> str:
    """Return "yes"; "no"; or "unknown" for a call that had begun, on a client perhaps, and nobody saw it end."""
    if ended.kind == "rejected" or not _had_begun(state, ended):  # who is asked to run it may refuse
        return "no"
    return "yes" if ended.kind in _RAN else "unknown"


def _had_begun(state: SessionState, ended: CallEnded) -> bool:
    """Whether the tool was started, or a client was asked to run it."""
    if any(call.started for call in state.turn(ended.turn_id).calls if call.call.call_id == ended.call_id):
        return True
    asked = (callback.opened for callback in state.callbacks.values())
    return any(
        opened.kind == "client_tool" and (opened.turn_id, opened.call_id) == (ended.turn_id, ended.call_id)
        for opened in asked
    )
