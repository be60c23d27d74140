"""Reopening a session: what its log is told of the process that stopped. The loop then takes the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.core import results, state as phases
from mistralai.agents.core.facts import (
    CallEnded,
    CallResumed,
    ErrorData,
    NoticeGiven,
    ReplyEnded,
    ReplyOpened,
    SessionEnded,
    TurnEnded,
)
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.state import CallState, SessionState, TurnProgress


def recover(state: SessionState, log: Sequence[Fact], at: float, repair: str | None = None) -> list[Fact]:
    """Return the facts that a reopened log goes on with; none where nothing was cut off.

    A callback stays open with its deadline, an answer stays given, and the model is simply asked again. A tool that
    had started runs again only where that is harmless: otherwise its outcome is not known.
    """
    facts: list[Fact] = []
    if repair is not None:
        facts.append(NoticeGiven(at=at, message=repair, level="warning", details={"status": "repaired"}))
    turn = state.active
    if turn is None:
        if state.started is not None and state.started.ends_with_turn and not state.turns and state.ended is None:
            facts.append(SessionEnded(at=at, termination="cancelled"))  # its caller is gone and never got a turn
        return facts
    cut = _open_reply(log, turn)
    if cut is not None:
        facts.append(
            ReplyEnded(at=at, turn_id=turn.turn_id, entry_id=cut.entry_id, opened=True, text="", finish="crashed")
        )
    unknown: list[CallState] = []
    again: list[CallState] = []
    if turn.interrupting is None:
        for call in turn.open_calls.values():
            if call.phase == phases.STARTED:
                (again if call.repeatable else unknown).append(call)
    facts += [_unknown(turn, call, at) for call in unknown]
    facts += [CallResumed(at=at, turn_id=turn.turn_id, call_id=call.call.call_id) for call in again]
    if not turn.open_callbacks or unknown or again or cut is not None:
        facts.insert(0, _notice(turn, unknown, again, cut, at))
    return facts


def _open_reply(log: Sequence[Fact], turn: TurnProgress) -> ReplyOpened | None:
    """Return the reply that was being written; None for none."""
    for fact in reversed(log):
        if isinstance(fact, ReplyEnded | TurnEnded):
            return None
        if isinstance(fact, ReplyOpened):
            return fact if fact.turn_id == turn.turn_id else None
    return None


def _unknown(turn: TurnProgress, call: CallState, at: float) -> CallEnded:
    return CallEnded(
        at=at,
        turn_id=turn.turn_id,
        call_id=call.call.call_id,
        entry_id=uuid7(),
        kind="unknown_outcome",
        content=results.UNKNOWN_OUTCOME,
        error=ErrorData(message=results.UNKNOWN_OUTCOME, code="unknown_outcome"),
    )


def _notice(
    turn: TurnProgress, unknown: list[CallState], again: list[CallState], cut: ReplyOpened | None, at: float
) -> NoticeGiven:
    said = "The process that ran this session stopped during a turn."
    details: dict[str, Any] = {"status": "recovered", "turn_id": turn.turn_id}
    if unknown:
        named = [call.call.tool_id for call in unknown]
        details["unknown_outcome"] = [call.call.call_id for call in unknown]
        said += f" Whether {', '.join(named)} took effect is not known, and it was not run again."
    if again:
        named = [call.call.tool_id for call in again]
        details["run_again"] = [call.call.call_id for call in again]
        said += f" {', '.join(named)} had started and runs again, as it may be repeated."
    if cut is not None:
        details["reply_cut"] = cut.entry_id
        said += " The reply that was being written is lost, and the model is asked again."
    said += " The turn is being stopped, as was asked." if turn.interrupting else " The turn goes on here."
    return NoticeGiven(at=at, message=said, level="warning" if unknown else "info", details=details)
