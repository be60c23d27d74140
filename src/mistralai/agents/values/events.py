"""What a reader of a session's log is told, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .record import fresh, record

if TYPE_CHECKING:
    from datetime import datetime

    from .callbacks import OpenCallback
    from .entries import Entry
    from .json_value import JsonValue
    from .turn_states import TurnState
    from .usage import TokenUsage


@record
class Event:
    """Something that happened in a session."""

    id: str
    """The event's position in the log: a cursor."""
    session_id: str
    """The session."""
    turn_id: str | None
    """The turn; None for what concerns the session as a whole."""
    created_at: datetime
    """When it happened, in UTC."""


@record
class TurnStarted(Event):
    """A turn started."""


@record
class TurnUpdated(Event):
    """A turn began to wait, or went on."""

    status: str
    """`"running"`, `"blocked"`, or a newer status."""


@record
class CallbackOpened(Event):
    """A turn asks a question."""

    callback: OpenCallback
    """The question."""


@record
class CallbackResolved(Event):
    """A question is no longer open."""

    callback_id: str
    """The callback."""
    reason: str
    """Why it closed: `"answered"`, `"expired"`, `"turn_ended"`, or a newer reason."""


@record
class TurnEnded(Event):
    """A turn ended. Nothing of this turn follows."""

    state: TurnState[Any]
    """How it ended."""


@record
class SessionUpdated(Event):
    """Something about the session changed. What is None did not."""

    status: str | None = None
    """The new status: `"running"`, `"waiting"` or `"terminated"`."""
    title: str | None = None
    """The new title."""
    archived: bool | None = None
    """Whether the session is archived now."""


@record
class Notice(Event):
    """The runtime has something to say, such as that a connector is missing."""

    message: str
    """What there is to say."""
    level: str = "info"
    """`"info"`, `"warning"` or `"error"`."""
    details: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """Data beside the message."""


@record
class EntryAdded(Event):
    """An entry joined the history. An assistant's message joins at its first words."""

    entry: Entry
    """The entry as it is so far."""


@record
class EntryCompleted(Event):
    """An entry will not change any more."""

    entry: Entry
    """The whole entry."""


@record
class TextDelta(Event):
    """The assistant wrote some more text."""

    entry_id: str
    """The entry that grows."""
    text: str
    """What is new."""


@record
class UsageReported(Event):
    """A model call reported what it used."""

    usage: TokenUsage
    """The tokens of that one call."""


@record
class UnknownEvent(Event):
    """An event of a type that has no class here."""

    type: str
    """The type of the event."""
    raw: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """The rest of what was reported, as it came."""
