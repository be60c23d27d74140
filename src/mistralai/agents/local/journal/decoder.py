"""The lines of a journal back into facts, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.local.journal.lines import Damaged, facts_of, read_header, read_line, read_plain
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.lines import After, Header
    from mistralai.agents.local.journal.uploads import Uploads


class Decoder:
    """A position in the lines of one session."""

    __slots__ = ("_session_id", "_uploads", "after", "header", "n")

    def __init__(self, session_id: str, uploads: Uploads | None = None) -> None:
        self._session_id = session_id
        self._uploads = uploads
        """Where long values lie that were taken out of the lines; None where none ever is."""
        self.n: int = 0
        """Facts read."""
        self.header: Header | None = None
        self.after: After | None = None
        """What the session had come to after the last line read."""

    def take(self, line: bytes) -> list[Fact]:
        """Return the facts of the next line. Raises Damaged where it is not what was written as the next."""
        if self.header is None:
            self.header = read_header(line)
            self._check_name(self.header)
            return []
        read = read_line(line)
        if read.n != self.n:
            raise Damaged(f"it continues at fact {read.n} where {self.n} is due")
        facts: list[Fact] = list(read.facts)
        if read.uploads:
            if self._uploads is None:
                raise Damaged("a value of it was taken out")
            data, uploads = read_plain(line)
            self._uploads.put_back(data, uploads)
            facts = facts_of(data)
        self.n += len(facts)
        self.after = read.after
        return facts

    def _check_name(self, header: Header) -> None:
        """A copy under another name would be a second writer of one session."""
        if header.session_id != self._session_id:
            raise JournalError(
                f"it holds session {header.session_id}, and is kept under the name {self._session_id}. "
                "Name what is kept by the session, one for each."
            )
