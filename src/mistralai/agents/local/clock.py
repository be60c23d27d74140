"""The clock of a local runtime: the machine's time, and the timers of its event loop."""

from __future__ import annotations

import asyncio
import contextvars
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.ports import Clock, Timer

STANDING_IN: list[Clock] = []
"""Clocks that stand in for the machine's, in tests; the last one counts."""


class LoopClock:
    """Implements the port `Clock`."""

    __slots__ = ("_context", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._context = contextvars.Context()
        """What timers run in: that of whoever sets one would be kept alive until it is due, an hour for a callback."""

    def time(self) -> float:
        """Return seconds since 1970."""
        return STANDING_IN[-1].time() if STANDING_IN else time.time()

    def monotonic(self) -> float:
        """Return the loop's own time."""
        return STANDING_IN[-1].monotonic() if STANDING_IN else self._loop.time()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` from the loop in `delay` seconds."""
        if STANDING_IN:
            return STANDING_IN[-1].call_later(delay, callback)
        return self._loop.call_later(delay, callback, context=self._context)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await (STANDING_IN[-1].sleep(seconds) if STANDING_IN else asyncio.sleep(seconds))
