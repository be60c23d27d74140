"""The threads that make written lines durable, for every session of a runtime, so that commits share the wait."""

from __future__ import annotations

import contextlib
import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

MOST_THREADS: Final = 4
"""A file system joins the commits that are under way at once, so a few threads serve many sessions."""
LAST_WAIT_SECONDS: Final = 10.0
"""How long closing waits for a disk that does not answer."""

type Done = Callable[[OSError | None], None]
type _Job = tuple[Callable[[], None], tuple[asyncio.AbstractEventLoop, Done] | None]


class Committer:
    """Runs a file's sync in a thread and tells the event loop that asked."""

    __slots__ = ("_jobs", "_lock", "_pending", "_threads")

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._pending = 0

    def submit(self, sync: Callable[[], None], loop: asyncio.AbstractEventLoop, done: Done) -> None:
        """Run `sync` in a thread, then `done` in the loop with the error it raised, or None."""
        self._put((sync, (loop, done)))

    def later(self, job: Callable[[], None]) -> None:
        """Run in a thread what nobody waits for. It raises nothing."""
        self._put((job, None))

    def close(self) -> None:
        """Return when everything submitted is done and the threads are gone."""
        with self._lock:
            threads, self._threads = self._threads, []
        for _ in threads:
            self._jobs.put(None)
        for thread in threads:
            thread.join(LAST_WAIT_SECONDS)

    def _put(self, job: _Job) -> None:
        with self._lock:  # sessions are parked from any thread
            self._pending += 1
            if len(self._threads) < min(self._pending, MOST_THREADS):
                thread = threading.Thread(target=self._work, name="agents-journal", daemon=True)
                thread.start()
                self._threads.append(thread)
        self._jobs.put(job)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            sync, told = job
            error: OSError | None = None
            try:
                sync()
            except OSError as raised:
                error = raised
            with self._lock:
                self._pending -= 1
            if told is not None:
                loop, done = told
                with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                    loop.call_soon_threadsafe(done, error)
