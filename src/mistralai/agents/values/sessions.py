"""A session as a list shows it, and how a session ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import fresh, record

if TYPE_CHECKING:
    from datetime import datetime

    from .json_value import JsonValue
    from .protocol_error import ProtocolError


@record
class CompletedTermination:
    """The session was closed after its work was done."""


@record
class CancelledTermination:
    """A client cancelled the session."""


@record
class FailedTermination:
    """The session ended with an error."""

    error: ProtocolError
    """What failed."""


@record
class UnknownTermination:
    """The session ended in a way that this version of the SDK does not know."""

    type: str
    """The name of the ending."""
    raw: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """The rest of what was reported, as it came."""


type Termination = CompletedTermination | CancelledTermination | FailedTermination | UnknownTermination
"""How a session ended."""


@record
class SessionInfo:
    """What is known of a session without opening it."""

    session_id: str
    """The session."""
    agent_name: str
    """The agent it runs; empty where that cannot be read."""
    parent_id: str | None
    """The session that started it as a subagent; None for a root."""
    root_id: str
    """The session at the top of its tree; its own ID for a root."""
    status: str
    """`"running"` where a turn is at work, also one that stopped with its process; `"waiting"` for a message, or for
    answers where `open_callbacks` is above 0; `"terminated"` where it takes no message any more."""
    title: str | None
    """Its title; None if it has none."""
    created_at: datetime
    """When it started, in UTC."""
    updated_at: datetime
    """When something last happened in it, in UTC."""
    termination: Termination | None
    """How it ended; None while it has not. An `UnknownTermination` of type `"unreadable"` is a saved session that
    cannot be read, such as one whose journal is damaged: `raw["message"]` says why."""
    open_callbacks: int = 0
    """How many questions it waits on."""
