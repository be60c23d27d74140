"""Gates: points at which a test holds a stream, without waiting for time to pass."""

from __future__ import annotations

import asyncio


class Gate:
    """A point in a scripted reply where the stream waits until the test opens it."""

    __slots__ = ("_opened", "_reached")

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._reached = asyncio.Event()

    async def reached(self) -> None:
        """Wait until the stream has come to this point."""
        await self._reached.wait()

    def open(self) -> None:
        """Let the stream go on. A gate opened before it is reached holds nothing."""
        self._opened.set()

    async def hold(self) -> None:
        """Say that the point is reached, and wait until it is opened. Usable in tools and functions of a test too."""
        self._reached.set()
        await self._opened.wait()

    @property
    def is_reached(self) -> bool:
        """True once something waits, or waited, at this point."""
        return self._reached.is_set()

    def __repr__(self) -> str:
        return f"<gate, {'open' if self._opened.is_set() else 'shut'}>"


def gate() -> Gate:
    """Make a gate, shut."""
    return Gate()
