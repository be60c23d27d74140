"""The journal of one session: a file that grows by a line an append, and the lock that keeps other writers out."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from typing import TYPE_CHECKING

from mistralai.agents.local.journal.lines import After, facts_line, follow_up, header_line, plain, plain_line
from mistralai.agents.local.journal.uploads import LONG_LINE, Uploads
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.committer import Committer

FILE_NAME = "journal.jsonl"
UPLOADS_NAME = "uploads"
_OPEN: weakref.WeakSet[FileJournal] = weakref.WeakSet()


class FileJournal:
    """Implements the port `Journal`. Its file descriptor holds the lock: both go with the process, however it ends."""

    def __init__(
        self, fd: int, directory: Path, committer: Committer | None, *, header: bytes = b"", size: int = 0, n: int = 0
    ) -> None:
        self._fd = fd
        self._directory = directory
        self._committer = committer
        """None where the operating system decides when the disk has it."""
        self._header = header
        """The first line, until it is written with the first facts."""
        self._size = size
        self._safe = 0 if header else size
        self._n = n
        self._after = After(at=0.0)
        self._syncing: asyncio.Future[None] | None = None
        self._names: list[Path] = [directory.parent.parent, directory.parent, directory] if header else []
        """Directories and uploads that are to be durable with the next commit."""
        self._broken: str | None = None
        self._using_fd = threading.Lock()
        """Held by a thread that syncs, so that the number of a closed file is never used for another."""
        _OPEN.add(self)

    @classmethod
    def new(cls, fd: int, directory: Path, committer: Committer | None, about: dict[str, Any]) -> FileJournal:
        """Return the journal of a new session, in an empty file that is open and locked."""
        return cls(fd, directory, committer, header=header_line(directory.name, about))

    def continues(self, after: After | None) -> None:
        """Take note of what the session had come to in the lines that are there."""
        self._after = after or self._after

    def write(self, facts: Sequence[Fact]) -> None:
        """Add a line with the facts. Raises JournalError, with nothing added, where it cannot be written."""
        if self._broken is not None:
            raise self._error(f"cannot be written: {self._broken}")
        after = follow_up(self._after, facts)
        try:
            line = self._header + self._line(facts, after)
            self._put(line)
        except OSError as error:
            raise self._error(f"cannot be written: {error.strerror or error}. Nothing was applied") from error
        self._header = b""
        self._size += len(line)
        self._n += len(facts)
        self._after = after

    async def commit(self) -> None:
        """Return once every line written before is on the disk. Commits at the same time share one sync of the file."""
        if self._committer is None:
            return
        goal = self._size
        while self._safe < goal:
            if self._broken is not None:
                raise self._error(f"may have lost what was written last: {self._broken}")
            if self._syncing is None:
                self._start_sync(self._committer)
            assert self._syncing is not None
            await asyncio.shield(self._syncing)

    def close_if_safe(self) -> bool:
        """Let go of the file, if nothing of it still has to be made durable."""
        if self._syncing is not None or (self._committer is not None and self._safe < self._size):
            return False
        self.sync_and_close()
        return True

    def sync_and_close(self) -> None:
        """Make what was written durable, and let go of the file. For a thread, or the end of a loop."""
        try:
            if self._committer is not None and self._safe < self._size:
                self._sync(self._names)
                self._safe = self._size
        except OSError as error:
            self._broken = f"{error.strerror or error}. Open the session again"
        with self._using_fd:
            fd, self._fd = self._fd, -1
            _OPEN.discard(self)
            if fd < 0:
                return
            os.close(fd)
        if self._header:  # the first append never came: there is no session
            (self._directory / FILE_NAME).unlink(missing_ok=True)
            self._directory.rmdir()

    def _line(self, facts: Sequence[Fact], after: After) -> bytes:
        line = facts_line(self._n, facts, after)
        if len(line) < LONG_LINE:
            return line
        data = plain(facts)
        uploads, written = Uploads(self._directory / UPLOADS_NAME).take_out(data)
        if not uploads:
            return line
        if written:
            self._names += [*written, self._directory / UPLOADS_NAME, self._directory]
        return plain_line(self._n, data, uploads, after)

    def _put(self, line: bytes) -> None:
        """Write all of a line, or none of it."""
        put = 0
        try:
            while put < len(line):
                put += os.write(self._fd, line[put:] if put else line)
        except OSError:
            if put:
                self._take_back()
            raise

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._size)
        except OSError as error:
            self._broken = f"{error.strerror or error}, and half a line stayed in it. Open the session again"
            raise

    def _start_sync(self, committer: Committer) -> None:
        loop = asyncio.get_running_loop()
        syncing = self._syncing = loop.create_future()
        goal, names = self._size, self._names
        self._names = []

        def done(error: OSError | None) -> None:
            self._syncing = None
            if error is None:
                self._safe = max(self._safe, goal)
            else:
                # A sync that failed once may succeed next time without having written: what it covered is in doubt.
                self._broken = f"{error.strerror or error}. Open the session again"
            if not syncing.done():
                syncing.set_result(None)

        committer.submit(lambda: self._sync(names), loop, done)

    def _sync(self, names: list[Path]) -> None:
        for name in names:
            fd = os.open(name, os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        with self._using_fd:
            if self._fd >= 0:
                _sync_data(self._fd)

    def _error(self, what: str) -> JournalError:
        return JournalError(
            f"Session {self._directory.name}: its journal {self._directory / FILE_NAME} {what}. "
            "The session can still be read; make room or mend the disk, then try again."
        )


def _sync_data(fd: int) -> None:
    """Wait until the disk has a file's content. macOS has a call of its own for that."""
    import fcntl

    if (full := getattr(fcntl, "F_FULLFSYNC", None)) is not None:
        fcntl.fcntl(fd, full)
    else:
        os.fdatasync(fd)


def _leave_to_the_parent() -> None:
    """A forked child lets go of its copies: the lock is its parent's and must not outlive it."""
    for journal in list(_OPEN):
        fd, journal._fd = journal._fd, -1  # pyright: ignore[reportPrivateUsage]  # of this module's own class
        if fd >= 0:
            os.close(fd)
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
