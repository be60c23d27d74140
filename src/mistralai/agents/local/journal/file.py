"""The journal of one session: the lines that its file grows by, one an append, and when they are on the disk."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from mistralai.agents.local.journal.lines import After, facts_line, follow_up, header_line, plain, plain_line
from mistralai.agents.local.journal.open_files import OPEN_FILES
from mistralai.agents.local.journal.owned_file import FILE_NAME
from mistralai.agents.local.journal.uploads import LONG_LINE, Uploads
from mistralai.agents.values.errors import JournalError, JournalLostError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.committer import Committer
    from mistralai.agents.local.journal.owned_file import OwnedFile

UPLOADS_NAME = "uploads"


class FileJournal:
    """Implements the port `Journal`. What keeps other writers out goes with the process, however it ends."""

    outlives_the_process = True

    def __init__(
        self, file: OwnedFile, directory: Path, committer: Committer | None, *, header: bytes = b"", n: int = 0
    ) -> None:
        self._file = file
        self._directory = directory
        self._committer = committer
        """None where the operating system decides when the disk has it."""
        self._header = header
        """The first line, until it is written with the first facts."""
        self._safe = file.size
        self._n = n
        self._after = After(at=0.0)
        self._syncing: asyncio.Future[None] | None = None
        self._names: list[Path] = [directory.parent.parent, directory.parent, directory] if header else []
        """Directories and uploads that are to be durable with the next commit."""

    @classmethod
    def new(cls, file: OwnedFile, directory: Path, committer: Committer | None, about: dict[str, Any]) -> FileJournal:
        """Return the journal of a new session, in an empty file."""
        return cls(file, directory, committer, header=header_line(directory.name, about))

    def continues(self, after: After | None) -> None:
        """Take note of what the session had come to in the lines that are there."""
        self._after = after or self._after

    def write(self, facts: Sequence[Fact]) -> None:
        """Add a line with the facts. Raises JournalError, with nothing added, where it cannot be written."""
        if self._file.broken is not None:
            raise self._lost("cannot be written")
        after = follow_up(self._after, facts)
        try:
            self._file.append(self._header + self._line(facts, after))
        except OSError as error:
            if self._file.broken is not None:
                raise self._lost("cannot be written") from error
            raise self._error(f"cannot be written: {error.strerror or error}. Nothing was applied") from error
        self._header = b""
        self._n += len(facts)
        self._after = after

    async def commit(self) -> None:
        """Return once every line written before is on the disk. Commits at the same time share one sync of the file."""
        if self._committer is None:
            return
        goal = self._file.size
        while self._safe < goal:
            if self._file.broken is not None:
                raise self._lost("may have lost what was written last")
            if self._syncing is None:
                self._start_sync(self._committer)
            assert self._syncing is not None
            await asyncio.shield(self._syncing)

    def close_if_safe(self) -> bool:
        """Let go of the file, if nothing of it still has to be made durable."""
        if self._syncing is not None or (self._committer is not None and self._safe < self._file.size):
            return False
        self.sync_and_close()
        return True

    def sync_and_close(self) -> None:
        """Make what was written durable, and let go of the file. For a thread, or the end of a loop."""
        try:
            if self._committer is not None and self._safe < self._file.size:
                self._sync(self._names)
                self._safe = self._file.size
        except OSError as error:
            self._break(error)
        if self._file.close() and self._header:  # the first append never came: there is no session
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

    def _start_sync(self, committer: Committer) -> None:
        loop = asyncio.get_running_loop()
        syncing = self._syncing = loop.create_future()
        goal, names = self._file.size, self._names
        self._names = []

        def done(error: OSError | None) -> None:
            self._syncing = None
            if error is not None:
                self._break(error)
            elif self._file.broken is None:  # else a sync before it failed, and what it covered is in doubt
                self._safe = max(self._safe, goal)
            if not syncing.done():
                syncing.set_result(None)

        committer.submit(lambda: self._sync(names), loop, done)

    def _sync(self, names: list[Path]) -> None:
        for name in names:
            fd = OPEN_FILES.open(name, os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
        self._file.sync()

    def _break(self, error: OSError) -> None:
        self._file.broken = (
            self._file.broken or f"{error.strerror or error}. Mend the disk, then open the session again"
        )

    def _error(self, what: str) -> JournalError:
        return JournalError(
            f"Session {self._directory.name}: its journal {self._directory / FILE_NAME} {what}. "
            "The session can still be read; make room or mend the disk, then try again."
        )

    def _lost(self, what: str) -> JournalLostError:
        return JournalLostError(
            f"Session {self._directory.name}: its journal {self._directory / FILE_NAME} {what}: {self._file.broken}."
        )
