"""`ToolCall`: a call as a turn's record lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import record

if TYPE_CHECKING:
    from .json_value import JsonValue


@record(kw_only=False)
class ToolCall:
    """A tool call the model made in a turn, whether or not it ran. Public page: Turn records."""

    name: str
    """The tool's full ID, such as `client.get_weather`; in a hook, or for no such tool, the model's name."""
    arguments: JsonValue
    """The arguments that ran, or the model's where none did; the raw text where that is not JSON."""
