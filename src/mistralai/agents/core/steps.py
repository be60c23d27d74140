"""The question the loop asks: what is the next step of this session's turn? A pure function of its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from mistralai.agents.core import limits as usage_limits, state as phases
from mistralai.agents.core.estimate import outgrown

if TYPE_CHECKING:
    from mistralai.agents.core.facts import ErrorData
    from mistralai.agents.core.state import CallState, SessionState, TurnProgress
    from mistralai.agents.values.usage import UsageLimits

MOST_SHORTER_REPLIES: Final = 6
"""How many times in a row a reply that was cut is asked for again. Public page: Turn records, `stop_reason`."""


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds a turn; None for no bound."""

    max_iterations: int | None = None
    limits: UsageLimits | None = None
    compact_above: int | None = None
    """Tokens of context above which the history is compacted."""


class CallModel(msgspec.Struct, frozen=True):
    """Ask the model for its next reply."""


class Compact(msgspec.Struct, frozen=True):
    """Let the model summarise the older part of the history."""


class RunCalls(msgspec.Struct, frozen=True):
    """Bring these calls forward: validate, decide, ask, or run them."""

    calls: list[CallState]


class EndTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The turn is over."""

    stop_reason: str | None = None
    error: ErrorData | None = None


class StopTurn(msgspec.Struct, frozen=True):
    """The turn is to stop where it is."""

    cause: str


type Step = CallModel | Compact | RunCalls | EndTurn | StopTurn

_CALL_MODEL = CallModel()
_COMPACT = Compact()
_MOVABLE = frozenset({phases.REQUESTED, phases.PREPARED, phases.APPROVED, phases.ANSWERED})


def next_step(state: SessionState, bounds: Bounds) -> Step | None:
    """Return what the active turn does next; None where it waits, or no turn is active."""
    turn = state.active
    if turn is None:
        return None
    if turn.interrupting is not None:
        return StopTurn(turn.interrupting)
    if turn.fatal is not None:
        return _fail(turn)
    if turn.open_calls:
        movable = [call for call in turn.open_calls.values() if call.phase in _MOVABLE]
        return RunCalls(movable) if movable else None
    if turn.answered:
        return EndTurn(stop_reason="output_limit" if turn.finish == "length" else None)
    if turn.shortened > MOST_SHORTER_REPLIES:
        return EndTurn(stop_reason="output_limit")
    if bounds.max_iterations is not None and turn.model_calls >= bounds.max_iterations:
        return EndTurn(stop_reason="iteration_limit")
    if usage_limits.used_up(turn, bounds.limits):
        return EndTurn(stop_reason="usage_limit")
    if turn.too_large or outgrown(state, bounds.compact_above):
        return _COMPACT
    return _CALL_MODEL


def _fail(turn: TurnProgress) -> RunCalls | EndTurn | None:
    """A failed call fails the turn, once the calls that run or were answered beside it have their results."""
    if answered := [call for call in turn.open_calls.values() if call.phase == phases.ANSWERED]:
        return RunCalls(answered)
    if any(call.phase == phases.STARTED for call in turn.open_calls.values()):
        return None
    return EndTurn(error=turn.fatal.fatal if turn.fatal else None)
