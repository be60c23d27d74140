"""A store of saved sessions in memory, and what goes wrong with it where a test says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.experimental import SessionJournal

type Trouble = Callable[[], None]


class Shelf:
    """The sessions, as many stores share them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.lines: dict[str, list[bytes]] = {}
        self.held: dict[str, object] = {}
        self.keys: dict[str, str] = {}
        self.before: list[Trouble] = []
        """What happens before the next calls that write, one a call."""
        self.after: list[Trouble] = []
        self.all_happened = threading.Event()
        """Set when all of `before` has begun."""
        self.reading: list[Trouble] = []
        """What happens before the next reads."""
        self.closing: list[Trouble] = []
        self.open_stores = 0
        self.stores = 0

    def store(self) -> MemoryStore:
        """Return a new store."""
        self.open_stores += 1
        self.stores += 1
        return MemoryStore(self)


class MemoryStore:
    """Implements `JournalStore`."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def create(self, session_id: str, lines: Sequence[bytes], /) -> SessionJournal:
        self._trouble(self.shelf.before)
        with self.shelf.lock:
            if session_id in self.shelf.lines:
                raise FileExistsError(session_id)
            self.shelf.lines[session_id] = list(lines)
            journal = self.shelf.held[session_id] = MemoryJournal(self, session_id)
        self._trouble(self.shelf.after)
        return journal

    def open(self, session_id: str, /) -> SessionJournal:
        with self.shelf.lock:
            self._check_known(session_id)
            holder = self.shelf.held.get(session_id)
            if holder is not None and getattr(holder, "store", None) is not self:
                raise agents.SessionInUseError(f"Session {session_id} is held. Let go of it.")
            journal = self.shelf.held[session_id] = MemoryJournal(self, session_id)
            return journal

    def read(self, session_id: str, start: int, /) -> Sequence[bytes]:
        self._trouble(self.shelf.reading)
        with self.shelf.lock:
            self._check_known(session_id)
            return self.shelf.lines[session_id][start:]

    def ids(self) -> Sequence[str]:
        return list(self.shelf.lines)

    def claim(self, key: str, session_id: str, /) -> str:
        with self.shelf.lock:
            return self.shelf.keys.setdefault(key, session_id)

    def close(self) -> None:
        self.shelf.open_stores -= 1
        self._trouble(self.shelf.closing)

    def append(self, journal: object, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        self._trouble(self.shelf.before)
        with self.shelf.lock:
            if self.shelf.held.get(session_id) is not journal or len(self.shelf.lines[session_id]) != start:
                raise agents.SessionInUseError(f"Session {session_id} is not held here.")
            self.shelf.lines[session_id] += lines
        self._trouble(self.shelf.after)

    def _check_known(self, session_id: str) -> None:
        if session_id not in self.shelf.lines:
            raise agents.SessionNotFoundError(session_id)

    def _trouble(self, troubles: list[Trouble]) -> None:
        if not troubles:
            return
        trouble = troubles.pop(0)
        if not self.shelf.before:
            self.shelf.all_happened.set()
        trouble()


class MemoryJournal:
    """Implements `SessionJournal`."""

    def __init__(self, store: MemoryStore, session_id: str) -> None:
        self.store = store
        self._session_id = session_id

    def append(self, start: int, lines: Sequence[bytes], /) -> None:
        self.store.append(self, self._session_id, start, lines)

    def close(self) -> None:
        with self.store.shelf.lock:
            if self.store.shelf.held.get(self._session_id) is self:
                del self.store.shelf.held[self._session_id]


def down() -> None:
    """The connection is gone."""
    raise ConnectionError("the database is restarting")


def locked() -> None:
    """The database is at work."""
    raise RuntimeError("database is locked")
