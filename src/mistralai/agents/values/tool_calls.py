"""`ToolCall`: a call as a turn's record lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .record import aside, record

if TYPE_CHECKING:
    from .json_value import JsonValue


@record(kw_only=False)
class ToolCall:
    """A tool call the model made in a turn, whether or not it ran. Public page: Turn records."""

    name: str
    """The tool's full ID, such as `client.get_weather`; in a hook, or for no such tool, the model's name."""
    arguments: JsonValue
    """Those that ran; where none did, those a hook set last, else the model's. The raw text where that is not JSON."""
    outcome: str | None = aside(default=None, kw_only=True)
    """`"succeeded"`; `"failed"`: it ran and its result is an error; `"not_run"`: it was denied, refused, skipped, not
    approved in time, or stopped before it ran; `"unknown"`: it started and nobody can tell what it did, as after a
    timeout or a crash; None for a call that has not ended. Two calls that differ only in this are equal."""
