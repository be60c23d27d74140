"""What a strict provider answers: well-formed replies, refusals and broken streams, as each provider's bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from mistralai.agents.testing.gates import Gate

type Mode = Literal["mistral", "openai", "anthropic"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool call of a scripted reply."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict[str, Any])
    id: str = "call00001"

    @property
    def text(self) -> str:
        """The arguments as JSON text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A well-formed reply."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    chunks: int = 1
    """How many pieces the text comes in."""
    pieces: tuple[str | Gate, ...] = ()
    """The text in pieces of its own, gates that hold the stream among them, in place of `text`."""
    usage: bool = True
    input_tokens: int = 100
    output_tokens: int = 20


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """An HTTP error."""

    status: int
    body: bytes | dict[str, Any] = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Stream:
    """Bytes of a stream as they are, each piece sent by itself."""

    pieces: tuple[bytes | Gate, ...]
    end: Literal["well", "cut", "hang"] = "well"
    """How it goes on after the last piece: it ends, the connection breaks, or nothing comes any more."""
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Silence:
    """No answer at all: the request is read and the connection stays open."""


@dataclass(frozen=True)
class Disconnect:
    """The connection is closed without an answer."""


type Reply = Answer | Refusal | Stream | Silence | Disconnect


def events(*data: dict[str, Any] | str) -> bytes:
    """Server-sent events of JSON objects, or of text as it is."""
    return b"".join(
        b"data: " + (item if isinstance(item, str) else json.dumps(item)).encode() + b"\n\n" for item in data
    )


def chunk(finish: str | None = None, told: bool = False, /, **delta: Any) -> dict[str, Any]:
    """A chunk of a chat completion. `told`: with its usage."""
    made: dict[str, Any] = {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    if told:
        made["usage"] = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return made


def text_pieces(answer: Answer) -> list[str | Gate]:
    """The text in as many pieces as the answer says."""
    if answer.pieces:
        return list(answer.pieces)
    size = -(-len(answer.text) // answer.chunks) or 1
    return [answer.text[at : at + size] for at in range(0, len(answer.text), size)]


def chat_pieces(answer: Answer) -> list[bytes | Gate]:
    """The answer as a chat-completions stream."""
    calls = [
        {"id": call.id, "index": index, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for index, call in enumerate(answer.calls)
    ]
    last = chunk(
        answer.finish or ("tool_calls" if calls else "stop"), content="", **({"tool_calls": calls} if calls else {})
    )
    if answer.usage:
        last["usage"] = {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
        }
    said = [events(chunk(content=piece)) if isinstance(piece, str) else piece for piece in text_pieces(answer)]
    return [events(chunk(role="assistant", content="")), *said, events(last, "[DONE]")]


def anthropic_pieces(answer: Answer) -> list[bytes | Gate]:
    """The answer as a stream of Anthropic's."""
    start: dict[str, Any] = {"id": "msg_1", "role": "assistant", "content": []}
    if answer.usage:
        start["usage"] = {"input_tokens": answer.input_tokens, "output_tokens": 1}
    head: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    made: list[dict[str, Any]] = []
    said = [_anthropic_delta(piece) if isinstance(piece, str) else piece for piece in text_pieces(answer)]
    if said:
        head.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        made.append({"type": "content_block_stop", "index": 0})
    for index, call in enumerate(answer.calls, 1):
        block: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call.text}
        made.append({"type": "content_block_start", "index": index, "content_block": block})
        made.append({"type": "content_block_delta", "index": index, "delta": delta})
        made.append({"type": "content_block_stop", "index": index})
    reason = answer.finish or ("tool_use" if answer.calls else "end_turn")
    end: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": reason}}
    if answer.usage:
        end["usage"] = {"output_tokens": answer.output_tokens}
    return [events(*head), *said, events(*made, end, {"type": "message_stop"})]


def _anthropic_delta(piece: str) -> bytes:
    return events({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})


def joined(pieces: list[bytes | Gate]) -> tuple[bytes | Gate, ...]:
    """The same stream in as few pieces as its gates allow."""
    made: list[bytes | Gate] = []
    for piece in pieces:
        if made and isinstance(piece, bytes) and isinstance(last := made[-1], bytes):
            made[-1] = last + piece
        else:
            made.append(piece)
    return tuple(made)
