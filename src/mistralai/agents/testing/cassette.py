"""Recorded model calls as JSON: what a request is compared by, and the events of its reply, to a file and back."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, cast

import msgspec

from mistralai.agents.authoring.model import (
    ModelError,
    ModelToolCall,
    ReasoningBlock,
    ReplyFinished,
    TextChunk,
    ToolCallBlock,
)
from mistralai.agents.values.errors import AgentsError
from mistralai.agents.values.usage import TokenUsage
from mistralai.agents.values.wire import from_data, to_data

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.authoring.model import JsonObject, ModelEvent, ModelRequest

VERSION = 1
_HALVES = re.compile(r"[\ud800-\udfff]")
"""Halves of a character, which a file of UTF-8 cannot hold."""
COMPARED = (
    "model",
    "instructions",
    "messages",
    "tools",
    "output",
    "temperature",
    "reasoning_effort",
    "max_output_tokens",
    "tool_choice",
)
"""The parts of a request that make the model's reply. Ids of session and turn are not among them."""


def request_data(request: ModelRequest) -> JsonObject:
    """A request as JSON data."""
    # By way of JSON, so that it compares with what comes out of a file: tuples are lists there. Python's own, for a
    # text may hold half of a character.
    data: JsonObject = json.loads(json.dumps(msgspec.to_builtins({name: getattr(request, name) for name in COMPARED})))
    return data


def event_data(event: ModelEvent | ModelError) -> JsonObject:
    """A piece of a reply as JSON data."""
    match event:
        case TextChunk(text=text):
            return {"text": text}
        case ReasoningBlock(text=text, data=data):
            return {"reasoning": text, "data": data}
        case ToolCallBlock(call=call):
            return {"call": msgspec.to_builtins(call)}
        case ReplyFinished(reason=reason, usage=usage):
            return {"finish": reason, "usage": None if usage is None else to_data(usage)}
        case ModelError():
            return {"error": {name: getattr(event, name) for name in ("message", "code", "retryable", "details")}}


def event_of(data: JsonObject) -> ModelEvent | ModelError:
    """A piece of a reply from its data."""
    match data:
        case {"text": str(text)}:
            return TextChunk(text)
        case {"reasoning": text, "data": block}:
            return ReasoningBlock(text=text, data=block)
        case {"call": call}:
            return ToolCallBlock(call=msgspec.convert(call, ModelToolCall))
        case {"finish": str(reason), "usage": usage}:
            return ReplyFinished(reason=reason, usage=None if usage is None else from_data(TokenUsage, usage))
        case {"error": told}:
            return ModelError(told["message"], code=told["code"], retryable=told["retryable"], details=told["details"])
        case _:
            raise ValueError(f"no piece of a reply: {data!r}")


def write(path: Path, calls: list[JsonObject]) -> None:
    """Write the file anew, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    text = json.dumps({"version": VERSION, "calls": calls}, indent=1, ensure_ascii=False)
    beside.write_text(_HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", f"{text}\n"), encoding="utf-8")
    beside.replace(path)


def read(path: Path) -> list[JsonObject]:
    """Read the calls of a file. Raises ValueError for one that is no recording."""
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        version = data["version"]
        calls: list[JsonObject] = list(data["calls"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no recording of model calls. Record it again with RecordingModel.") from error
    if version != VERSION:
        raise ValueError(f"{path} is a recording of version {version}, not {VERSION}. Record it again.")
    for number, recorded in enumerate(calls, 1):
        try:
            _check(recorded)
        except (ValueError, LookupError, TypeError, AttributeError, msgspec.MsgspecError, AgentsError) as error:
            raise ValueError(
                f"{path}: the {number}. of its calls is not as RecordingModel writes it ({error}). Record it again."
            ) from error
    return calls


def _check(recorded: JsonObject) -> None:
    if not isinstance(recorded["request"], dict):
        raise TypeError("its request is no object")
    for data in recorded["events"]:
        event_of(data)


def first_difference(recorded: Any, now: Any, where: str = "") -> str | None:
    """Where two JSON values differ first, in one line; None if they are equal."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        one, other = cast("JsonObject", recorded), cast("JsonObject", now)
        for name in one | other:
            path = f"{where}.{name}" if where else name
            if (name in one) != (name in other):
                return f"{path}: " + ("is new" if name in other else "is gone")
            if (found := first_difference(one[name], other[name], path)) is not None:
                return found
        return None
    if isinstance(recorded, list) and isinstance(now, list):
        first, second = cast("list[object]", recorded), cast("list[object]", now)
        for index, (left, right) in enumerate(zip(first, second, strict=False)):
            if (found := first_difference(left, right, f"{where}[{index}]")) is not None:
                return found
        if len(first) != len(second):
            return f"{where}: recorded {len(first)} of them, now {len(second)}"
        return None
    return None if recorded == now else f"{where}: recorded {_short(recorded)}, now {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
