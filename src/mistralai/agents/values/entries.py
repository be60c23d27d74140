"""The history of a session: messages, calls and results, as readers see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import fresh, record

if TYPE_CHECKING:
    from datetime import datetime

    from .content import ContentBlock
    from .json_value import JsonValue
    from .protocol_error import ProtocolError


@record
class Entry:
    """An entry of a session's history."""

    id: str
    """The entry."""
    turn_id: str | None
    """The turn it belongs to; None outside of any turn, as for an imported history."""
    created_at: datetime
    """When it was added, in UTC."""


@record
class MessageEntry(Entry):
    """A message of the user, the assistant or the system."""

    role: str
    """`"user"`, `"assistant"`, `"system"`, or a newer role."""
    content: tuple[ContentBlock, ...]
    """What was said, block by block."""
    text: str
    """The text of `content`; empty if it has none."""


@record
class ContextMessage(Entry):
    """A message the runtime put into the model's context: a summary, a note. Nobody said it."""

    kind: str
    """What the message is for, such as `"summary"`."""
    source: str | None
    """What put it there; None if it is not known."""
    text: str
    """The text of `content`."""
    content: tuple[ContentBlock, ...] = ()
    """What the model reads, block by block."""


@record
class ToolCallEntry(Entry):
    """A tool call the model, or a program the model wrote, made."""

    tool_call_id: str
    """The call."""
    tool_id: str
    """The tool's full ID; the model's name for it where no tool has it."""
    name: str
    """The name the model called."""
    arguments: JsonValue
    """The arguments; the raw text where that is not JSON."""
    parent_call_id: str | None = None
    """The call of the program that made this one; None for a call of the model's own."""


@record
class ToolResultEntry(Entry):
    """What came of a tool call. Every call has exactly one result."""

    tool_call_id: str
    """The call."""
    content: tuple[ContentBlock, ...]
    """The result as content blocks; empty if it has none."""
    structured: JsonValue
    """The result as data, for programs and clients; None if it has none."""
    error: ProtocolError | None
    """Why the call failed; None if it did not."""
    metadata: dict[str, JsonValue] | None
    """Data for clients, which the model never sees; None if there is none."""


@record
class UnknownEntry(Entry):
    """An entry of a type that has no class here."""

    type: str
    """The type of the entry."""
    raw: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """The rest of what was reported, as it came."""
