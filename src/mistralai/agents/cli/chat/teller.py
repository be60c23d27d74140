"""Telling a turn's events to a face: the text as it is written, tool lines with their times, and how the turn ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.face import PROMPT
from mistralai.agents.cli.chat.wording import called, came_back, ended_early, failure, is_retry, noticed, which
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall
from mistralai.agents.values.entries import ContextMessage, MessageEntry, ToolCallEntry, ToolResultEntry
from mistralai.agents.values.events import (
    CallbackOpened,
    CallbackResolved,
    EntryCompleted,
    Notice,
    TextDelta,
    TurnEnded,
    TurnStarted,
    TurnUpdated,
)
from mistralai.agents.values.turn_states import Failed

if TYPE_CHECKING:
    from datetime import datetime

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_states import TurnState

THINKING, WRITING = "thinking", "writing"


class Teller:
    """Tells one turn."""

    def __init__(self, face: Face, *, retold: bool) -> None:
        self.state: TurnState[Any] | None = None
        """How the turn ended; None while it has not."""
        self.seconds: float = 0.0
        """How long the turn took, without the time it waited for answers."""
        self._face = face
        self._retold = retold
        """Whether it is told again, so that nobody has just typed its message."""
        self._since: datetime | None = None
        """From when on the turn runs; None while it waits."""
        self._written: dict[str, str] = {}
        """By entry: the text that was shown as it came."""
        self._calls: dict[str, tuple[ToolCallEntry, datetime]] = {}
        """By call: what was called, and when it was made or allowed."""
        self._together: list[ToolCallEntry] = []
        """The calls that were made while one was open, and so come back in any order."""
        self._asked: dict[str, str] = {}
        """By callback: the call it is about."""

    @property
    def running_tools(self) -> list[str]:
        """The tools of the calls that have no result and wait for no answer."""
        waiting = set(self._asked.values())
        return [call.name for call_id, (call, _) in self._calls.items() if call_id not in waiting]

    def tell(self, event: Event) -> None:
        """Show one event."""
        match event:
            case TurnStarted():
                self._since = event.created_at
            case TextDelta(entry_id=entry_id, text=text):
                self._written[entry_id] = self._written.get(entry_id, "") + text
                self._face.busy(WRITING)
                self._face.write(text)
            case EntryCompleted(entry=entry):
                self._entry(entry)
            case CallbackOpened(callback=callback):
                self._asked[callback.id] = _call_of(callback)
                self.say_what_runs()
            case CallbackResolved(callback_id=callback_id):
                self._allowed(self._asked.pop(callback_id, ""), event.created_at)
                self.say_what_runs()
            case TurnUpdated(status=status):
                self._waits(status == "blocked", event.created_at)
            case Notice():
                self._face.line("note", noticed(event), cut=is_retry(event))
            case TurnEnded(state=state):
                self._end(state, event.created_at)
            case _:
                pass

    def _entry(self, entry: Entry) -> None:
        match entry:
            case MessageEntry(role="user", text=text):
                if self._retold:
                    self._face.line("user", f"{PROMPT}{text}")
            case MessageEntry(role="assistant", id=entry_id, text=text):
                self._rest(self._written.pop(entry_id, ""), text)
                self._face.finish()
                self.say_what_runs()
            case ToolCallEntry():
                self._together = [*self._together, entry] if self._calls else [entry]
                self._calls[entry.tool_call_id] = entry, entry.created_at
                self._face.line("tool", called(entry), cut=True)
                self.say_what_runs()
            case ToolResultEntry():
                self._result(entry)
            case ContextMessage(kind=kind):
                self._face.line("note", f"The runtime added a message to the context: {kind}")
            case _:
                pass

    def _result(self, entry: ToolResultEntry) -> None:
        call, since = self._calls.pop(entry.tool_call_id, (None, entry.created_at))
        took = (entry.created_at - since).total_seconds()
        others = [other for other in self._together if call is not None and other.name == call.name]
        self._face.line("tool", came_back(which(call, others) if call is not None else "", entry, took))
        self.say_what_runs()

    def say_what_runs(self) -> None:
        """Name the tools that run. Nothing is waited for but the person while a question is open and no tool runs."""
        if tools := self.running_tools:
            self._face.busy(f"running {', '.join(map(one_row, dict.fromkeys(tools)))}")
        else:
            self._face.busy(None if self._asked else THINKING)

    def _rest(self, written: str, text: str) -> None:
        """Show what no event told of a text that is whole now: its last pieces, or all of what a hook made of it."""
        if not text.startswith(written):
            self._face.finish()
            written = ""
        if len(text) > len(written):
            self._face.write(text[len(written) :])

    def _allowed(self, call_id: str, at: datetime) -> None:
        if call_id in self._calls:
            self._calls[call_id] = self._calls[call_id][0], at

    def _waits(self, waits: bool, at: datetime) -> None:
        if self._since is not None:
            self.seconds += (at - self._since).total_seconds()
        self._since = None if waits else at

    def _end(self, state: TurnState[Any], at: datetime) -> None:
        self._waits(True, at)
        self._face.busy(None)
        self.state = state
        self._face.finish()
        if isinstance(state, Failed):
            self._face.line("failed", failure(state.error))
        elif (early := ended_early(state)) is not None:
            self._face.line("note", early)


def _call_of(callback: OpenCallback) -> str:
    """The call that a question is about; empty for one about none."""
    match callback:
        case OpenApproval(request=request):
            return request.tool_call_id
        case OpenClientToolCall(call=call):
            return call.tool_call_id
        case _:
            return ""
