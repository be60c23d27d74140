"""Time, chance and waiting for hooks: `now`, `random`, `uuid4`, `sleep`. A durable session records what they give."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from uuid import UUID


class Draws(Protocol):
    """Where a running hook's values come from."""

    def draw[V: (str, float)](self, kind: str, make: Callable[[], V]) -> V:
        """Return the value recorded at this place of the hook, or make and record one."""
        ...


_CURRENT: ContextVar[Draws | None] = ContextVar("mistralai.agents.draws", default=None)


class Drawing:
    """A block in which the functions below take their values from `draws`. A class: it is entered at every point."""

    __slots__ = ("_draws", "_token")

    def __init__(self, draws: Draws) -> None:
        self._draws = draws

    def __enter__(self) -> None:
        self._token = _CURRENT.set(self._draws)

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._token)


def now() -> datetime:
    """Return the time, in UTC. In a hook of a saved session the same point gives the same time after a crash."""
    import time
    from datetime import UTC, datetime

    return datetime.fromtimestamp(_draw("now", time.time), UTC)


def random() -> float:
    """Return a number from 0 up to 1. Recorded as `now` is."""
    import random as chance

    return _draw("random", chance.random)


def uuid4() -> UUID:
    """Return a random UUID. Recorded as `now` is."""
    import uuid

    return uuid.UUID(_draw("uuid4", lambda: str(uuid.uuid4())))


async def sleep(seconds: float) -> None:
    """Wait. After a crash a hook of a saved session waits for the rest only."""
    import asyncio
    import time

    until = _draw("sleep", lambda: time.time() + seconds)
    await asyncio.sleep(min(seconds, max(0.0, until - time.time())))


def _draw[V: (str, float)](kind: str, make: Callable[[], V]) -> V:
    draws = _CURRENT.get()
    return make() if draws is None else draws.draw(kind, make)
