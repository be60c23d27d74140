"""A model that stops in the middle of its reply, for tests of what happens meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

USAGE = agents.TokenUsage(input_tokens=10, output_tokens=2, total_tokens=12)


class HeldModel:
    """Says `first`, waits for `release`, says `rest`. Every call does the same."""

    def __init__(self, first: str = "First words", rest: str = ", and the rest.") -> None:
        self.first = first
        self.rest = rest
        self.release = asyncio.Event()
        self.held = asyncio.Semaphore(0)
        """Released once for each call that waits."""
        self.calls = 0
        """Calls that were begun."""
        self.now = 0
        """Calls whose reply is being read."""
        self.most = 0
        """The most of them at one time."""

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.first:
                yield agents.TextChunk(self.first)
            self.held.release()
            await self.release.wait()
            yield agents.TextChunk(self.rest)
            yield agents.ReplyFinished(reason="stop", usage=USAGE)
        finally:
            self.now -= 1
