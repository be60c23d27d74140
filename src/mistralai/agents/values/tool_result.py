"""`ToolResult`: what a tool returns when it wants a say in who sees what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .record import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .content import ContentBlock
    from .json_value import JsonValue


@record
class ToolResult[T]:
    """A tool's result in parts: for the model, for programs and clients, and for clients alone."""

    content: str | Sequence[ContentBlock | Mapping[str, Any]] | None = None
    """What the model reads; None to let it read `structured`."""
    structured: T | None = None
    """The result as data, for programs and clients; None if it has none."""
    metadata: Mapping[str, JsonValue] | None = None
    """Data for clients, which the model never sees; None if there is none."""
    is_error: bool = False
    """True if the call failed and the result says why."""
