"""`ProtocolError`: an error as a value, such as the one that failed a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import record

if TYPE_CHECKING:
    from .json_value import JsonValue


@record
class ProtocolError:
    """What went wrong in a session, in a form that can be stored and sent. Public page: Turn records."""

    message: str
    """What happened, for people."""
    code: str | None = None
    """What happened, for programs, such as `"completion_rate_limited"`; None if the error has no code."""
    retryable: bool = False
    """True if the same request may succeed when it is sent again."""
    details: dict[str, JsonValue] | None = None
    """Data beside the message, such as the provider's status; None if there is none."""
