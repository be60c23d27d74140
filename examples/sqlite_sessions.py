"""Sessions saved in one SQLite file: a store of your own, for a database that you have already.

A payment waits for somebody's word when its runtime ends. Another runtime, which knows the database, lets it go on.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import threading
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from mistralai.agents.experimental import SessionJournal

TABLES = """
CREATE TABLE IF NOT EXISTS lines (session_id TEXT, n INTEGER, line BLOB, PRIMARY KEY (session_id, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS holds (session_id TEXT PRIMARY KEY, holder TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS holders (holder TEXT PRIMARY KEY, alive_until REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, session_id TEXT) WITHOUT ROWID;
"""


class SqliteStore:
    """Implements `agents.experimental.JournalStore`.

    Who holds sessions says so every few seconds. A holder who was silent for `lease` seconds is gone, and whoever
    comes next takes its sessions: an append asks first whether it still holds, in the transaction that adds the lines.
    """

    def __init__(self, path: Path, lease: float = 6.0) -> None:
        self.lease = lease
        self.me = uuid.uuid4().hex
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._one_at_a_time = threading.RLock()
        self._closed = threading.Event()
        self._db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        with self.transaction() as db:
            for table in TABLES.split(";"):
                db.execute(table)
        self._say_alive()
        self._heart = threading.Thread(target=self._beat, name="sqlite-store", daemon=True)
        self._heart.start()

    def create(self, session_id: str, lines: Sequence[bytes], /) -> SessionJournal:
        with self.transaction() as db:
            if self._count(session_id):
                raise FileExistsError(session_id)
            db.execute("INSERT OR REPLACE INTO holds VALUES (?, ?)", (session_id, self.me))
            self._insert(session_id, 0, lines)
        return SqliteJournal(self, session_id)

    def open(self, session_id: str, /) -> SessionJournal:
        with self.transaction() as db:
            self._check_known(session_id)
            holder = db.execute(
                "SELECT holder FROM holds JOIN holders USING (holder) WHERE session_id = ? AND alive_until > ?",
                (session_id, time.time()),
            ).fetchone()
            if holder is not None and holder[0] != self.me:
                raise agents.SessionInUseError(f"Session {session_id} is held by {holder[0]}. Send the command there.")
            db.execute("INSERT OR REPLACE INTO holds VALUES (?, ?)", (session_id, self.me))
        return SqliteJournal(self, session_id)

    def read(self, session_id: str, start: int, /) -> Sequence[bytes]:
        with self._one_at_a_time:  # lines only come: a reader needs no transaction, and holds nobody up
            self._check_known(session_id)
            rows = self._db.execute(
                "SELECT line FROM lines WHERE session_id = ? AND n >= ? ORDER BY n", (session_id, start)
            )
            return [line for (line,) in rows]

    def ids(self) -> Sequence[str]:
        with self._one_at_a_time:
            return [session_id for (session_id,) in self._db.execute("SELECT session_id FROM lines WHERE n = 0")]

    def claim(self, key: str, session_id: str, /) -> str:
        with self.transaction() as db:
            db.execute("INSERT OR IGNORE INTO keys VALUES (?, ?)", (key, session_id))
            known: str = db.execute("SELECT session_id FROM keys WHERE key = ?", (key,)).fetchone()[0]
            return known

    def close(self) -> None:
        self._closed.set()
        self._heart.join()
        with self.transaction() as db:
            db.execute("DELETE FROM holders WHERE holder = ?", (self.me,))
        self._db.close()

    def append(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        with self.transaction() as db:
            held = db.execute(
                "SELECT 1 FROM holds WHERE session_id = ? AND holder = ?", (session_id, self.me)
            ).fetchone()
            if held is None or self._count(session_id) != start:
                raise agents.SessionInUseError(f"Session {session_id} is not held here any more. Open it again.")
            self._insert(session_id, start, lines)

    def let_go(self, session_id: str) -> None:
        with self.transaction() as db:
            db.execute("DELETE FROM holds WHERE session_id = ? AND holder = ?", (session_id, self.me))

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """All of it or nothing, and nobody else's in between."""
        with self._one_at_a_time:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _count(self, session_id: str) -> int:
        count: int = self._db.execute("SELECT count(*) FROM lines WHERE session_id = ?", (session_id,)).fetchone()[0]
        return count

    def _check_known(self, session_id: str) -> None:
        if not self._count(session_id):
            raise agents.SessionNotFoundError(f"There is no saved session {session_id!r}. Start one.")

    def _insert(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        rows = [(session_id, n, line) for n, line in enumerate(lines, start)]
        self._db.executemany("INSERT INTO lines VALUES (?, ?, ?)", rows)

    def _say_alive(self) -> None:
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO holders VALUES (?, ?)", (self.me, time.time() + self.lease))

    def _beat(self) -> None:
        while not self._closed.wait(self.lease / 3):
            self._say_alive()


class SqliteJournal:
    """Implements `agents.experimental.SessionJournal`."""

    def __init__(self, store: SqliteStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id

    def append(self, start: int, lines: Sequence[bytes], /) -> None:
        self._store.append(self._session_id, start, lines)

    def close(self) -> None:
        self._store.let_go(self._session_id)


@agents.tool
def transfer(account: str, amount: float) -> str:
    """Transfer an amount, in euros, to an account."""
    return f"{amount:.2f} EUR went to {account}"


teller = agents.Agent(
    name="teller",
    model=ScriptedModel([call("transfer", {"account": "DE-77", "amount": 120.0}), reply("The money is on its way.")]),
    tools=[transfer],
    permission_mode="ask",
)


async def ask(database: Path) -> tuple[str, str, str]:
    """What one process does: it is asked to pay, and needs somebody's word."""
    async with agents.local_runtime(journal_factory=lambda: SqliteStore(database)):
        session = await teller.start_session()
        turn = await session.send_message("Pay 120 EUR to DE-77, please.")
        state = await turn.result()
        assert isinstance(state, agents.Blocked)
        question = state.callbacks[0]
        assert isinstance(question, agents.OpenApproval)
        print(f"The session waits for a word on {question.request.tool.name} {question.request.arguments}.")
        return session.id, turn.id, question.id


async def answer(database: Path, session_id: str, turn_id: str, callback_id: str) -> None:
    """What another does, hours later: it knows the ids, and the database."""
    async with agents.local_runtime(journal_factory=lambda: SqliteStore(database)):
        turn = teller.session(session_id).turn(turn_id)
        await turn.answer(callback_id, agents.AllowApproval())
        print((await turn.result()).text)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory) / "sessions.db"
        ids = asyncio.run(ask(database))
        asyncio.run(answer(database, *ids))


if __name__ == "__main__":
    main()
