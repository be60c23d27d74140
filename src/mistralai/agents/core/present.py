"""Facts as users read them: records, events, callbacks. What needs a handle is added above."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from mistralai.agents.core.effects import ran
from mistralai.agents.core.entries import (
    call_entry,
    context_entry,
    imported_entries,
    message_entry,
    reasoning_entry,
    result_entry,
)
from mistralai.agents.core.facts import (
    CallbackOpened,
    CallbackSettled,
    CallEnded,
    HistoryCompacted,
    MessageAdded,
    NoticeGiven,
    ReplyEnded,
    ReplyOpened,
    SessionEnded,
    SessionStarted,
    TurnAccepted,
    TurnEnded,
)
from mistralai.agents.core.json_copy import copied
from mistralai.agents.core.positions import Position, cursor, end_of
from mistralai.agents.values.callbacks import OpenApproval, OpenCallback, OpenClientToolCall, OpenSignIn
from mistralai.agents.values.events import (
    CallbackOpened as CallbackOpenedEvent,
    CallbackResolved,
    EntryAdded,
    EntryCompleted,
    Event,
    Notice,
    SessionUpdated,
    TurnEnded as TurnEndedEvent,
    TurnStarted,
    TurnUpdated,
    UsageReported,
)
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.requests import ApprovalRequest, ApprovalTool, ClientToolCall, SignInRequest
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.turn_states import Blocked, Completed, Failed, Interrupted, Running
from mistralai.agents.values.usage import TokenUsage
from mistralai.agents.values.wire import from_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.facts import Content, ErrorData, Fact, UsageData
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import TurnProgress
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.turn_states import TurnState

LONGEST_TITLE: Final = 80


def turn_state(session: OpenSession, turn: TurnProgress, at: str | None = None) -> TurnState[str]:
    """Return the record of a turn. `at` is its cursor; None for the end of the log as it is now."""
    at = at or cursor(session.session_id, end_of(session))
    ids: dict[str, Any] = {"session_id": session.session_id, "turn_id": turn.turn_id, "cursor": at}
    end = turn.end
    if end is None:
        live = session.live.text() if session.live and session.state.active is turn else ""
        text = live or turn.text
        if turn.open_callbacks:
            callbacks = tuple(open_callback(session, callback.opened) for callback in turn.open_callbacks.values())
            return Blocked(**ids, text=text, callbacks=callbacks)
        return Running(**ids, text=text)
    if end.outcome == "interrupted":
        return Interrupted(**ids, text=end.text, cause=end.cause or "interrupted")
    if end.outcome == "failed":
        assert end.error is not None
        return Failed(**ids, text=end.text, error=protocol_error(end.error))
    calls = tuple(ToolCall(call.call.tool_id, copied(call.arguments)) for call in turn.calls)
    return Completed[str](**ids, text=end.text, output=end.text or "", stop_reason=end.stop_reason, tool_calls=calls)


def open_callback(session: OpenSession, opened: CallbackOpened) -> OpenCallback:
    """Return a callback as it is shown while it is open."""
    ids: dict[str, Any] = {
        "id": opened.callback_id,
        "session_id": session.session_id,
        "turn_id": opened.turn_id,
        "kind": opened.kind,
        "title": opened.title,
    }
    if opened.kind == "sign_in":
        return OpenSignIn(**ids, requests=tuple(from_data(SignInRequest, request) for request in opened.requests))
    tool = opened.tool
    assert tool is not None
    name = agent_name(session)
    if opened.kind == "client_tool":
        call = ClientToolCall(
            tool_id=tool.id,
            name=tool.name,
            arguments=copied(opened.arguments),
            tool_call_id=opened.call_id,
            session_id=session.session_id,
            turn_id=opened.turn_id,
            callback_id=opened.callback_id,
            agent_name=name,
        )
        return OpenClientToolCall[Any, Any](**ids, call=call)
    request = ApprovalRequest(
        tool=approval_tool(opened),
        arguments=copied(opened.arguments),
        tool_call_id=opened.call_id,
        session_id=session.session_id,
        turn_id=opened.turn_id,
        agent_name=name,
        expires_at=moment(opened.expires_at),
    )
    return OpenApproval(**ids, request=request)


def approval_tool(opened: CallbackOpened) -> ApprovalTool:
    """Return what a person is shown of the tool."""
    from mistralai.agents.values.annotations import ToolAnnotations

    tool = opened.tool
    assert tool is not None
    return ApprovalTool(
        id=tool.id,
        name=tool.name,
        description=tool.description or None,
        annotations=from_data(ToolAnnotations, tool.annotations),
        input_schema=copied(tool.input_schema),
    )


def events_of(session: OpenSession, index: int) -> list[Event]:
    """Return the events of one fact of the log, in order."""
    fact = session.log[index]
    present = _PRESENTERS.get(type(fact))
    return present(_Frame(session, index, fact), fact) if present is not None else []


def protocol_error(error: ErrorData) -> ProtocolError:
    """Return an error as users read it."""
    return ProtocolError(
        message=error.message, code=error.code, retryable=error.retryable, details=copied(error.details)
    )


def token_usage(usage: UsageData | None) -> TokenUsage:
    """Return token counts as users read them; zeros for none."""
    if usage is None:
        return TokenUsage(input_tokens=0, output_tokens=0, total_tokens=0)
    return TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.input_tokens + usage.output_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )


def moment(at: float) -> datetime:
    """Return a time of the log as users read it, in UTC."""
    return datetime.fromtimestamp(at, UTC)


def title_of(content: Content | None) -> str | None:
    """Return the title that a session's first message gives it: the first line; None where it has no text."""
    if content is None:
        return None
    text = content if isinstance(content, str) else " ".join(block.get("text") or "" for block in content)
    line = text.strip().partition("\n")[0]
    return (line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…") or None


def agent_name(session: OpenSession) -> str:
    """Return the name of the session's agent."""
    started = session.state.started
    return started.agent_name if started else ""


class _Frame:
    """What the events of one fact have in common."""

    __slots__ = ("base", "count", "index", "session")

    def __init__(self, session: OpenSession, index: int, fact: Fact) -> None:
        self.session = session
        self.index = index
        self.count = 0
        turn_id: str | None = getattr(fact, "turn_id", None)
        self.base: dict[str, Any] = {
            "session_id": session.session_id,
            "turn_id": turn_id,
            "created_at": moment(fact.at),
        }

    def event[E: Event](self, kind: Callable[..., E], **fields: Any) -> E:
        return kind(id=self.next_id(), **self.base, **fields)

    def session_status(self, status: str, title: str | None = None) -> SessionUpdated:
        base: dict[str, Any] = {**self.base, "turn_id": None}  # it concerns the session, though a turn is the cause
        return SessionUpdated(id=self.next_id(), **base, status=status, title=title, archived=None)

    def next_id(self) -> str:
        at = cursor(self.session.session_id, Position(self.index, self.count))
        self.count += 1
        return at

    def entry(self, entry: Entry) -> list[Event]:
        return [self.event(EntryAdded, entry=entry), self.event(EntryCompleted, entry=entry)]


def _session_started(frame: _Frame, fact: SessionStarted) -> list[Event]:
    return [event for entry in imported_entries(fact) for event in frame.entry(entry)]


def _notice(frame: _Frame, fact: NoticeGiven) -> list[Event]:
    return [frame.event(Notice, message=fact.message, level=fact.level, details=copied(fact.details))]


def _turn_accepted(frame: _Frame, fact: TurnAccepted) -> list[Event]:
    first = next(iter(frame.session.state.turns)) == fact.turn_id
    return [
        frame.session_status("running", title_of(fact.content) if first else None),
        frame.event(TurnStarted),
        *frame.entry(message_entry(fact.entry_id, fact.turn_id, fact.at, "user", fact.content)),
    ]


def _message_added(frame: _Frame, fact: MessageAdded) -> list[Event]:
    return frame.entry(message_entry(fact.entry_id, fact.turn_id, fact.at, "user", fact.content))


def _reply_opened(frame: _Frame, fact: ReplyOpened) -> list[Event]:
    return [frame.event(EntryAdded, entry=message_entry(fact.entry_id, fact.turn_id, fact.at, "assistant", ""))]


def _reply_ended(frame: _Frame, fact: ReplyEnded) -> list[Event]:
    events: list[Event] = []
    if fact.entry_id:
        entry = message_entry(fact.entry_id, fact.turn_id, fact.at, "assistant", fact.text)
        if not fact.opened:
            events.append(frame.event(EntryAdded, entry=entry))
        events.append(frame.event(EntryCompleted, entry=entry))
    for block in fact.reasoning:
        events += frame.entry(reasoning_entry(block, fact.turn_id, fact.at))
    for call in fact.calls:
        events += frame.entry(call_entry(call, fact.turn_id, fact.at))
    if fact.usage is not None:
        events.append(frame.event(UsageReported, usage=token_usage(fact.usage)))
    return events


def _callback_opened(frame: _Frame, fact: CallbackOpened) -> list[Event]:
    opened: list[Event] = [frame.event(CallbackOpenedEvent, callback=open_callback(frame.session, fact))]
    if fact.first:
        opened += [frame.event(TurnUpdated, status="blocked"), frame.session_status("waiting")]
    return opened


def _callback_settled(frame: _Frame, fact: CallbackSettled) -> list[Event]:
    settled: list[Event] = [frame.event(CallbackResolved, callback_id=fact.callback_id, reason=fact.reason)]
    if fact.last:
        settled += [frame.event(TurnUpdated, status="running"), frame.session_status("running")]
    return settled


def _call_ended(frame: _Frame, fact: CallEnded) -> list[Event]:
    if fact.error is None:
        return frame.entry(result_entry(fact, None))
    details = {**(fact.error.details or {}), "ran": ran(frame.session.state, fact)}
    return frame.entry(result_entry(fact, protocol_error(structs.replace(fact.error, details=details))))


def _history_compacted(frame: _Frame, fact: HistoryCompacted) -> list[Event]:
    entry = context_entry(fact.entry_id, fact.turn_id, fact.at, "summary", fact.summary)
    return [*frame.entry(entry), frame.event(UsageReported, usage=token_usage(fact.usage))]


def _turn_ended(frame: _Frame, fact: TurnEnded) -> list[Event]:
    session = frame.session
    at = cursor(session.session_id, Position(frame.index, 0))
    state = turn_state(session, session.state.turn(fact.turn_id), at)
    return [frame.event(TurnEndedEvent, state=state), frame.session_status("waiting")]


def _session_ended(frame: _Frame, _: SessionEnded) -> list[Event]:
    return [frame.session_status("terminated")]


_PRESENTERS: dict[type[Fact], Callable[[_Frame, Any], list[Event]]] = {
    SessionStarted: _session_started,
    NoticeGiven: _notice,
    TurnAccepted: _turn_accepted,
    MessageAdded: _message_added,
    ReplyOpened: _reply_opened,
    ReplyEnded: _reply_ended,
    CallbackOpened: _callback_opened,
    CallbackSettled: _callback_settled,
    CallEnded: _call_ended,
    HistoryCompacted: _history_compacted,
    TurnEnded: _turn_ended,
    SessionEnded: _session_ended,
}
