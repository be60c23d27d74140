"""Work that several waits share: it runs once, and is given up when the last of them leaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class SharedWork:
    """A task and how many wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[None]) -> None:
        self.task: asyncio.Task[None] = task
        self.waiting: int = 0


async def join(works: dict[str, SharedWork], key: str, start: Callable[[], Awaitable[None]]) -> None:
    """Wait for the work of this key, started if nobody has. What it raises is raised in every wait."""

    async def run() -> None:
        await start()

    work = works.get(key)
    if work is None or work.task.done():
        work = works[key] = SharedWork(asyncio.create_task(run()))
    work.waiting += 1
    try:
        await asyncio.shield(work.task)
    finally:
        work.waiting -= 1
        if not work.waiting:
            work.task.cancel()
            if works.get(key) is work:
                del works[key]
