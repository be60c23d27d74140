"""Telling a cancellation that stops a piece of work from one that the work's own code brought about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents.core.session import OpenSession


def is_torn_down() -> bool:
    """Whether the running coroutine is being closed instead of run: its loop is gone, and nothing is to follow."""
    try:
        return asyncio.current_task() is None
    except RuntimeError:
        return True


def loop_ends() -> bool:
    """Whether the event loop is being shut down: that cancels everything that runs in it, and nothing else does."""
    return all(task.cancelling() for task in asyncio.all_tasks())


def stops_the_work(session: OpenSession) -> bool:
    """Whether the running task is cancelled because its turn stops, or its event loop does.

    False for code that raised CancelledError, or cancelled the task it runs in: an error like any other.
    """
    if is_torn_down():
        return True
    task = asyncio.current_task()
    assert task is not None
    if not task.cancelling():
        return False
    work = next((work for work in session.works.values() if work.task is task), None)
    if work is None or work.stopping or loop_ends():
        return True
    for _ in range(task.cancelling()):
        task.uncancel()
    return False
