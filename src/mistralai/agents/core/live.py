"""The reply that is being written: its text so far, by offset. It enters the log when it is complete."""

from __future__ import annotations

from bisect import bisect_right


class LiveReply:
    """The text of an open assistant message."""

    __slots__ = ("_ends", "_pieces", "entry_id", "length", "passed", "position", "seen")

    def __init__(self, entry_id: str, position: int, seen: int) -> None:
        self.entry_id: str = entry_id
        self.position: int = position
        """Where the log says that it opened."""
        self.seen: int = seen
        """How many messages of the history the model had read."""
        self.length: int = 0
        self.passed: dict[int, tuple[tuple[int, int], int]] = {}
        """For each fact that came meanwhile, by position: the last event before it, and the characters."""
        self._pieces: list[str] = []
        self._ends: list[int] = []

    def add(self, text: str) -> None:
        """Append a chunk."""
        self._pieces.append(text)
        self.length += len(text)
        self._ends.append(self.length)

    def shown_before(self, fact: int) -> int:
        """Return how many characters a reader had who read on to a fact that came meanwhile; 0 for any other fact."""
        passed = self.passed.get(fact)
        return passed[1] if passed is not None else 0

    def text(self, offset: int = 0) -> str:
        """Return the text from a character on that is there, at the cost of what is returned."""
        first = bisect_right(self._ends, offset)
        before = self._ends[first - 1] if first else 0
        pieces = self._pieces[first:]
        pieces[0] = pieces[0][offset - before :]
        return "".join(pieces)
