"""One session in a store: what is written waits in memory for a thread that adds it, and a commit waits for that."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from mistralai.agents.core.ports import StartedElsewhereError
from mistralai.agents.core.raised import described
from mistralai.agents.local.journal.lines import After, facts_line, follow_up
from mistralai.agents.values.errors import AgentsError, JournalLostError, SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mistralai.agents.authoring.journal_store import JournalStore, SessionJournal
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.committer import Committer

RETRY_SECONDS: Final = 20.0
"""How long an append that failed is tried again before the session is let go of."""
FIRST_WAIT_SECONDS: Final = 0.05
LONGEST_WAIT_SECONDS: Final = 2.0


class StoreJournal:
    """Implements the port `Journal`. The core waits for a commit wherever somebody is to rely on what was written."""

    outlives_the_process = False

    def __init__(
        self,
        store: Callable[[], JournalStore],
        session_id: str,
        committer: Committer,
        header: bytes,
        closing: dict[str, threading.Event],
        *,
        held: SessionJournal | None = None,
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._committer = committer
        self._held = held
        """The session in the store; None until it is created there."""
        self._lines: list[bytes] = [header[:-1]] if header else []
        """What the store has not yet."""
        self._written = len(self._lines)
        """How many lines there are, those that the store has not yet too."""
        self._stored = 0
        self._n = 0
        self._after = After(at=0.0)
        self._adding = threading.Lock()
        """Held by the one thread that calls the store."""
        self._syncing: asyncio.Future[None] | None = None
        self._broken: AgentsError | None = None
        self._doubtful: list[bytes] = []
        """The lines of a call of the store that failed: it may have added them all the same."""
        self._again = False
        """Whether adding is to be tried again."""
        self._give_up = 0.0
        self._wait = FIRST_WAIT_SECONDS
        self._closing = closing

    def continues(self, lines: int, n: int, after: After | None) -> None:
        """Take note of what is there: so many lines with so many facts, and what the session had come to."""
        self._written = self._stored = lines
        self._n = n
        self._after = after or self._after

    def write(self, facts: Sequence[Fact]) -> None:
        """Add a line with the facts. Raises JournalLostError, with nothing added, where the store failed before."""
        if self._broken is not None:
            raise self._failure(self._broken)
        after = follow_up(self._after, facts)
        self._lines.append(facts_line(self._n, facts, after)[:-1])
        self._written += 1
        self._n += len(facts)
        self._after = after
        if self._syncing is None and self._stored:  # a session is created when its start is committed
            self._start()

    async def commit(self) -> None:
        """Return once the store has every line written before."""
        goal = self._written
        while self._stored < goal:
            if self._broken is not None:
                raise self._failure(self._broken)
            if self._syncing is None:
                self._start()
            assert self._syncing is not None
            await asyncio.shield(self._syncing)

    def close_if_safe(self) -> bool:
        """Let go of the session, if the store has all of it. Others may hold it a moment later."""
        if self._syncing is not None or self._stored < self._written:
            return False
        self._close_in_thread(asyncio.get_running_loop())
        return True

    def sync_and_close(self) -> None:
        """Add what the store has not yet, if it takes it now, and let go. Of one that failed, a thread lets go."""
        if self._broken is not None:
            with suppress(RuntimeError):
                self._close_in_thread(asyncio.get_running_loop())
                return
        if self._held is not None or len(self._lines) > 1:  # a header alone is no session
            self._add(last=True)
        self._close()

    def _start(self) -> None:
        """Let a thread add what is there now, and what is written meanwhile; again later where that fails."""
        loop = asyncio.get_running_loop()
        syncing = self._syncing = loop.create_future()
        self._give_up = time.monotonic() + RETRY_SECONDS
        self._wait = FIRST_WAIT_SECONDS

        def submit() -> None:
            self._committer.submit(self._add, loop, done)

        def done(_: OSError | None) -> None:
            if self._again:  # no thread waits meanwhile: others need them
                loop.call_later(self._wait, submit)
                self._wait = min(2 * self._wait, LONGEST_WAIT_SECONDS)
                return
            self._syncing = None
            if self._lines and self._broken is None:  # written while the thread was about to end
                self._start()
            if not syncing.done():
                syncing.set_result(None)

        submit()

    def _add(self, *, last: bool = False) -> None:
        """Have the store add all there is. Where that fails it is tried again, or the journal is broken."""
        with self._adding:
            self._again = False
            while self._broken is None and self._lines:
                lines = self._doubtful or list(self._lines)
                try:
                    self._put(lines)
                except (JournalLostError, StartedElsewhereError) as error:
                    self._broken = error
                except AgentsError as error:
                    self._broken = JournalLostError(
                        f"Session {self._session_id} is not held here any more, and what was written last is not "
                        f"saved: {error} Open the session again."
                    )
                except BaseException as error:  # it is the thread's, which has others to serve
                    self._doubtful = lines
                    if not last and isinstance(error, Exception) and time.monotonic() + self._wait < self._give_up:
                        self._again = True
                        return
                    self._broken = JournalLostError(
                        f"Session {self._session_id}: its store may have lost what was written last: "
                        f"{described(error).rstrip('.')}. Mend the store, then open the session again."
                    )
                    self._broken.__cause__ = error
                if self._broken is not None:
                    return
                self._doubtful = []
                del self._lines[: len(lines)]
                self._stored += len(lines)

    def _put(self, lines: list[bytes]) -> None:
        """Have the store add lines, unless a call that failed has done it."""
        store = self._store()
        if self._doubtful and self._is_there(store, lines):
            if self._held is None:
                self._held = store.open(self._session_id)
            return
        try:
            if self._held is None:
                self._held = store.create(self._session_id, lines)
            else:
                self._held.append(self._stored, lines)
        except FileExistsError:
            raise self._started_elsewhere() from None

    def _is_there(self, store: JournalStore, lines: list[bytes]) -> bool:
        """Whether the store has these lines where they belong, and none after them."""
        try:
            return [bytes(line) for line in store.read(self._session_id, self._stored)] == lines
        except SessionNotFoundError:
            return False

    def _started_elsewhere(self) -> AgentsError:
        return StartedElsewhereError(
            f"Another process started session {self._session_id} with the same idempotency key at the same moment. "
            "Ask again: this call found it too late."
        )

    @staticmethod
    def _failure(broken: AgentsError) -> AgentsError:
        """Return what broke the journal, for one of those that are told of it."""
        failure = type(broken)(*broken.args)
        failure.__cause__ = broken.__cause__
        return failure

    def _close_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        closed = self._closing[self._session_id] = threading.Event()

        def close() -> None:
            try:
                self._close()
            finally:
                if self._closing.get(self._session_id) is closed:
                    del self._closing[self._session_id]
                closed.set()

        self._committer.submit(close, loop, lambda _: None)

    def _close(self) -> None:
        with self._adding:
            held, self._held = self._held, None
            if held is None:
                return
            with suppress(BaseException):  # what was appended is safe, and a store that is gone holds nothing
                held.close()
