"""Entries as users read them: messages, calls, results and imported history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from mistralai.agents.core.json_copy import copied
from mistralai.agents.values.content import ContentBlock, TextContentBlock
from mistralai.agents.values.entries import (
    ContextMessage,
    Entry,
    MessageEntry,
    ToolCallEntry,
    ToolResultEntry,
    UnknownEntry,
)
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.wire import from_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mistralai.agents.core.facts import CallEnded, Content, ImportedEntry, Reasoning, RequestedCall, SessionStarted

_READ_BLOCKS: TypeAdapter[tuple[ContentBlock, ...]] = TypeAdapter(tuple[ContentBlock, ...])


def message_entry(entry_id: str, turn_id: str | None, at: float, role: str, content: Content) -> MessageEntry:
    """Return a message of the user or the assistant."""
    blocks = _blocks(content)
    return MessageEntry(
        id=entry_id, turn_id=turn_id, created_at=_moment(at), role=role, content=blocks, text=_text(content)
    )


def context_entry(entry_id: str, turn_id: str | None, at: float, kind: str, text: str) -> ContextMessage:
    """Return a message that the runtime wrote."""
    return ContextMessage(
        id=entry_id,
        turn_id=turn_id,
        created_at=_moment(at),
        kind=kind,
        source="runtime",
        text=text,
        content=_blocks(text),
    )


def call_entry(call: RequestedCall, turn_id: str, at: float) -> ToolCallEntry:
    """Return a tool call as the model made it."""
    return ToolCallEntry(
        id=call.entry_id,
        turn_id=turn_id,
        created_at=_moment(at),
        tool_call_id=call.call_id,
        tool_id=call.tool_id,
        name=call.name,
        arguments=copied(call.arguments),
    )


def result_entry(result: CallEnded, error: ProtocolError | None) -> ToolResultEntry:
    """Return the result of a call."""
    return ToolResultEntry(
        id=result.entry_id,
        turn_id=result.turn_id,
        created_at=_moment(result.at),
        tool_call_id=result.call_id,
        content=_blocks(result.content) if result.content is not None else (),
        structured=copied(result.structured),
        error=error,
        metadata=copied(result.metadata),
    )


def reasoning_entry(block: Reasoning, turn_id: str, at: float) -> UnknownEntry:
    """Return a block of reasoning. It has no class of its own: its type is "reasoning"."""
    return UnknownEntry(
        id=block.entry_id,
        turn_id=turn_id,
        created_at=_moment(at),
        type="reasoning",
        raw={"text": block.text, **copied(block.data)},
    )


def imported_entries(started: SessionStarted) -> Iterator[Entry]:
    """Return the entries of the history a session was started with."""
    for entry in started.history:
        yield _imported(entry, started.at)


def _imported(entry: ImportedEntry, at: float) -> Entry:
    data = entry.data
    ids: dict[str, Any] = {"id": entry.entry_id, "turn_id": None, "created_at": _moment(at)}
    match data["type"]:
        case "message":
            return message_entry(entry.entry_id, None, at, data["role"], data["content"])
        case "reasoning":
            return UnknownEntry(**ids, type="reasoning", raw={"text": data["text"]})
        case "tool_call":
            return ToolCallEntry(
                **ids,
                tool_call_id=data["tool_call_id"],
                tool_id=data["name"],
                name=data["name"],
                arguments=copied(data.get("arguments")),
            )
        case "tool_result":
            error = data.get("error")
            return ToolResultEntry(
                **ids,
                tool_call_id=data["tool_call_id"],
                content=(),
                structured=copied(data.get("result")),
                error=from_data(ProtocolError, error) if error else None,
                metadata=copied(data.get("annotations")) or None,
            )
        case _:
            raw = {"message": f"{data['task_name']}:{data['snapshot_type']}", "details": copied(data.get("value"))}
            return UnknownEntry(**ids, type="checkpoint", raw=raw)


def _blocks(content: Content) -> tuple[ContentBlock, ...]:
    if isinstance(content, str):
        return (TextContentBlock(text=content),) if content else ()
    return _READ_BLOCKS.validate_python(content)


def _text(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text") or "" for block in content if block.get("type") == "text")


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
