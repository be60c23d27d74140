"""The one HTTP client of an event loop, opened at the first call and closed with its owner."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp


class ModelClient:
    """Owns the HTTP session that every provider of one event loop shares. Nothing is opened before the first call."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.open_calls = 0
        """Model calls whose reply is still being read."""

    @staticmethod
    def preload() -> None:
        """Import the HTTP library: call it in a thread, so that the first model call does not wait for it."""
        importlib.import_module("mistralai.agents.models.transport")

    def session(self) -> aiohttp.ClientSession:
        """The HTTP session of the running loop. Raises RuntimeError in any loop but the one that opened it."""
        session = self._session
        if session is not None and self._loop is asyncio.get_running_loop() and not session.closed:
            return session
        return self._opened()

    async def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        session, self._session, self._loop = self._session, None, None
        if session is not None:
            await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        from mistralai.agents.models.transport import open_session

        loop = asyncio.get_running_loop()
        if self._loop is not None and self._loop is not loop and not self._loop.is_closed():
            raise RuntimeError(
                "This model client belongs to another event loop that still runs. Use one client a loop."
            )
        self._loop = loop
        self._session = open_session()
        return self._session
