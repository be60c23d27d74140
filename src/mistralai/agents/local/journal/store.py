"""A store that its author wrote, as the journals of a runtime. Its calls may take a while: each is made in a thread."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.journal_store import JournalStore
from mistralai.agents.core.ports import Claim, SavedLog
from mistralai.agents.core.raised import described
from mistralai.agents.local.journal.committer import Committer
from mistralai.agents.local.journal.decoder import Decoder
from mistralai.agents.local.journal.keys import digest
from mistralai.agents.local.journal.lines import Damaged, header_line
from mistralai.agents.local.journal.store_journal import StoreJournal
from mistralai.agents.local.journal.summaries import summary_of, unreadable
from mistralai.agents.values.errors import AgentsError, JournalError, SdkError, SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.ports import SavedSummary

_LOGGER = logging.getLogger("mistralai.agents")


class StoreJournals:
    """Implements the port `Journals` on a store. A later block of the same runtime gets a new one."""

    def __init__(self, make: Callable[[], JournalStore], store: JournalStore) -> None:
        self._make = make
        self._open: JournalStore | None = store
        self._making = threading.Lock()
        self._committer = Committer()
        self._closing: dict[str, threading.Event] = {}
        """The sessions that are being let go of, each with the end of that."""

    def create(self, session_id: str, about: Mapping[str, Any]) -> StoreJournal:
        """Return the journal of a new session. The store has none until its first facts are committed."""
        header = header_line(session_id, dict(about))
        return StoreJournal(self._opened, session_id, self._committer, header, self._closing)

    def open(self, session_id: str) -> SavedLog:
        """Return a saved session, to be continued. Raises SessionInUseError while somebody else holds it."""
        if (closing := self._closing.get(session_id)) is not None:
            closing.wait()
        held = _asked(f"Session {session_id} cannot be opened", lambda: self._opened().open(session_id))
        journal = StoreJournal(self._opened, session_id, self._committer, b"", self._closing, held=held)
        try:
            reader = _Reader(self._opened, session_id)
            facts = reader.read()
            about = _about(session_id, reader, facts)
            journal.continues(reader.lines, reader.n, reader.after)
        except BaseException:
            journal.sync_and_close()
            raise
        return SavedLog(about=about, facts=facts, journal=journal, repair=None, more=lambda: [])

    def read(self, session_id: str) -> SavedLog:
        """Return a saved session as it is now, to be looked at."""
        reader = _Reader(self._opened, session_id)
        facts = reader.read()
        about = _about(session_id, reader, facts)
        return SavedLog(about=about, facts=facts, journal=None, repair=None, more=reader.fetched, fetch=reader.fetch)

    def ids(self) -> list[str]:
        """Return the ids of what is in the store, newest first."""
        return sorted(_asked("The saved sessions cannot be listed", lambda: self._opened().ids()), reverse=True)

    def summary(self, session_id: str) -> SavedSummary | None:
        """Return what a list shows of a session, readable or not; None where there is none."""
        reader = _Reader(self._opened, session_id)
        try:
            return summary_of(session_id, reader, reader.read())
        except SessionNotFoundError:
            return None
        except JournalError as error:
            return unreadable(session_id, str(error))

    def claim(self, agent_name: str, key: str, session_id: str) -> Claim:
        """Return the session that an idempotency key stands for. One that never came is started under its id."""
        name = digest(agent_name, key)
        known = _asked("No session can be saved", lambda: self._opened().claim(name, session_id))
        return Claim(known, there=known != session_id and self._is_there(known), release=_nothing)

    def close(self) -> None:
        """End the threads, then the store."""
        self._committer.close()
        with self._making:
            store, self._open = self._open, None
        if store is None:
            return
        try:
            store.close()
        except Exception as error:  # its sessions are saved, and whatever else ends now is to end
            _LOGGER.error("The store of saved sessions was not closed: %s", described(error), exc_info=error)

    def _opened(self) -> JournalStore:
        """Return the store. For a thread: a later block gets a new one."""
        with self._making:
            if self._open is None:
                made: Any = self._make()
                if not isinstance(made, JournalStore):
                    raise SdkError(f"local_runtime: journal_factory gave {made!r} now. Let it return a JournalStore.")
                self._open = made
            return self._open

    def _is_there(self, session_id: str) -> bool:
        try:
            return bool(_Reader(self._opened, session_id).read())
        except SessionNotFoundError:
            return False


class _Reader(Decoder):
    """A position in a session of a store."""

    __slots__ = ("_fetched", "_lock", "_name", "_store", "lines")

    def __init__(self, store: Callable[[], JournalStore], session_id: str) -> None:
        super().__init__(session_id)
        self._store = store
        self._name = session_id
        self._lock = threading.Lock()
        self._fetched: list[Fact] = []
        self.lines: int = 0
        """Lines read."""

    def read(self) -> list[Fact]:
        """Return the facts after the position."""
        what = f"Session {self._name} cannot be read"
        facts: list[Fact] = []
        for line in _asked(what, lambda: self._store().read(self._name, self.lines)):
            try:
                facts += self.take(line)
            except Damaged as damage:
                raise JournalError(
                    f"{what}: line {self.lines} of it is not what was written ({damage}). Nothing was changed."
                ) from None
            self.lines += 1
        return facts

    def fetch(self) -> None:
        """Read what was added, for `fetched`."""
        with self._lock:
            self._fetched += self.read()

    def fetched(self) -> Sequence[Fact]:
        """Return what was fetched since it was last asked for; nothing while something is being fetched."""
        if not self._fetched or not self._lock.acquire(blocking=False):
            return ()
        try:
            facts, self._fetched = self._fetched, []
            return facts
        finally:
            self._lock.release()


def _about(session_id: str, reader: _Reader, facts: Sequence[Fact]) -> dict[str, Any]:
    if reader.header is None or not facts:
        raise SessionNotFoundError(f"There is no saved session {session_id!r}. Start one with agent.start_session().")
    return reader.header.about


def _asked[T](what: str, call: Callable[[], T]) -> T:
    """Make a call of the store. What it raises that is none of our errors is a journal that cannot be used now."""
    try:
        return call()
    except AgentsError:
        raise
    except Exception as error:
        raise JournalError(f"{what}: {described(error).rstrip('.')}. Mend the store, then try again.") from error


def _nothing() -> None:
    pass
