"""The directory of saved sessions: one directory a session, named by its id."""

from __future__ import annotations

import errno
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.core.ports import SavedLog
from mistralai.agents.local.journal.committer import Committer
from mistralai.agents.local.journal.crash_points import classes
from mistralai.agents.local.journal.file import UPLOADS_NAME
from mistralai.agents.local.journal.keys import KEYS_NAME, claim
from mistralai.agents.local.journal.open_files import OPEN_FILES
from mistralai.agents.local.journal.owned_file import APPENDING, FILE_NAME, lock_soon
from mistralai.agents.local.journal.parking import Writer, clear, is_kept, is_locked
from mistralai.agents.local.journal.reader import JournalReader
from mistralai.agents.local.journal.summaries import summary
from mistralai.agents.local.journal.uploads import Uploads
from mistralai.agents.values.errors import (
    JournalError,
    SdkError,
    SessionInUseError,
    SessionNotFoundError,
    UnsupportedAgentFeatureError,
)
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.core.ports import Claim, Journal, SavedSummary
    from mistralai.agents.local.journal.owned_file import OwnedFile

MOST_AT_ONCE: Final = 16
"""How many sessions are opened at once, and how many keys are claimed: each takes files that nothing else counts."""
_USABLE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@record
class JournalDirectory:
    """Where sessions are saved, as `local_runtime(journal_factory=)` takes it. Two of the same directory are equal."""

    path: str
    """The directory, absolute. It is made when the first session is saved."""
    fsync: bool = True
    """Whether a decision point waits until the disk has it; False leaves the time to the operating system."""

    def __call__(self) -> DirectoryJournals:
        """Return the journals of one runtime."""
        return DirectoryJournals(Path(self.path), fsync=self.fsync)


def directory(path: str | os.PathLike[str], *, fsync: bool) -> JournalDirectory:
    """Return the directory for saved sessions. Raises where the machine cannot lock files."""
    try:
        import fcntl as _  # noqa: F401  # is there such a module?
    except ImportError:
        raise UnsupportedAgentFeatureError(
            "JsonFileSessionJournal needs file locks of POSIX, which this system does not have. "
            "Keep sessions in memory here, or run on Linux or macOS."
        ) from None
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise SdkError(f"in_directory: path is {path!r}. Pass the path of a directory.")
    if not isinstance(fsync, bool):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise SdkError(f"in_directory: fsync is {fsync!r}. Pass True or False.")
    return JournalDirectory(path=os.path.abspath(os.fspath(path)), fsync=fsync)


