"""A model server on loopback with canned replies, in a process of its own, so that its cost is in no figure."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

WORDS = ("The ", "book ", "is ", "on ", "the ", "shelf, ", "two ", "copies ", "of ", "it. ")
_MODEL = re.compile(rb'"model":"calls=(\d+),chunks=(\d+)"')
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_ROLE = b'"role":"'
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


def model_name(*, calls: int = 1, chunks: int = 10) -> str:
    """The model that calls a tool so many times at once, then answers in so many chunks."""
    return f"calls={calls},chunks={chunks}"


@cache
def call_chunks(calls: int) -> tuple[bytes, ...]:
    """The events of a reply that calls the tool."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for index in range(calls):
        function = {"name": "look_up", "arguments": json.dumps({"title": f"Middlemarch {index}"})}
        call: dict[str, Any] = {"index": index, "id": f"call{index:05}", "type": "function", "function": function}
        deltas.append({"tool_calls": [call]})
    return _events(deltas, "tool_calls")


@cache
def text_chunks(chunks: int) -> tuple[bytes, ...]:
    """The events of a reply in words."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": WORDS[index % len(WORDS)]} for index in range(chunks)]
    return _events(deltas, "stop")


def _events(deltas: list[dict[str, Any]], finish: str) -> tuple[bytes, ...]:
    common = {"id": "reply-1", "object": "chat.completion.chunk", "created": 1767225600, "model": "canned"}
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {"content": ""}, "finish_reason": finish})
    usage = {"prompt_tokens": 120, "completion_tokens": 24, "total_tokens": 144}
    chunks: list[dict[str, Any]] = [{**common, "choices": [choice]} for choice in choices]
    chunks[-1]["usage"] = usage
    events = [f"data: {json.dumps(chunk, separators=(',', ':'))}\n\n" for chunk in chunks]
    return tuple(event.encode() for event in [*events, "data: [DONE]\n\n"])


@cache
def _writes(calls: int, chunks: int) -> tuple[bytes, ...]:
    events = call_chunks(calls) if calls else text_chunks(chunks)
    framed = [b"%x\r\n%b\r\n" % (len(event), event) for event in events]
    return (_HEAD, *framed[:-1], framed[-1] + b"0\r\n\r\n")


class Connection(asyncio.Protocol):
    """One connection: a request, its reply one event a write, the next request."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._body_at = -1
        self._size = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._body_at < 0:
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(self._received, 0, end)
            self._body_at = end + 4
            self._size = self._body_at + (int(length[1]) if length else 0)
        if len(self._received) >= self._size:
            body = bytes(self._received[self._body_at : self._size])
            self._received.clear()
            self._body_at = -1
            self.reply(body)

    def reply(self, body: bytes) -> None:
        """Answer a request."""
        model = _MODEL.search(body)
        calls, chunks = (int(model[1]), int(model[2])) if model else (0, len(WORDS))
        last = body.rfind(_ROLE) + len(_ROLE)
        if not body.startswith(b'user"', last):  # the tool's result is there: now the answer
            calls = 0
        self._write(iter(_writes(calls, chunks)))

    def _write(self, pieces: Iterator[bytes]) -> None:
        piece = next(pieces, None)
        if piece is not None and not self._transport.is_closing():
            self._transport.write(piece)
            self._loop.call_soon(self._write, pieces)


@contextmanager
def running() -> Generator[str]:
    """The server's URL, while it runs in another process."""
    command = [sys.executable, "-m", "benchmarks.model_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()  # it ends with what holds it


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    over = loop.create_future()

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 4096) and not over.done():
            over.set_result(None)

    loop.add_reader(sys.stdin.fileno(), read)
    await over


if __name__ == "__main__":
    asyncio.run(_serve())
