"""A streamed chat-completions reply: bytes in, model events out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.model import ReasoningBlock, ReplyFinished, TextChunk, ToolCallBlock
from mistralai.agents.models.call_pieces import CallPieces
from mistralai.agents.models.chat_chunks import Chunk, Delta, Usage, read_chunk
from mistralai.agents.models.failures import cut_off, in_stream_failure, no_usage, unreadable
from mistralai.agents.models.plain_json import is_array, is_object
from mistralai.agents.models.sse import EventSplitter
from mistralai.agents.values.usage import TokenUsage

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelEvent

FINISH_REASONS = {"model_length": "length", "max_tokens": "length", "function_call": "tool_calls", "eos": "stop"}


class ChatReply:
    """Reads one reply. `done` once the server said that it ended; then, or when the bytes end, call `end`."""

    __slots__ = ("_calls", "_finish", "_reasoning", "_reasoning_type", "_splitter", "_usage", "chunks", "done")

    def __init__(self) -> None:
        self._splitter = EventSplitter()
        self._calls = CallPieces()
        self._reasoning: list[str] = []
        self._reasoning_type = ""
        self._finish: str | None = None
        self._usage: Usage | None = None
        self.chunks: int = 0
        self.done: bool = False

    def feed(self, data: bytes) -> list[ModelEvent]:
        """The events that the next bytes complete."""
        return self._read(self._splitter.feed(data))

    def end(self) -> list[ModelEvent]:
        """The last events. Raises ModelError for a reply that was cut off or does not tell its tokens."""
        events = self._read(self._splitter.end())
        if not self.chunks and (plain := self._splitter.plain.strip()):
            self._read_chunk(plain, events, whole=True)
        if self._finish is None:
            raise cut_off(empty=not self.chunks)
        if self._finish == "error":
            raise in_stream_failure(None)
        if self._usage is None or self._usage.prompt_tokens is None:
            raise no_usage()
        self._close_reasoning(events)
        reason = FINISH_REASONS.get(self._finish, self._finish)
        if self._calls and reason != "length":  # the last call of a reply cut at its limit may be half a call
            events += [ToolCallBlock(call=call) for call in self._calls.finished()]
            reason = "tool_calls" if reason == "stop" else reason
        events.append(ReplyFinished(reason=reason, usage=token_usage(self._usage)))
        return events

    def _read(self, found: list[bytes]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for data in found:
            if data == b"[DONE]":
                self.done = True
                break
            self._read_chunk(data, events)
        return events

    def _read_chunk(self, data: bytes, events: list[ModelEvent], *, whole: bool = False) -> None:
        try:
            chunk = read_chunk(data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(whole=whole) from error
        self.chunks += 1
        if chunk.usage is not None:
            self._usage = chunk.usage
        if chunk.error is not None:
            raise in_stream_failure(chunk.error)
        if not chunk.choices:
            self._check_for_failure(chunk)
            return
        choice = chunk.choices[0]
        delta = choice.delta or choice.message
        if delta is not None:
            if type(delta.content) is str and delta.content and not self._reasoning:
                events.append(TextChunk(delta.content))
            else:
                self._read_content(delta, events)
            if delta.tool_calls:
                for piece in delta.tool_calls:
                    self._calls.add(piece)
        if choice.finish_reason:
            self._finish = choice.finish_reason

    def _read_content(self, delta: Delta, events: list[ModelEvent]) -> None:
        if reasoning := delta.reasoning_content or delta.reasoning:
            self._reasoning.append(reasoning)
            self._reasoning_type = "reasoning_content"
        match delta.content or delta.refusal:
            case str(text):
                self._text(text, events)
            case list(parts):
                for part in parts:
                    self._part(part, events)
            case None:
                pass

    def _text(self, text: str, events: list[ModelEvent]) -> None:
        if text:
            self._close_reasoning(events)
            events.append(TextChunk(text))

    def _part(self, part: Any, events: list[ModelEvent]) -> None:
        match part:
            case str(text) | {"type": "text", "text": str(text)}:
                self._text(text, events)
            case {"type": "thinking", "thinking": thinking}:
                self._reasoning_type = "thinking"
                self._reasoning.append(_thinking_text(thinking))
            case _:  # a reference, or a part of a kind added later: it has no words of its own
                pass

    def _close_reasoning(self, events: list[ModelEvent]) -> None:
        if text := "".join(self._reasoning):
            events.append(ReasoningBlock(text=text, data={"type": self._reasoning_type, "text": text}))
        self._reasoning.clear()

    def _check_for_failure(self, chunk: Chunk) -> None:
        if chunk.object == "error" or (chunk.message is not None and chunk.choices is None and chunk.usage is None):
            raise in_stream_failure(chunk.message)


def _thinking_text(thinking: Any) -> str:
    if isinstance(thinking, str):
        return thinking
    if is_array(thinking):
        return "".join(map(_thinking_text, thinking))
    return _thinking_text(thinking.get("text")) if is_object(thinking) else ""


def token_usage(usage: Usage) -> TokenUsage:
    """The tokens as the provider told them."""
    read, written = usage.prompt_tokens or 0, usage.completion_tokens or 0
    details, written_details = usage.prompt_tokens_details, usage.completion_tokens_details
    cached = (details and details.cached_tokens) or usage.num_cached_tokens or usage.prompt_cache_hit_tokens or 0
    return TokenUsage(
        input_tokens=read,
        output_tokens=written,
        total_tokens=read + written,
        cached_input_tokens=cached,
        reasoning_tokens=(written_details and written_details.reasoning_tokens) or 0,
    )
