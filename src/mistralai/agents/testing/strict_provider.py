"""A model server on this machine that refuses what the real one refuses, and otherwise answers from a script."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any, Self

from mistralai.agents.testing.gates import Gate
from mistralai.agents.testing.provider_rules import violations
from mistralai.agents.testing.strict_replies import (
    Answer,
    Disconnect,
    Mode,
    Refusal,
    Reply,
    Silence,
    Stream,
    anthropic_pieces,
    chat_pieces,
    joined,
)
from mistralai.agents.testing.strict_steps import as_replies

if TYPE_CHECKING:
    from types import TracebackType

    from mistralai.agents.testing.steps import Step

PATHS = {"mistral": "/v1/chat/completions", "openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
KEY = "key-of-the-tests"
MODEL = "strict-model"
"""The model that the server lists. It takes any other name as well."""


class StrictProvider:
    """The server: `async with StrictProvider("mistral", reply("hi")) as server:`, with `server.environ` to lead there.

    It plays the steps of the kit, and the replies of `strict_replies`, which can break a stream anywhere. A request
    past the script gets HTTP 400, and so does one that the real provider would refuse: `violations` says why.
    """

    def __init__(self, mode: Mode, *script: Reply | Step) -> None:
        self.mode: Mode = mode
        self.script: list[Reply] = as_replies(mode, script)
        """Replies to come."""
        self.requests: list[dict[str, Any]] = []
        """Every request's JSON."""
        self.bodies: list[bytes] = []
        """Every request's bytes."""
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections: int = 0
        """Connections that were opened."""
        self.closed: asyncio.Event = asyncio.Event()
        """Set when a client has closed a connection."""
        self.asked: asyncio.Event = asyncio.Event()
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
        if line.startswith(b"GET ") and line.split(b" ")[1].endswith(b"/models"):
            await _answer(writer, Refusal(status=200, body={"object": "list", "data": [{"id": MODEL}]}))
            return True
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
                await _answer(writer, reply)
                return True
            case Answer():
                return await _stream(reader, writer, Stream(pieces=joined(self._encode(reply))))
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

    def _encode(self, answer: Answer) -> list[bytes | Gate]:
        return anthropic_pieces(answer) if self.mode == "anthropic" else chat_pieces(answer)


async def _answer(writer: asyncio.StreamWriter, reply: Refusal) -> None:
    body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
    lines = [f"HTTP/1.1 {reply.status} Answer", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def _stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Stream) -> bool:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {reply.content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    for piece in reply.pieces:
        if isinstance(piece, Gate):
            await piece.hold()
        elif piece:
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
