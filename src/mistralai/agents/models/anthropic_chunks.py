"""The JSON of an event of Anthropic's stream, as far as it is read. Every field may be missing or null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.models.lenient import lenient_reader

if TYPE_CHECKING:
    from collections.abc import Callable


class Usage(msgspec.Struct):
    """Tokens; the counts of the last event hold for the whole reply."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Message(msgspec.Struct):
    """The reply's beginning."""

    usage: Usage | None = None


class Block(msgspec.Struct):
    """A content block as it begins."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None


class Delta(msgspec.Struct):
    """What an event adds to a block, or to the reply."""

    type: str | None = None
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    stop_reason: str | None = None


class StreamEvent(msgspec.Struct):
    """One event of the stream."""

    type: str | None = None
    index: int | None = None
    message: Message | None = None
    content_block: Block | None = None
    delta: Delta | None = None
    usage: Usage | None = None
    error: Any = None


read_event: Callable[[bytes], StreamEvent] = lenient_reader(StreamEvent)
