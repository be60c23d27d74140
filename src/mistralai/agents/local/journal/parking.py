"""Parking: keeping a session without keeping its file open. A note beside the journal says that its writer lives.

The note is a hard link to the file of a *writer*, which a runtime holds locked for as long as it lives. So a note is
there as a whole or not at all, takes neither a file descriptor nor room on the disk, goes with its directory wherever
that is moved, and stays true whatever becomes of the writer's own name.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import threading
import weakref
from typing import TYPE_CHECKING, Final

from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from pathlib import Path

_LOGGER = logging.getLogger("mistralai.agents")
NOTE_NAME: Final = "parked"
WRITERS_NAME: Final = ".writers"
_TRIES: Final = 5
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV})
_WRITERS: weakref.WeakSet[Writer] = weakref.WeakSet()


class Writer:
    """The sign of life of one runtime, for the sessions that it has parked in a directory."""

    def __init__(self, root: Path) -> None:
        self._directory = root / WRITERS_NAME
        self._files: dict[tuple[int, int], tuple[int, Path]] = {}
        """By device and inode, the descriptor that holds the lock, and the name."""
        self._latest: Path | None = None
        """What the next note links to. There is another one once a file system counts no more links, and for those who
        delete it by hand."""
        self._lock = threading.Lock()
        self._unable = False
        _WRITERS.add(self)

    def leave_note(self, place: Path) -> bool:
        """Note in a session's directory that this runtime keeps it. Returns whether the file system takes such notes.

        Raises OSError where it takes none now.
        """
        with self._lock:
            if self._unable:
                return False
            try:
                self._link(place / NOTE_NAME)
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                self._unable = True
            else:
                self._unable = not self.keeps(place)  # some tell of a link that it is another file
            if self._unable:
                _LOGGER.warning(
                    "%s takes no hard links: each saved session that is open keeps its file open. "
                    "Raise the limit (ulimit -n) where many are.",
                    self._directory.parent,
                )
        return not self._unable

    def keeps(self, place: Path) -> bool:
        """Whether the note in a session's directory is this runtime's."""
        try:
            seen = os.stat(place / NOTE_NAME)
        except OSError:
            return False
        return (seen.st_dev, seen.st_ino) in self._files

    def take_back(self, place: Path) -> None:
        """Remove the note from a session's directory, if it is this runtime's."""
        if self.keeps(place):
            with contextlib.suppress(OSError):
                (place / NOTE_NAME).unlink()

    def close(self) -> None:
        """Live no longer, once no session is kept."""
        with self._lock:
            files, self._files, self._latest = self._files, {}, None
        for fd, path in files.values():
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(fd)

    def leave_to_the_parent(self) -> None:
        """A forked child keeps none of its parent's sessions."""
        files, self._files, self._latest = self._files, {}, None
        self._lock = threading.Lock()
        for fd, _ in files.values():
            os.close(fd)

    def _link(self, note: Path) -> None:
        refused: OSError | None = None
        for _ in range(_TRIES):
            if self._latest is None:
                self._latest = self._made()
            try:
                os.link(self._latest, note)
                return
            except FileExistsError:
                if self.keeps(note.parent):
                    return
                note.unlink()  # of one that is gone: who holds the journal's lock writes the session
            except OSError as error:
                if error.errno not in (errno.EMLINK, errno.ENOENT):
                    raise
                self._latest, refused = None, error
        raise refused or OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    def _made(self) -> Path:
        """Return the name of a new file that is locked."""
        import fcntl

        self._directory.mkdir(mode=0o700, exist_ok=True)
        forget_the_dead(self._directory.parent)
        for _ in range(_TRIES):
            path = self._directory / uuid7()
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                # Until it is locked, others may take it for one of the dead.
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                seen = os.stat(path)
            except (BlockingIOError, FileNotFoundError):
                os.close(fd)
                continue
            self._files[seen.st_dev, seen.st_ino] = fd, path
            return path
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def is_kept(place: Path) -> bool:
    """Whether a runtime that lives has left its note in a session's directory."""
    return is_locked(place / NOTE_NAME) is True


def clear(place: Path) -> bool:
    """Remove the note of a writer that is gone. Returns False for one that lives. For who holds the journal's lock."""
    lives = is_locked(place / NOTE_NAME)
    if lives is False:
        (place / NOTE_NAME).unlink()
        forget_the_dead(place.parent)
    return lives is not True


def forget_the_dead(root: Path) -> None:
    """Remove the files of writers that are gone. Their notes outlive that, and say so as well."""
    directory = root / WRITERS_NAME
    with contextlib.suppress(OSError):
        for name in os.listdir(directory):
            if is_locked(directory / name) is False:
                (directory / name).unlink(missing_ok=True)


def is_locked(path: Path) -> bool | None:
    """Whether somebody writes with a file's lock; None for no file. Others may ask at the same moment."""
    import fcntl

    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two who ask are not to take each other for the writer
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _leave_to_the_parent() -> None:
    for writer in list(_WRITERS):
        writer.leave_to_the_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_the_parent)
