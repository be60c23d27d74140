"""The threads of a local runtime in which tools that are not async run."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from contextvars import Context

IDLE_SECONDS = 10.0
"""How long a thread waits for its next call before it ends."""


class ToolThreads:
    """Daemon threads, as many as calls run at once. A tool that never returns does not hold the interpreter's exit."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        """Threads that wait for a call and are promised none."""
        self._busy: dict[threading.Thread, bool] = {}

    @property
    def count(self) -> int:
        """How many threads there are, those of abandoned calls included."""
        return len(self._busy)

    def run[T](self, function: Callable[[], T], context: Context) -> asyncio.Future[T]:
        """Run a function in a thread. Cancelling the future abandons the call: its thread ends when the call does."""
        future: asyncio.Future[T] = self._loop.create_future()
        jobs = self._jobs
        with self._lock:
            spawn = self._idle == 0
            if not spawn:
                self._idle -= 1
        jobs.put(_Job(function, context, future, self._loop))
        if spawn:
            thread = threading.Thread(target=self._work, args=(jobs,), name="agents-tool", daemon=True)
            self._busy[thread] = True
            thread.start()
        return future

    def close(self) -> None:
        """End the threads that wait, and return when they have. A thread whose call still runs ends with its call.

        A later call begins with a queue and threads of its own.
        """
        with self._lock:
            jobs, self._jobs = self._jobs, SimpleQueue()
            self._idle = 0
        threads = dict(self._busy)
        for _ in threads:
            jobs.put(None)
        for thread, busy in threads.items():
            if not busy:
                thread.join(timeout=1.0)

    def _work(self, jobs: SimpleQueue[_Job | None]) -> None:
        thread = threading.current_thread()
        try:
            while (job := self._next(jobs)) is not None:
                self._busy[thread] = True
                deliver = job.run()
                self._busy[thread] = False
                with self._lock:
                    if jobs is self._jobs:
                        self._idle += 1
                deliver()
                del job, deliver  # a thread that waits holds nothing of its last call
        finally:
            del self._busy[thread]

    def _next(self, jobs: SimpleQueue[_Job | None]) -> _Job | None:
        while True:
            try:
                return jobs.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if jobs is self._jobs and self._idle > 0:
                        self._idle -= 1
                        return None


class _Job:
    """A call that waits for a thread."""

    __slots__ = ("_context", "_function", "_future", "_loop")

    def __init__(
        self,
        function: Callable[[], Any],
        context: Context,
        future: asyncio.Future[Any],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._function = function
        self._context = context
        self._future = future
        self._loop = loop

    def run(self) -> Callable[[], None]:
        """Make the call; return what hands its outcome to the loop."""
        try:
            value = self._context.run(self._function)
        except BaseException as error:  # whatever it is, it belongs to who waits for the call
            carried = _carried(error)
            return lambda: self._deliver(_fail, carried)
        return lambda: self._deliver(_succeed, value)

    def _deliver(self, how: Callable[[asyncio.Future[Any], Any], None], what: object) -> None:
        try:
            self._loop.call_soon_threadsafe(how, self._future, what)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more


def _succeed(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


def _carried(error: BaseException) -> BaseException:
    """A future cannot hold StopIteration or GeneratorExit: either would end whoever awaits it."""
    if isinstance(error, StopIteration | GeneratorExit):
        carried = RuntimeError(f"The tool raised {type(error).__name__}")
        carried.__cause__ = error
        return carried
    return error
