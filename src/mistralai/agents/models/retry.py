"""When a failed model call is tried again. Reads no clock but the one it is given."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Protocol

FIRST_WAIT_SECONDS = 0.5
GROWTH = 1.5
LONGEST_WAIT_SECONDS = 10.0
DEFAULT_RETRY_SECONDS = 60.0
JITTER = 0.25
"""Up to this part of a wait is left out, so that callers who failed together do not come back together."""


class RetryClock(Protocol):
    """The time, and waiting for it."""

    def time(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...

    async def sleep(self, seconds: float, /) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock."""

    def time(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float, /) -> None:
        """Wait; a cancelled wait ends at once."""
        await asyncio.sleep(seconds)


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """The wait a Retry-After header asks for, in seconds or until a date; None if it asks for none or is unreadable."""
    value = (value or "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value)) if value[0] in "0123456789." else _until(value, now)
    except (ValueError, OverflowError):
        return None


def _until(date: str, now: float) -> float:
    from email.utils import parsedate_to_datetime

    return max(0.0, parsedate_to_datetime(date).timestamp() - now)


class RetrySchedule:
    """The waits of one call: they grow by half from 0.5 s to 10 s, and all attempts together stay within 60 s."""

    __slots__ = ("_clock", "_end", "_wait")

    def __init__(self, clock: RetryClock, *, total_seconds: float = DEFAULT_RETRY_SECONDS) -> None:
        self._clock = clock
        self._wait = FIRST_WAIT_SECONDS
        self._end = clock.monotonic() + total_seconds

    def next_wait(self, retry_after: str | None) -> float | None:
        """Seconds until the next attempt; None if it would begin too late."""
        wait = self._wait * (1.0 - JITTER * random.random())
        self._wait = min(self._wait * GROWTH, LONGEST_WAIT_SECONDS)
        if (asked := retry_after_seconds(retry_after, self._clock.time())) is not None:
            wait = max(wait, asked)
        return wait if self._clock.monotonic() + wait < self._end else None
