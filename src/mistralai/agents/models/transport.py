"""The HTTP library: the one module that imports aiohttp, so it is imported late and can be loaded in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp
from aiohttp import hdrs
from aiohttp.payload import Payload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aiohttp.abc import AbstractStreamWriter

CONNECT_TIMEOUT_SECONDS = 30.0
ONE_WRITE_BYTES = 64 * 1024
"""Up to this size buffers are joined and leave in one write, the first of them with the headers."""

HttpError: tuple[type[aiohttp.ClientError], type[OSError]] = (aiohttp.ClientError, OSError)
ServerDisconnectedError = aiohttp.ServerDisconnectedError


class BufferPayload(Payload):
    """A JSON body of several buffers, sent as they are: a long history is not joined for a call."""

    _autoclose = True

    def __init__(self, buffers: Sequence[bytes | memoryview], size: int) -> None:
        super().__init__(buffers, content_type="application/json")
        self._size = size

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole body as text."""
        return b"".join(self._value).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send the body."""
        for piece in _pieces(self._value):
            await writer.write(piece)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Send the body, whose length is the one that was announced."""
        await self.write(writer)


def _pieces(buffers: Sequence[bytes | memoryview]) -> Iterator[bytes | memoryview]:
    """The buffers with small neighbours joined: each write is a call of the system."""
    waiting: list[bytes | memoryview] = []
    size = 0
    for buffer in buffers:
        if waiting and size + len(buffer) > ONE_WRITE_BYTES:
            yield waiting[0] if len(waiting) == 1 else b"".join(waiting)
            waiting, size = [], 0
        waiting.append(buffer)
        size += len(buffer)
    yield b"".join(waiting)


def open_session() -> aiohttp.ClientSession:
    """A session without cookies, without waits of its own, and without a bound on connections: the runtime has one."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0, ttl_dns_cache=300),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_SECONDS),
        headers={
            hdrs.ACCEPT: "text/event-stream",
            hdrs.ACCEPT_ENCODING: "identity",
            hdrs.USER_AGENT: "fanal",
        },
    )
