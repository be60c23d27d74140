"""Commands on a session, and why one is refused. Ids are chosen by the place, so that deciding is pure."""

from __future__ import annotations

from typing import Any

import msgspec

from mistralai.agents.core.facts import Content  # noqa: TC001  # msgspec reads the hints at run time


class StartTurn(msgspec.Struct, frozen=True, kw_only=True):
    """Start a turn, only if none is active."""

    turn_id: str
    entry_id: str
    content: Content
    key: str | None = None


class SendMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Start a turn, or add the message to the running one."""

    turn_id: str
    entry_id: str
    content: Content
    key: str | None = None


class Steer(msgspec.Struct, frozen=True, kw_only=True):
    """Add a message to this turn, only if it is the active one."""

    turn_id: str
    entry_id: str
    content: Content


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer an open callback."""

    callback_id: str
    answer: dict[str, Any]
    """The answer's JSON form, with its `type`."""
    entry_id: str
    """The entry of the call's result, where the answer ends the call."""


class Interrupt(msgspec.Struct, frozen=True, kw_only=True):
    """Stop this turn, only if it is the active one."""

    turn_id: str


class Cancel(msgspec.Struct, frozen=True, kw_only=True):
    """End the session."""


type Command = StartTurn | SendMessage | Steer | Answer | Interrupt | Cancel


class Ended(msgspec.Struct, frozen=True):
    """The session takes no command any more."""


class Occupied(msgspec.Struct, frozen=True):
    """Another turn is active."""

    active_turn_id: str


class KeyReused(msgspec.Struct, frozen=True):
    """The idempotency key named another message."""

    key: str


class NotActive(msgspec.Struct, frozen=True):
    """The turn is not the active one."""

    active_turn_id: str | None


class Settled(msgspec.Struct, frozen=True):
    """The callback is not open any more."""

    answer: dict[str, Any] | None


class NeverOpened(msgspec.Struct, frozen=True):
    """The session has no such callback."""


class Unsuitable(msgspec.Struct, frozen=True):
    """The answer is of another kind than the callback, which stays open."""

    kind: str


type Refusal = Ended | Occupied | KeyReused | NotActive | Settled | NeverOpened | Unsuitable


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """The command was taken, or the same one had been."""

    turn_id: str = ""
    started: bool | None = None
    """Whether the message started its turn; None where the command is no message."""
