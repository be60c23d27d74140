"""A streamed reply of Anthropic's messages API: bytes in, model events out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.model import ModelToolCall, ReasoningBlock, ReplyFinished, TextChunk, ToolCallBlock
from mistralai.agents.models.anthropic_chunks import Block, Usage, read_event
from mistralai.agents.models.failures import cut_off, in_stream_failure, no_usage, unreadable
from mistralai.agents.models.sse import EventSplitter
from mistralai.agents.models.wire_text import encode_json
from mistralai.agents.values.usage import TokenUsage

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelEvent
    from mistralai.agents.models.anthropic_chunks import Delta, StreamEvent

FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class _OpenBlock:
    __slots__ = ("begun", "pieces", "signature")

    def __init__(self, begun: Block) -> None:
        self.begun = begun
        self.pieces: list[str] = [begun.thinking] if begun.thinking else []
        self.signature = begun.signature or ""

    def reasoning(self) -> ReasoningBlock | None:
        if self.begun.type == "redacted_thinking":
            return ReasoningBlock(text="", data={"type": "redacted_thinking", "data": self.begun.data or ""})
        text = "".join(self.pieces)
        if self.begun.type != "thinking" or not (text or self.signature):
            return None
        data: dict[str, Any] = {"type": "thinking", "thinking": text, "signature": self.signature}
        return ReasoningBlock(text=text, data=data)

    def call(self) -> ModelToolCall:
        arguments = "".join(self.pieces) or encode_json(self.begun.input or {}).decode()
        return ModelToolCall(id=self.begun.id or "", name=self.begun.name or "", arguments=arguments)


class AnthropicReply:
    """Reads one reply. `done` once the server said that it ended; then, or when the bytes end, call `end`."""

    __slots__ = ("_blocks", "_calls", "_finish", "_splitter", "_usage", "chunks", "done")

    def __init__(self) -> None:
        self._splitter = EventSplitter()
        self._blocks: dict[int, _OpenBlock] = {}
        self._calls: list[ModelToolCall] = []
        self._finish: str | None = None
        self._usage = Usage()
        self.chunks: int = 0
        self.done: bool = False

    def feed(self, data: bytes) -> list[ModelEvent]:
        """The events that the next bytes complete."""
        return self._read(self._splitter.feed(data))

    def end(self) -> list[ModelEvent]:
        """The last events. Raises ModelError for a reply that was cut off or does not tell its tokens."""
        events = self._read(self._splitter.end())
        if not self.chunks and (plain := self._splitter.plain.strip()):
            self._read_event(plain, events, whole=True)
        if self._finish is None:
            raise cut_off(empty=not self.chunks)
        if self._usage.input_tokens is None or self._usage.output_tokens is None:
            raise no_usage("usage in its message_start and message_delta events")
        for index in list(self._blocks):  # blocks that the server never ended
            self._end_block(index, events)
        if self._finish != "length":
            events += [ToolCallBlock(call=call) for call in self._calls]
        events.append(ReplyFinished(reason=self._finish, usage=token_usage(self._usage)))
        return events

    def _read(self, found: list[bytes]) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        for data in found:
            self._read_event(data, events)
            if self.done:
                break
        return events

    def _read_event(self, data: bytes, events: list[ModelEvent], *, whole: bool = False) -> None:
        try:
            event = read_event(data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise unreadable(whole=whole) from error
        self.chunks += 1
        match event.type:
            case "content_block_delta" if event.delta is not None:
                self._delta(event.index or 0, event.delta, events)
            case "content_block_start" if event.content_block is not None:
                self._start_block(event.index or 0, event.content_block, events)
            case "content_block_stop":
                self._end_block(event.index or 0, events)
            case "message_start" | "message_delta":
                self._about_the_reply(event)
            case "message_stop":
                self.done = True
            case "error":
                raise in_stream_failure(event.error)
            case _ if event.error is not None:
                raise in_stream_failure(event.error)
            case _:  # a ping, or a kind added later
                pass

    def _about_the_reply(self, event: StreamEvent) -> None:
        for usage in (event.message and event.message.usage, event.usage):
            if usage is not None:
                for name in Usage.__struct_fields__:
                    if (count := getattr(usage, name)) is not None:
                        setattr(self._usage, name, count)
        if event.delta is not None and (reason := event.delta.stop_reason):
            self._finish = FINISH_REASONS.get(reason, reason)

    def _start_block(self, index: int, block: Block, events: list[ModelEvent]) -> None:
        self._blocks[index] = _OpenBlock(block)
        if block.type == "text" and block.text:
            events.append(TextChunk(block.text))

    def _delta(self, index: int, delta: Delta, events: list[ModelEvent]) -> None:
        if delta.text:
            events.append(TextChunk(delta.text))
            return
        block = self._blocks.get(index)
        if block is None:
            return
        if piece := delta.partial_json or delta.thinking:
            block.pieces.append(piece)
        if delta.signature:
            block.signature += delta.signature

    def _end_block(self, index: int, events: list[ModelEvent]) -> None:
        block = self._blocks.pop(index, None)
        if block is None:
            return
        if block.begun.type == "tool_use":
            self._calls.append(block.call())
        elif (reasoning := block.reasoning()) is not None:
            events.append(reasoning)


def token_usage(usage: Usage) -> TokenUsage:
    """The tokens as the provider told them. It counts cached ones apart; ours are part of what was read."""
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    read, output = (usage.input_tokens or 0) + cached + written, usage.output_tokens or 0
    return TokenUsage(
        input_tokens=read,
        output_tokens=output,
        total_tokens=read + output,
        cached_input_tokens=cached,
        cache_write_tokens=written,
    )
