"""A clock for tests: time stands still until the test moves it."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from mistralai.agents.local.clock import STANDING_IN

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

SETTLING_STEPS = 10
"""Steps that the event loop is given after each timer, so that what it set off comes to its next wait."""


class FakeTimer:
    """A call that is due when the test has moved the time that far."""

    __slots__ = ("callback", "due", "number")

    def __init__(self, due: float, number: int, callback: Callable[[], None]) -> None:
        self.due: float = due
        self.number: int = number
        self.callback: Callable[[], None] | None = callback
        """None once it was made or dropped."""

    def cancel(self) -> None:
        """Drop it."""
        self.callback = None

    def __lt__(self, other: FakeTimer) -> bool:
        return (self.due, self.number) < (other.due, other.number)


class FakeClock:
    """Time that moves only by `advance`. In a `with` block every local runtime of the process goes by it.

    It times what sessions do: the expiry of callbacks, deadlines, the waits between retries. The `timeout=` of a wait
    and `asyncio.sleep` go on in real time.
    """

    def __init__(self, now: datetime = datetime(2030, 1, 1, tzinfo=UTC)) -> None:
        if now.tzinfo is None:
            raise ValueError(f"FakeClock: now is {now!r}, which has no time zone. Pass one, such as tzinfo=UTC.")
        self._start = now
        self._passed = 0.0
        self._timers: list[FakeTimer] = []
        self._made = 0
        self._timer_was_made = asyncio.Event()

    @property
    def now(self) -> datetime:
        """The clock's time."""
        return self._start + timedelta(seconds=self._passed)

    @property
    def waiting(self) -> int:
        """How many timers and sleeps are still to come."""
        return sum(timer.callback is not None for timer in self._timers)

    def time(self) -> float:
        """Return seconds since 1970."""
        return self._start.timestamp() + self._passed

    def monotonic(self) -> float:
        """Return the seconds that the test has let pass."""
        return self._passed

    def call_later(self, delay: float, callback: Callable[[], None]) -> FakeTimer:
        """Call `callback` once the test has moved the time by `delay` seconds."""
        self._made += 1
        timer = FakeTimer(self._passed + max(0.0, delay), self._made, callback)
        heapq.heappush(self._timers, timer)
        self._timer_was_made.set()
        return timer

    async def sleep(self, seconds: float) -> None:
        """Wait until the test has moved the time by that much."""
        over = asyncio.Event()
        timer = self.call_later(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    async def is_waited_on(self) -> None:
        """Wait until something waits for this clock."""
        while not self.waiting:
            self._timer_was_made.clear()
            await self._timer_was_made.wait()

    async def advance(self, seconds: float) -> None:
        """Move the time, making each call on the way at its time and in order."""
        if seconds < 0:
            raise ValueError(f"FakeClock: cannot advance by {seconds!r} seconds. Time only goes forward.")
        end = self._passed + seconds
        while self._timers and self._timers[0].due <= end:
            timer = heapq.heappop(self._timers)
            if (callback := timer.callback) is None:
                continue
            self._passed = max(self._passed, timer.due)
            timer.callback = None
            callback()
            await _settle()
        self._passed = end
        await _settle()

    def __enter__(self) -> Self:
        STANDING_IN.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        STANDING_IN.remove(self)

    def __repr__(self) -> str:
        return f"<FakeClock at {self.now.isoformat()}, {self.waiting} waiting>"


async def _settle() -> None:
    for _ in range(SETTLING_STEPS):
        await asyncio.sleep(0)
