"""The file of a journal that this runtime alone writes: open and locked, or parked."""

from __future__ import annotations

import errno
import os
import threading
import time
from typing import TYPE_CHECKING, Final, NoReturn

from mistralai.agents.local.journal.open_files import OPEN_FILES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mistralai.agents.local.journal.committer import Committer
    from mistralai.agents.local.journal.parking import Writer

FILE_NAME: Final = "journal.jsonl"
APPENDING: Final = os.O_RDWR | os.O_APPEND
_TRIES: Final = 5
_BETWEEN_TRIES_SECONDS: Final = 0.001


class OwnedFile:
    """Its descriptor holds the lock; while it is parked, a note says who may open it again.

    Written by the loop; synced, parked and closed by any thread.
    """

    __slots__ = (
        "_committer",
        "_directory",
        "_fd",
        "_noted",
        "_parked",
        "_using_fd",
        "_writer",
        "_writing",
        "broken",
        "size",
        "synced",
    )

    def __init__(self, fd: int, directory: Path, writer: Writer, committer: Committer | None, *, size: int) -> None:
        self._fd = fd
        self._directory = directory
        self._writer = writer
        self._committer = committer
        """None where the operating system decides when the disk has it."""
        self.size: int = size
        """Bytes written."""
        self.synced: int = size
        """Bytes that the disk has."""
        self.broken: str | None = None
        """Why it takes nothing any more; None while it does."""
        self._parked = False
        self._noted = False
        """Whether the runtime's note is in the directory. It stays there from the first parking to the end."""
        self._using_fd = threading.Lock()
        """Held by a thread that syncs, so that the number of a closed file is never used for another. Whoever parks
        holds it too; it is never waited for by who holds another file's."""
        self._writing = threading.Lock()
        """Held while a line is written, and for the moment in which a file that is parked is closed."""
        OPEN_FILES.used(self)

    def append(self, data: bytes) -> None:
        """Write all of it, or none. Raises OSError; `broken` says whether it is for good."""
        with self._writing:
            if self._parked:
                self._open_again()
            OPEN_FILES.used(self)
            self._put(data)
            self.size += len(data)

    def sync(self) -> None:
        """Wait until the disk has what was written. Raises OSError, after which it is in doubt."""
        with self._using_fd:
            self._sync()

    def soon(self, park: Callable[[], None]) -> None:
        """Park now where that takes no time, else in a thread."""
        if self._committer is None or self.synced >= self.size:
            park()
        else:
            self._committer.later(park)

    def park(self) -> bool:
        """Close the file and leave a note. Returns whether it is closed: it is not while it is in use."""
        if not self._using_fd.acquire(blocking=False):
            return False
        try:
            size = self.size
            if self._fd < 0:
                return True
            if not size or self.broken is not None or not self._note():
                return False
            if self._committer is not None:
                self._sync()
            return self._close_parked(size)
        except OSError:
            return False
        finally:
            self._using_fd.release()

    def close(self) -> bool:
        """Let go of it, so that others may write. Returns whether it was open."""
        with self._using_fd:
            OPEN_FILES.closed(self)
            fd, self._fd = self._fd, -1
            if self._noted:
                self._writer.take_back(self._directory)
            self._parked = self._noted = False
            if fd < 0:
                return False
            os.close(fd)
            return True

    def leave_to_the_parent(self) -> None:
        """Close the copy of a forked child."""
        fd, self._fd = self._fd, -1
        self._parked = self._noted = False
        self._using_fd, self._writing = threading.Lock(), threading.Lock()
        if fd >= 0:
            os.close(fd)

    def _put(self, data: bytes) -> None:
        put = 0
        try:
            while put < len(data):
                put += os.write(self._fd, data[put:] if put else data)
        except OSError:
            if put:
                self._take_back()
            raise

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._fd, self.size)
        except OSError as error:
            self.broken = (
                f"{error.strerror or error}, and half a line stayed in it. Mend the disk, then open the session again"
            )
            raise

    def _sync(self) -> None:
        size = self.size
        if self._fd < 0 or self.synced >= size:
            return
        try:
            sync_data(self._fd)
        except OSError as error:
            # A sync that failed once may succeed next time without having written: what it covered is in doubt.
            self.broken = f"{error.strerror or error}. Mend the disk, then open the session again"
            raise
        self.synced = size

    def _note(self) -> bool:
        if not self._noted:
            self._noted = self._writer.leave_note(self._directory)
        return self._noted

    def _close_parked(self, size: int) -> bool:
        if not self._writing.acquire(blocking=False):
            return False
        try:
            if self.size != size:
                return False  # written meanwhile, and not yet on the disk
            fd, self._fd = self._fd, -1
            self._parked = True
            OPEN_FILES.closed(self)
            os.close(fd)
            return True
        finally:
            self._writing.release()

    def _open_again(self) -> None:
        OPEN_FILES.make_room()
        try:
            fd = OPEN_FILES.open(self._directory / FILE_NAME, APPENDING)
        except FileNotFoundError:
            self._lose("it is there no longer")
        try:
            locked = lock_soon(fd)
            if not self._writer.keeps(self._directory) or os.fstat(fd).st_size != self.size:
                self._lose("another process took the session over")
            if not locked:
                raise BlockingIOError(errno.EAGAIN, "another process holds it for a moment")
        except BaseException:
            os.close(fd)
            raise
        self._fd, self._parked = fd, False

    def _lose(self, why: str) -> NoReturn:
        self.broken = f"{why}. Open the session again"
        raise OSError(errno.ESTALE, why)


def lock_soon(fd: int) -> bool:
    """Lock a journal. Somebody who only asks whether it is held, or has not seen a note yet, has it for a moment."""
    import fcntl

    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if left:
                time.sleep(_BETWEEN_TRIES_SECONDS)
    return False


def sync_data(fd: int) -> None:
    """Wait until the disk has a file's content. macOS has a call of its own for that."""
    import fcntl

    if (full := getattr(fcntl, "F_FULLFSYNC", None)) is not None:
        fcntl.fcntl(fd, full)
    else:
        os.fdatasync(fd)
