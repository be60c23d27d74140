"""The rows of `/events`: when an event came, what it is, and what was said, called or came back in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.clean import one_row, shown_json
from mistralai.agents.cli.chat.wording import failure, spent, was_refused
from mistralai.agents.values.entries import ContextMessage, MessageEntry, ToolCallEntry, ToolResultEntry, UnknownEntry
from mistralai.agents.values.events import (
    CallbackOpened,
    CallbackResolved,
    EntryAdded,
    EntryCompleted,
    Notice,
    SessionUpdated,
    TurnEnded,
    TurnUpdated,
    UnknownEvent,
    UsageReported,
)
from mistralai.agents.values.turn_states import Completed, Failed, Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event

_KIND = 14
"""As wide as the names of the usual events."""


def event_rows(events: Iterable[Event]) -> list[str]:
    """Return a row for each event, of a whole session or from where it started on."""
    tools: dict[str, str] = {}
    rows: list[str] = []
    for event in events:
        if isinstance(event, EntryAdded | EntryCompleted) and isinstance(event.entry, ToolCallEntry):
            tools[event.entry.tool_call_id] = event.entry.name
        moment = event.created_at.astimezone().strftime("%H:%M:%S")
        rows.append(f"{moment} {type(event).__name__:<{_KIND}} {one_row(_about(event, tools))}".rstrip())
    return rows


def _about(event: Event, tools: dict[str, str]) -> str:
    match event:
        case EntryAdded(entry=entry) | EntryCompleted(entry=entry):
            return _entry(entry, tools)
        case TurnUpdated(status=status):
            return status
        case CallbackOpened(callback=callback):
            return callback.title or callback.kind
        case CallbackResolved(reason=reason):
            return reason
        case TurnEnded(state=Failed(error=error)):
            return f"Failed: {failure(error)}"
        case TurnEnded(state=Interrupted(cause=cause)):
            return f"Interrupted: {cause}"
        case TurnEnded(state=Completed(text=text)):
            return f"Completed: {text or ''}"
        case TurnEnded(state=state):
            return type(state).__name__
        case SessionUpdated():
            return ", ".join(filter(None, (event.status, event.title and f"title: {event.title}")))
        case Notice(message=message, level=level):
            return f"{level}: {message}"
        case UsageReported(usage=usage):
            return spent(usage)
        case UnknownEvent(type=name):
            return name
        case _:
            return ""


def _entry(entry: Entry, tools: dict[str, str]) -> str:
    match entry:
        case MessageEntry(role=role, text=text):
            return f"{role}: {text}"
        case ToolCallEntry(name=name, arguments=arguments):
            return f"→ {name} {shown_json(arguments)}"
        case ToolResultEntry(tool_call_id=call_id):
            return f"← {tools.get(call_id, 'a call')}{_result(entry)}"
        case ContextMessage(kind=kind, text=text):
            return f"{kind}: {text}"
        case UnknownEntry(type=name):
            return name
        case _:
            return type(entry).__name__


def _result(entry: ToolResultEntry) -> str:
    if entry.error is not None:
        return f" {'refused' if was_refused(entry) else 'failed'}: {entry.error.message}"
    if entry.structured is not None:
        return f": {shown_json(entry.structured)}"
    return f": {' '.join(getattr(block, 'text', f'[{block.type}]') for block in entry.content)}"
