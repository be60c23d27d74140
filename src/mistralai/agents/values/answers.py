"""Answers to callbacks, and what `turn.answer` says of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, cast

from .errors import SdkError
from .record import record

if TYPE_CHECKING:
    from .json_value import JsonValue


@record
class AllowApproval:
    """Let the call run."""

    scope: Literal["once", "session"] = "once"
    """`"session"` also lets the same tool with the same arguments pass for the rest of the session, those calls of it
    included that are asked about now."""
    arguments: dict[str, JsonValue] | None = None
    """Run the call with these arguments instead; None runs it as shown."""

    def __post_init__(self) -> None:
        if self.scope not in ("once", "session"):
            raise SdkError(f'AllowApproval: scope is {self.scope!r}. Pass "once" or "session".')
        if self.arguments is not None and not isinstance(self.arguments, dict):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            raise SdkError(
                f"AllowApproval: arguments is {self.arguments!r}. Pass the call's arguments as a dict, or None."
            )


@record
class DenyApproval:
    """Do not let the call run."""

    message: str | None = None
    """What the model reads beside the refusal; None for nothing more."""

    def __post_init__(self) -> None:
        if self.message is not None and not isinstance(self.message, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            raise SdkError(f"DenyApproval: message is {self.message!r}. Pass a string, or None.")


@record
class KeepCallbackOpen:
    """What an approval handler returns to leave the question to somebody else. It is not an answer."""


@record
class SignInAnswer:
    """Say of each source that was asked for whether it is connected."""

    connected: tuple[str, ...]
    """IDs of the sources the user connected."""
    denied: tuple[str, ...]
    """IDs of the sources the user did not connect."""

    def __init__(self, *, connected: Iterable[str] = (), denied: Iterable[str] = ()) -> None:
        object.__setattr__(self, "connected", _ids("connected", connected))
        object.__setattr__(self, "denied", _ids("denied", denied))
        if both := set(self.connected) & set(self.denied):
            raise SdkError(f"SignInAnswer: {sorted(both)[0]!r} is in connected and in denied. Name each source once.")


def _ids(name: str, given: object) -> tuple[str, ...]:
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        ids = tuple(cast("Iterable[object]", given))
        if all(isinstance(each, str) for each in ids):
            return cast("tuple[str, ...]", ids)
    raise SdkError(f"SignInAnswer: {name} is {given!r}. Pass a list of the IDs of sign-in requests.")


@record
class Answered:
    """The callback was open when it was read. For an approval, `answer` says which answer counted."""

    session_id: str
    """The session that asked."""
    callback_id: str
    """The callback."""
    answer: AllowApproval | DenyApproval | None
    """The approval that counted; None for other kinds, or if it could not be read in time."""


@record
class AlreadySettled:
    """The callback was no longer open: somebody answered it, or it closed."""

    session_id: str
    """The session that asked."""
    callback_id: str
    """The callback."""


@record
class NotFound:
    """The session never opened such a callback."""

    session_id: str
    """The session that was asked."""
    callback_id: str
    """The callback."""
