"""The messages that an imported history gives the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.model import AssistantMessage, ModelToolCall, SystemMessage, ToolMessage, UserMessage
from mistralai.agents.core.results import as_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.authoring.model import ModelMessage
    from mistralai.agents.core.facts import ImportedEntry

NO_RESULT = "The history that was imported has no result of this call."


def messages_of(entries: Iterable[ImportedEntry]) -> list[ModelMessage]:
    """Return the history as the model is sent it: calls of one reply together, each with exactly one result."""
    messages: list[ModelMessage] = []
    calls: dict[str, ModelToolCall] = {}
    """Those of the open reply, by the id that their results name."""
    ids: set[str] = set()
    results: dict[str, ToolMessage] = {}
    unanswered: dict[str, tuple[int, ModelToolCall]] = {}
    """Calls of earlier replies without a result so far, and where it goes: one may come after other messages."""
    text = ""

    def close_reply() -> None:
        nonlocal text
        if calls or text:
            messages.append(AssistantMessage(text=text, tool_calls=tuple(calls.values())))
            for named_id, call in calls.items():
                if (result := results.get(call.id)) is None:
                    unanswered[named_id] = (len(messages), call)
                    result = ToolMessage(tool_call_id=call.id, name=call.name, content=NO_RESULT, is_error=True)
                messages.append(result)
        calls.clear()
        results.clear()
        text = ""

    for entry in entries:
        data = entry.data
        match data["type"]:
            case "message" if data["role"] == "assistant":
                if calls or text:
                    close_reply()
                text = _text(data["content"])
            case "message":
                close_reply()
                messages.append(
                    SystemMessage(text=_text(data["content"]))
                    if data["role"] == "system"
                    else UserMessage(content=data["content"])
                )
            case "tool_call":
                named_id: str = data["tool_call_id"]
                if results or named_id in calls:
                    close_reply()
                unanswered.pop(named_id, None)
                call_id = _unused(named_id, ids)
                ids.add(call_id)
                calls[named_id] = ModelToolCall(
                    id=call_id, name=data["name"], arguments=as_json(data.get("arguments") or {})
                )
            case "tool_result":
                named = calls.get(data["tool_call_id"])
                if named is not None:
                    results[named.id] = _result(data, named)
                elif (late := unanswered.pop(data["tool_call_id"], None)) is not None:
                    messages[late[0]] = _result(data, late[1])
            case _:  # reasoning and snapshots are not sent to the model
                pass
    close_reply()
    return messages


def leading(history: list[ModelMessage]) -> int:
    """Return how many system messages a history begins with: they belong to the instructions."""
    count = 0
    while count < len(history) and isinstance(history[count], SystemMessage):
        count += 1
    return count


def _unused(call_id: str, taken: set[str]) -> str:
    """Return an id that no other call has: providers refuse a history with two of one id."""
    number = 1
    unused = call_id
    while unused in taken:
        number += 1
        unused = f"{call_id}-{number}"
    return unused


def _text(content: list[dict[str, Any]]) -> str:
    return "\n".join(block["text"] for block in content if block.get("type") == "text" and block.get("text"))


def _result(data: dict[str, Any], call: ModelToolCall) -> ToolMessage:
    if (error := data.get("error")) is not None:
        return ToolMessage(tool_call_id=call.id, name=call.name, content=error["message"], is_error=True)
    result = data.get("result")
    return ToolMessage(
        tool_call_id=call.id, name=call.name, content=result if isinstance(result, str) else as_json(result)
    )
