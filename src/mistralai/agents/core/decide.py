"""Deciding on commands: pure functions from a session's state and a command to facts, or to a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from mistralai.agents.authoring.permissions import canonical
from mistralai.agents.core import results
from mistralai.agents.core.commands import (
    Accepted,
    Answer,
    Cancel,
    Ended,
    Interrupt,
    KeyReused,
    NeverOpened,
    NotActive,
    Occupied,
    SendMessage,
    Settled,
    StartTurn,
    Steer,
    Unsuitable,
)
from mistralai.agents.core.facts import (
    CallbackSettled,
    CallEnded,
    ErrorData,
    InterruptRequested,
    MessageAdded,
    SessionEnded,
    TurnAccepted,
)

if TYPE_CHECKING:
    from mistralai.agents.core.commands import Refusal
    from mistralai.agents.core.facts import CallbackOpened, Content, Fact, ToolCard
    from mistralai.agents.core.state import CallbackState, SessionState, TurnProgress

type Decision = tuple[Accepted, list[Fact]] | Refusal


def decide_start(state: SessionState, command: StartTurn, at: float) -> Decision:
    """Start a turn if none is active. A key that was refused because one is stays free."""
    if (earlier := _by_key(state, command.key, command.content)) is not None:
        return earlier
    if state.ending:
        return Ended()
    if state.active is not None:
        return Occupied(state.active.turn_id)
    return Accepted(turn_id=command.turn_id, started=True), [_accepted(command, at)]


def decide_send(state: SessionState, command: SendMessage, at: float) -> Decision:
    """Start a turn, or add the message to the running one."""
    if (earlier := _by_key(state, command.key, command.content)) is not None:
        return earlier
    if state.ending:
        return Ended()
    if state.active is None:
        return Accepted(turn_id=command.turn_id, started=True), [_accepted(command, at)]
    if state.active.interrupting is not None:
        return Occupied(state.active.turn_id)  # the turn reads no more messages: the caller tries again once it ended
    turn_id = state.active.turn_id
    added = MessageAdded(at=at, turn_id=turn_id, entry_id=command.entry_id, content=command.content, key=command.key)
    return Accepted(turn_id=turn_id, started=False), [added]


def decide_steer(state: SessionState, command: Steer, at: float) -> Decision:
    """Add a message to a turn that still reads messages."""
    if state.ending:
        return Ended()
    active = state.active
    if active is None or active.turn_id != command.turn_id or active.interrupting is not None:
        return NotActive(active.turn_id if active and not active.interrupting else None)
    added = MessageAdded(at=at, turn_id=active.turn_id, entry_id=command.entry_id, content=command.content)
    return Accepted(turn_id=active.turn_id), [added]


def decide_interrupt(state: SessionState, command: Interrupt, at: float) -> Decision:
    """Stop the turn if it is the active one. The loop stops what runs and ends it."""
    if state.ended is not None:
        return Ended()
    if state.active is None or state.active.turn_id != command.turn_id:
        return NotActive(state.active.turn_id if state.active else None)
    if state.active.interrupting is not None:
        return Accepted(turn_id=command.turn_id), []
    return Accepted(turn_id=command.turn_id), _stopping(state.active, "interrupted", at)


def decide_cancel(state: SessionState, command: Cancel, at: float) -> Decision:
    """End the session: at once where no turn runs, otherwise with its turn."""
    if state.ending:
        return Accepted(), []
    if state.active is not None:
        return Accepted(), _stopping(state.active, "cancelled", at)
    return Accepted(), [SessionEnded(at=at, termination="cancelled")]


def _stopping(turn: TurnProgress, cause: str, at: float) -> list[Fact]:
    """The turn is to stop: its questions close at once, though what runs may take a while."""
    return [
        InterruptRequested(at=at, turn_id=turn.turn_id, cause=cause),
        *(
            CallbackSettled(at=at, turn_id=turn.turn_id, callback_id=callback_id, reason="turn_ended", last=False)
            for callback_id in turn.open_callbacks
        ),
    ]


def decide_answer(state: SessionState, command: Answer, at: float) -> Decision:
    """Settle an open callback: the first answer that gets here counts."""
    callback = state.callbacks.get(command.callback_id)
    if callback is None:
        return NeverOpened()
    if callback.settled is not None:
        return Settled(callback.settled.answer)
    if not _suits(command.answer, kind := callback.opened.kind):
        return Unsuitable(kind)
    facts = settle(state, callback, "answered", command.answer, command.entry_id, at)
    return Accepted(turn_id=callback.opened.turn_id), _with_same_calls(state, callback, command.answer, facts, at)


def _with_same_calls(
    state: SessionState, callback: CallbackState, answer: dict[str, Any], facts: list[Fact], at: float
) -> list[Fact]:
    """Close the other questions of the turn that this answer answers: it is for the same call all session."""
    opened = callback.opened
    if opened.kind != "approval" or answer.get("type") != "allow" or answer.get("scope") != "session":
        return facts
    turn = state.turn(opened.turn_id)
    allowed = canonical(opened.arguments if answer.get("arguments") is None else answer["arguments"])
    same = [
        other.opened
        for other in turn.open_callbacks.values()
        if other is not callback and _asks_about(other.opened, opened.tool, allowed)
    ]
    if not same:
        return facts
    all_closed = len(turn.open_callbacks) == len(same) + 1 and turn.interrupting is None
    return facts + [
        CallbackSettled(
            at=at,
            turn_id=opened.turn_id,
            callback_id=other.callback_id,
            reason="answered",
            last=all_closed and other is same[-1],
            answer={**answer, "arguments": None},
        )
        for other in same
    ]


def _asks_about(opened: CallbackOpened, tool: ToolCard | None, arguments: str) -> bool:
    if opened.kind != "approval" or opened.tool is None or tool is None or opened.tool.id != tool.id:
        return False
    return canonical(opened.arguments) == arguments


def _suits(answer: object, kind: str) -> bool:
    match answer:
        case {"type": "allow" | "deny"}:
            return kind == "approval"
        case {"type": "tool_result"}:
            return kind == "client_tool"
        case {"type": "sign_in"}:
            return kind == "sign_in"
        case _:
            return False


def decide_expire(state: SessionState, callback_id: str, entry_id: str, at: float, by: float) -> list[Fact]:
    """Close a callback that nobody answered in time; nothing if it is closed, or is still open at `by`."""
    callback = state.callbacks.get(callback_id)
    if callback is None or callback.settled is not None or callback.opened.expires_at > by:
        return []
    return settle(state, callback, "expired", None, entry_id, at)


def settle(
    state: SessionState,
    callback: CallbackState,
    reason: str,
    answer: dict[str, Any] | None,
    entry_id: str,
    at: float,
) -> list[Fact]:
    """Return the facts that close a callback, and end its call where the call does not run."""
    opened = callback.opened
    turn = state.turn(opened.turn_id)
    settled = CallbackSettled(
        at=at,
        turn_id=opened.turn_id,
        callback_id=opened.callback_id,
        reason=reason,
        last=len(turn.open_callbacks) == 1 and turn.interrupting is None,
        answer=answer,
    )
    facts: list[Fact] = [settled]
    if opened.deferred and answer is not None:
        return facts  # hooks see the answer before it becomes the result
    if opened.call_id in turn.open_calls and (ended := _result(callback, answer, entry_id, at)) is not None:
        facts.append(ended)
    return facts


def _result(callback: CallbackState, answer: dict[str, Any] | None, entry_id: str, at: float) -> CallEnded | None:
    opened = callback.opened
    turn_id, call_id = opened.turn_id, opened.call_id

    def failed(kind: str, message: str) -> CallEnded:
        error = ErrorData(message=message, code=kind)
        return CallEnded(
            at=at, turn_id=turn_id, call_id=call_id, entry_id=entry_id, kind=kind, content=message, error=error
        )

    match answer:
        case None:
            text = results.APPROVAL_EXPIRED if opened.kind == "approval" else results.CLIENT_TOOL_EXPIRED
            return failed("expired", text)
        case {"type": "deny"}:
            reason = answer.get("message")
            return failed("rejected", f"{results.REJECTED}: {reason}" if reason else f"{results.REJECTED}.")
        case {"type": "tool_result"}:
            return client_tool_result(answer, turn_id=turn_id, call_id=call_id, entry_id=entry_id, at=at)
        case _:
            return None


def client_tool_result(answer: dict[str, Any], *, turn_id: str, call_id: str, entry_id: str, at: float) -> CallEnded:
    """Return the result of a client tool's call that its answer gives."""
    result = CallEnded(
        at=at,
        turn_id=turn_id,
        call_id=call_id,
        entry_id=entry_id,
        content=answer.get("content"),
        structured=answer.get("structured"),
        metadata=answer.get("metadata"),
    )
    if not answer.get("is_error"):
        return result
    message = results.model_content(result)
    kind = answer.get("kind", "tool_error")
    error = ErrorData(message=message if isinstance(message, str) else "The tool failed.", code=kind)
    fatal = answer.get("fatal")
    code = "tool_output_schema_mismatch" if kind == "output_mismatch" else "tool_raised"
    return structs.replace(
        result, kind=kind, error=error, fatal=ErrorData(message=str(fatal), code=code) if fatal else None
    )


def _accepted(command: StartTurn | SendMessage, at: float) -> TurnAccepted:
    return TurnAccepted(
        at=at, turn_id=command.turn_id, entry_id=command.entry_id, content=command.content, key=command.key
    )


def _by_key(state: SessionState, key: str | None, content: Content) -> Decision | None:
    if key is None or (earlier := state.keys.get(key)) is None:
        return None
    turn_id, message, started = earlier
    if message != content:
        return Ended() if state.ended else KeyReused(key)
    return Accepted(turn_id=turn_id, started=started), []
