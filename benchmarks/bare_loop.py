"""The floor of a turn: two streamed calls with aiohttp, each event parsed with json, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


def open_client() -> aiohttp.ClientSession:
    """A client whose connections are not bounded."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), cookie_jar=aiohttp.DummyCookieJar())


async def turn(client: aiohttp.ClientSession, url: str, bodies: Sequence[bytes]) -> str:
    """Send each body, as the agent sends it, and read the reply to its end."""
    text = ""
    for body in bodies:
        async for chunk in _chunks(client, url, body):
            text += chunk["choices"][0]["delta"].get("content") or ""
    return text


async def _chunks(client: aiohttp.ClientSession, url: str, body: bytes) -> AsyncIterator[dict[str, Any]]:
    headers = {"Authorization": "Bearer key", "Content-Type": "application/json"}
    async with client.post(url, data=body, headers=headers) as response:
        rest = b""
        async for data in response.content.iter_any():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    yield json.loads(line[6:])
