"""The JSON of a chat-completions chunk, as far as it is read. Every field may be missing or null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.models.lenient import lenient_reader

if TYPE_CHECKING:
    from collections.abc import Callable


class FunctionDelta(msgspec.Struct):
    """A piece of a call."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallDelta(msgspec.Struct):
    """A piece of a call with what it is grouped by."""

    id: str | int | None = None
    index: int | None = None
    function: FunctionDelta | None = None


class Delta(msgspec.Struct):
    """What a chunk adds to the reply."""

    content: str | list[Any] | None = None
    tool_calls: list[CallDelta] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class Choice(msgspec.Struct):
    """The one choice of a reply; `message` only where a server does not stream."""

    delta: Delta | None = None
    finish_reason: str | None = None
    message: Delta | None = None


class CachedTokens(msgspec.Struct):
    """Details of the tokens read."""

    cached_tokens: int | None = None


class ReasoningTokens(msgspec.Struct):
    """Details of the tokens written."""

    reasoning_tokens: int | None = None


class Usage(msgspec.Struct):
    """The tokens of a call."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: CachedTokens | None = None
    completion_tokens_details: ReasoningTokens | None = None
    num_cached_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None


class Chunk(msgspec.Struct):
    """One event of the stream."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None
    object: str | None = None
    message: Any = None


read_chunk: Callable[[bytes], Chunk] = lenient_reader(Chunk)
