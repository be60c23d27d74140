"""A piece of work: something of a turn that runs now, a model's call or a tool, in a task of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class Work:
    """Something of a turn that runs now."""

    __slots__ = ("abandoned", "begun", "in_thread", "stopping", "task")

    def __init__(self, *, in_thread: bool = False) -> None:
        self.task: asyncio.Task[None] | None = None
        self.in_thread: bool = in_thread
        """A thread cannot be cancelled: a stopping turn gives it time to end by itself."""
        self.begun: bool = False
        """Whether its task has run at all: one that is cancelled before never does."""
        self.stopping: bool = False
        self.abandoned: bool = False
        """The turn ended without it: what comes of it is dropped."""

    def stop(self) -> None:
        """Cancel it; after its first step, where the loop runs that before it returns the task."""
        self.stopping = True
        if self.task is not None:
            self.task.cancel()
