"""Reading a journal's file: all of it when a session is opened, and what another process adds to it later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mistralai.agents.local.journal.lines import Damaged, facts_of, intact, read_header, read_line, read_plain
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.lines import After, Header
    from mistralai.agents.local.journal.uploads import Uploads


class JournalReader:
    """A position in a journal that only moves on over lines that are whole."""

    __slots__ = ("_path", "_uploads", "after", "header", "n", "offset")

    def __init__(self, path: Path, uploads: Uploads) -> None:
        self._path = path
        self._uploads = uploads
        self.offset: int = 0
        """Bytes read."""
        self.n: int = 0
        """Facts read."""
        self.header: Header | None = None
        self.after: After | None = None
        """What the session had come to after the last line read."""

    def read(self) -> tuple[list[Fact], bytes]:
        """Return the facts after the position, and the bytes at the end that are no whole line.

        Raises JournalError where lines that are whole follow one that is not.
        """
        with open(self._path, "rb") as file:
            file.seek(self.offset)
            data = file.read()
        facts: list[Fact] = []
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = data[start:end]
            try:
                facts += self._line(line)
            except Damaged as damage:
                self._check_torn(data[end + 1 :], damage)
                break
            except JournalError as error:
                raise JournalError(f"Journal {self._path} cannot be read: {error}") from None
            self.offset += end + 1 - start
            start = end + 1
        return facts, data[start:]

    def grown(self) -> bool:
        """Whether the file holds more than was read."""
        try:
            return os.stat(self._path).st_size != self.offset
        except OSError:
            return False

    def _line(self, line: bytes) -> list[Fact]:
        if self.header is None:
            self.header = read_header(line)
            self._check_name(self.header)
            return []
        read = read_line(line)
        if read.n != self.n:
            raise Damaged(f"it continues at fact {read.n} where {self.n} is due")
        facts: list[Fact] = list(read.facts)
        if read.uploads:
            data, uploads = read_plain(line)
            self._uploads.put_back(data, uploads)
            facts = facts_of(data)
        self.n += len(facts)
        self.after = read.after
        return facts

    def _check_name(self, header: Header) -> None:
        """A copy under another name would be a second writer of one session."""
        if header.session_id != self._path.parent.name:
            raise JournalError(
                f"it holds session {header.session_id}, and its directory is named {self._path.parent.name}. "
                "Name the directory by the session, one for each."
            )

    def _check_torn(self, rest: bytes, damage: Damaged) -> None:
        """A write that the machine did not finish is the last one. Whole lines after it mean something else."""
        if any(intact(line) for line in rest.split(b"\n")):
            raise JournalError(
                f"Journal {self._path} is damaged: the line at byte {self.offset} is not what was written ({damage}), "
                f"and lines follow it. Nothing was changed. The {self.n} facts before it are whole: restore the file "
                f"from a copy, or cut it at byte {self.offset} to go on from there."
            )
