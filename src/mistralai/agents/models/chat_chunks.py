"""The JSON of a chat-completions chunk, as far as it is read. Every field may be missing or null."""

from __future__ import annotations

from typing import Any

import msgspec


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


_read = msgspec.json.Decoder(Chunk).decode
_read_any = msgspec.json.Decoder(strict=False).decode


def read_chunk(data: bytes) -> Chunk:
    """A chunk from its JSON; fields of a wrong type are left out. Raises msgspec.DecodeError if it is no JSON."""
    try:
        return _read(data)
    except (msgspec.ValidationError, UnicodeDecodeError):
        return _lenient(_read_any(data.decode("utf-8", "replace")))


def _lenient(value: Any) -> Chunk:
    cleaned = _fitting(value, Chunk)
    return cleaned if isinstance(cleaned, Chunk) else Chunk()


def _fitting(value: Any, kind: Any) -> Any:
    """The value as the struct, with every field that does not fit left at its default."""
    if not isinstance(value, dict):
        return None
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        given: Any = value.get(field.name)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if given is None:
            continue
        try:
            fields[field.name] = msgspec.convert(given, field.type, strict=False)
        except (msgspec.ValidationError, TypeError):
            if (nested := _nested(given, field.type)) is not None:
                fields[field.name] = nested
    return kind(**fields)


def _nested(given: Any, kind: Any) -> Any:
    for option in getattr(kind, "__args__", ()):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return _fitting(given, option)
        inner = getattr(option, "__args__", ())
        if inner and isinstance(inner[0], type) and issubclass(inner[0], msgspec.Struct) and isinstance(given, list):
            kept = [_fitting(item, inner[0]) for item in given]  # pyright: ignore[reportUnknownVariableType]
            return [item for item in kept if item is not None]
    return None
