"""What the model reads of a tool's result, and the fixed texts of calls that did not run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from mistralai.agents.authoring.results import model_text
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.core.facts import CallEnded, Content

DENIED_BY_POLICY: Final = "Tool call denied by permission policy"
REJECTED: Final = "The user rejected this tool call"
APPROVAL_EXPIRED: Final = (
    "Nobody approved this tool call in time, so it did not run. "
    "Do not call it again right away: go on without it, or say what is missing."
)
CLIENT_TOOL_EXPIRED: Final = (
    "Nobody answered this tool call in time. Do not call it again right away: go on without it, or say what is missing."
)
INTERRUPTED: Final = "This tool call was interrupted before it ran."
INTERRUPTED_RUNNING: Final = "This tool call was interrupted while it ran. Whether it took effect is not known."
UNKNOWN_OUTCOME: Final = (
    "The process stopped while this tool ran. Whether it took effect is not known, and it was not run again: "
    "check before you repeat it."
)
CUT_OFF: Final = "This call did not run: the reply was cut at the output limit. Make the call again in a shorter reply."
ANSWER_SHORTER: Final = "Your reply was cut at the output limit. Answer again, in fewer words."


def model_content(result: CallEnded) -> Content:
    """Return what the model reads of a result: its content for the assistant, or its value as one line of JSON."""
    if isinstance(result.content, str):
        return result.content
    return model_text(ToolResult(content=result.content, structured=result.structured))


def stored_content(content: object) -> Content | None:
    """Return encoded content as the log keeps it: a plain text as such, which is most results."""
    if content is None or isinstance(content, str):
        return content
    blocks: list[dict[str, Any]] = list(cast("Iterable[dict[str, Any]]", content))
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and blocks[0]["type"] == "text":
        return str(blocks[0]["text"])
    return blocks


def as_json(value: object) -> str:
    """Return a value as compact one-line JSON."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot hold: escaped, as JSON allows
        return json.dumps(value, separators=(",", ":"))
