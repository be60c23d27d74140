"""A model server on loopback that refuses what the real one refuses, and otherwise answers from a script."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

from tests.support.provider_rules import violations

if TYPE_CHECKING:
    from types import TracebackType

type Mode = Literal["mistral", "openai", "anthropic"]
PATHS = {"mistral": "/v1/chat/completions", "openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
KEY = "key-of-the-tests"


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

    pieces: tuple[bytes, ...]
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


class StrictProvider:
    """The server. `async with StrictProvider("mistral", Answer(text="hi")) as server:` and hand on `server.environ`.

    A request past the script gets HTTP 400, and so does one that the real provider would refuse: `violations` says why.
    """

    def __init__(self, mode: Mode, *script: Reply) -> None:
        self.mode = mode
        self.script: list[Reply] = list(script)
        """Replies to come."""
        self.requests: list[dict[str, Any]] = []
        """Every request's JSON."""
        self.bodies: list[bytes] = []
        """Every request's bytes."""
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        """Connections that were opened."""
        self.closed = asyncio.Event()
        """Set when a client has closed a connection."""
        self.asked = asyncio.Event()
        """Set when a request has come."""
        self.violations: list[str] = []
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def environ(self) -> dict[str, str]:
        """The environment that leads the provider here."""
        if self.mode == "mistral":
            return {"MISTRAL_API_KEY": KEY, "MISTRAL_SERVER_URL": self.url}
        if self.mode == "openai":
            return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{self.url}/v1"}
        return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=2**24)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._serve(reader, writer):
                    pass
        finally:
            self._tasks.discard(task)
            self.closed.set()
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request; False once the connection is over."""
        line = await reader.readline()
        if not line:
            return False
        headers: dict[str, str] = {}
        while (header := (await reader.readline()).strip()) != b"":
            name, _, value = header.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = json.loads(body)
        self.requests.append(request)
        self.bodies.append(body)
        self.headers.append(headers)
        self.paths.append(line.decode().split(" ")[1])
        self.asked.set()
        reply = self._choose(request)
        match reply:
            case Silence():
                await reader.read(1)
                return False
            case Disconnect():
                return False
            case Refusal():
                await _refuse(writer, reply)
                return True
            case Answer():
                return await _stream(reader, writer, Stream(pieces=(self._encode(reply),)))
            case Stream():
                return await _stream(reader, writer, reply)

    def _choose(self, request: dict[str, Any]) -> Reply:
        found = violations(self.mode, request)
        if self.paths[-1] != PATHS[self.mode]:
            found.append(f"no such path {self.paths[-1]}")
        if KEY not in (self.headers[-1].get("authorization", "") + self.headers[-1].get("x-api-key", "")):
            return Refusal(status=401, body={"message": "Unauthorized"})
        self.violations += found
        if found:
            return Refusal(status=400, body={"object": "error", "message": "; ".join(found), "type": "invalid_request"})
        if not self.script:
            return Refusal(
                status=400, body={"object": "error", "message": "The script is at its end.", "type": "script"}
            )
        return self.script.pop(0)

    def _encode(self, answer: Answer) -> bytes:
        return anthropic_bytes(answer) if self.mode == "anthropic" else chat_bytes(answer)


def text_pieces(answer: Answer) -> list[str]:
    """The text in as many pieces as the answer says."""
    size = -(-len(answer.text) // answer.chunks) or 1
    return [answer.text[at : at + size] for at in range(0, len(answer.text), size)]


def chat_bytes(answer: Answer) -> bytes:
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
    return events(
        chunk(role="assistant", content=""), *(chunk(content=piece) for piece in text_pieces(answer)), last, "[DONE]"
    )


def anthropic_bytes(answer: Answer) -> bytes:
    """The answer as a stream of Anthropic's."""
    start: dict[str, Any] = {"id": "msg_1", "role": "assistant", "content": []}
    if answer.usage:
        start["usage"] = {"input_tokens": answer.input_tokens, "output_tokens": 1}
    made: list[dict[str, Any]] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    if answer.text:
        made.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        made += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in text_pieces(answer)
        ]
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
    return events(*made, end, {"type": "message_stop"})


async def _refuse(writer: asyncio.StreamWriter, reply: Refusal) -> None:
    body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    lines = [f"HTTP/1.1 {reply.status} Refused", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def _stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Stream) -> bool:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {reply.content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    for piece in reply.pieces:
        if piece:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
            await asyncio.sleep(0)
    if reply.end == "cut":
        return False
    if reply.end == "hang":
        await reader.read(1)
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True