class DirectoryJournals:
    """Implements the port `Journals` for one runtime."""

    def __init__(self, root: Path, *, fsync: bool) -> None:
        self._root = root
        self._committer = Committer()
        self._durable = fsync
        self._writer = Writer(root)
        self._journal, self._file = classes()
        self._opening = threading.Semaphore(MOST_AT_ONCE)
        self._claiming = threading.Semaphore(MOST_AT_ONCE)

    def create(self, session_id: str, about: Mapping[str, Any]) -> Journal:
        """Return the journal of a new session. There is none in the directory until its first facts are written."""
        place = self._root / session_id
        fd = -1
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.mkdir(mode=0o700)
            OPEN_FILES.make_room()
            fd = OPEN_FILES.open(place / FILE_NAME, APPENDING | os.O_CREAT | os.O_EXCL)
            _lock(fd, session_id)
        except OSError as error:
            if fd >= 0:
                os.close(fd)
            raise JournalError(f"No session can be saved in {self._root}: {_reason(error)}") from error
        return self._journal.new(self._owned(fd, place, size=0), place, self._committing, dict(about))

    def open(self, session_id: str) -> SavedLog:
        """Return a saved session, to be continued. Raises SessionInUseError while somebody else writes it."""
        with self._opening:
            return self._open(session_id)

    def _open(self, session_id: str) -> SavedLog:
        place = self._place(session_id)
        try:
            if is_kept(place):  # asked before its file is locked, for its owner may be about to write
                raise _in_use(session_id)
            OPEN_FILES.make_room()
            fd = OPEN_FILES.open(place / FILE_NAME, APPENDING)
        except FileNotFoundError:
            raise _not_found(self._root, session_id) from None
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                return self._read(session_id)
            raise JournalError(f"Session {session_id} cannot be opened in {self._root}: {_reason(error)}") from error
        try:
            _lock(fd, session_id)
            if not clear(place):
                raise _in_use(session_id)
            reader = self._reader(session_id)
            facts, torn = reader.read()
            if reader.header is None or not facts:
                raise _not_found(self._root, session_id)
            repair = _cut(fd, place, reader, torn) if torn else None
        except OSError as error:
            os.close(fd)
            raise JournalError(f"Session {session_id} cannot be opened in {self._root}: {_reason(error)}") from error
        except BaseException:
            os.close(fd)
            raise
        file = self._owned(fd, place, size=reader.offset)
        journal = self._journal(file, place, self._committing, n=reader.n)
        journal.continues(reader.after)
        return SavedLog(about=reader.header.about, facts=facts, journal=journal, repair=repair, more=lambda: [])

    def read(self, session_id: str) -> SavedLog:
        """Return a saved session as it is now, to be looked at."""
        with self._opening:
            return self._read(session_id)

    def _read(self, session_id: str) -> SavedLog:
        reader = self._reader(session_id)
        try:
            facts, _ = reader.read()
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                raise _not_found(self._root, session_id) from None
            raise JournalError(f"Session {session_id} cannot be read in {self._root}: {_reason(error)}") from error
        if reader.header is None or not facts:
            raise _not_found(self._root, session_id)

        def more() -> list[Any]:
            return reader.read()[0] if reader.grown() else []

        return SavedLog(about=reader.header.about, facts=facts, journal=None, repair=None, more=more)

    def ids(self) -> list[str]:
        """Return the ids of what is in the directory, newest first."""
        try:
            names = os.listdir(self._root)
        except FileNotFoundError:
            return []
        return sorted((name for name in names if _USABLE_ID.fullmatch(name)), reverse=True)

    def summary(self, session_id: str) -> SavedSummary | None:
        """Return what a list shows of a session; None where there is none."""
        try:
            return summary(self._place(session_id))
        except SessionNotFoundError:
            return None

    def is_held(self, session_id: str) -> bool:
        """Whether somebody writes a session now, here or elsewhere."""
        try:
            place = self._place(session_id)
            return is_kept(place) or is_locked(place / FILE_NAME) is True
        except (OSError, SessionNotFoundError):
            return False

    def claim(self, agent_name: str, key: str, session_id: str) -> Claim:
        """Return the session that an idempotency key started; else keep the key for a new one, till it is released.

        Waits while another process makes the key's session.
        """
        try:
            return claim(
                self._root / KEYS_NAME,
                agent_name,
                key,
                session_id,
                self._is_there,
                fsync=self._durable,
                at_once=self._claiming,
            )
        except OSError as error:
            raise JournalError(f"No session can be saved in {self._root}: {_reason(error)}") from error

    def close(self) -> None:
        """End the threads, and live no longer for other processes; later sessions start anew."""
        self._committer.close()
        self._writer.close()

    @property
    def _committing(self) -> Committer | None:
        return self._committer if self._durable else None

    def _owned(self, fd: int, place: Path, *, size: int) -> OwnedFile:
        return self._file(fd, place, self._writer, self._committing, size=size)

    def _place(self, session_id: str) -> Path:
        if not _USABLE_ID.fullmatch(session_id):
            raise _not_found(self._root, session_id)
        return self._root / session_id

    def _is_there(self, session_id: str) -> bool:
        """Whether a session was started, readable or not."""
        try:
            facts, _ = self._reader(session_id).read()
        except FileNotFoundError:
            return False
        except (JournalError, SessionNotFoundError):
            return True
        return bool(facts)

    def _reader(self, session_id: str) -> JournalReader:
        place = self._place(session_id)
        return JournalReader(place / FILE_NAME, Uploads(place / UPLOADS_NAME))


def _lock(fd: int, session_id: str) -> None:
    if not lock_soon(fd):
        raise _in_use(session_id)


def _cut(fd: int, place: Path, reader: JournalReader, torn: bytes) -> str:
    """Cut what a crash left of its last write, and keep it beside the journal."""
    kept = place / f"cut-at-{reader.offset}"
    kept.write_bytes(torn)
    os.ftruncate(fd, reader.offset)
    os.fsync(fd)
    return f"The last write was not finished: {len(torn)} bytes were cut from the journal and kept in {kept.name}."


def _in_use(session_id: str) -> SessionInUseError:
    return SessionInUseError(
        f"Session {session_id} is being written by another process, or by another event loop of this one. "
        "Send the command there; reading works from here."
    )


def _not_found(root: Path, session_id: str) -> SessionNotFoundError:
    return SessionNotFoundError(
        f"There is no saved session {session_id!r} in {root}, and none in this event loop. "
        "Start one with agent.start_session()."
    )


def _reason(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return (
            f"{reason}. Saved sessions that do nothing hold no file open, so others of this process hold them: "
            "raise the limit (ulimit -n), or hold fewer files and connections at once."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{reason}. Give a directory that this process may write."
    return f"{reason}. Make room or mend the disk, then try again."
