"""The clock of a local runtime: the machine's time, and the timers of its event loop."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.ports import Timer


class LoopClock:
    """Implements the port `Clock`."""

    __slots__ = ("_loop",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def time(self) -> float:
        """Return seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Return the loop's own time."""
        return self._loop.time()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` from the loop in `delay` seconds."""
        return self._loop.call_later(delay, callback)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
