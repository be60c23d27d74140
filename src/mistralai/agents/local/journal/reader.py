"""Reading a journal's file: all of it when a session is opened, and what another process adds to it later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mistralai.agents.local.journal.decoder import Decoder
from mistralai.agents.local.journal.lines import Damaged, intact
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.uploads import Uploads


class JournalReader(Decoder):
    """A position in a journal that only moves on over lines that are whole."""

    __slots__ = ("_path", "offset")

    def __init__(self, path: Path, uploads: Uploads) -> None:
        super().__init__(path.parent.name, uploads)
        self._path = path
        self.offset: int = 0
        """Bytes read."""

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
                facts += self.take(line)
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

    def _check_torn(self, rest: bytes, damage: Damaged) -> None:
        """A write that the machine did not finish is the last one. Whole lines after it mean something else."""
        if any(intact(line) for line in rest.split(b"\n")):
            raise JournalError(
                f"Journal {self._path} is damaged: the line at byte {self.offset} is not what was written ({damage}), "
                f"and lines follow it. Nothing was changed. The {self.n} facts before it are whole: restore the file "
                f"from a copy, or cut it at byte {self.offset} to go on from there."
            )
