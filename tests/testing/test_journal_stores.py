"""Tests of the kit for stores of one's own: on one that keeps its promises, and on each that breaks one of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from examples.sqlite_sessions import SqliteJournal, SqliteStore
from mistralai import agents
from mistralai.agents.testing import JournalStoreTests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mistralai.agents.experimental import SessionJournal

pytestmark = pytest.mark.slow
LEASE = 2.0


class TestTheExampleInSqlite(JournalStoreTests):
    takeover_seconds = 3 * LEASE

    def store(self, directory: Path) -> SqliteStore:
        return SqliteStore(directory / "sessions.db", lease=LEASE)


class AddsAnywhere(SqliteStore):
    def append(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        super().append(session_id, len(self.read(session_id, 0)), lines)


class AddsLineByLine(SqliteStore):
    def append(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        for n, line in enumerate(lines, start):
            super().append(session_id, n, [line])


class AddsLater(SqliteStore):
    """Returns before the lines are there."""

    late: tuple[str, int, Sequence[bytes]] | None = None

    def append(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        if self.late is not None:
            super().append(*self.late)
        self.late = session_id, start, lines

    def let_go(self, session_id: str) -> None:
        if self.late is not None:
            super().append(*self.late)
        super().let_go(session_id)


class AddsForWhoeverAsks(SqliteStore):
    """Asks whether the lines follow, and not who holds the session."""

    def append(self, session_id: str, start: int, lines: Sequence[bytes]) -> None:
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO holds VALUES (?, ?)", (session_id, self.me))
        super().append(session_id, start, lines)


class KeepsNobodyOut(SqliteStore):
    def open(self, session_id: str, /) -> SessionJournal:
        with self.transaction() as db:
            db.execute("DELETE FROM holds WHERE session_id = ?", (session_id,))
        return super().open(session_id)


class LetsGoOfNothing(SqliteStore):
    def let_go(self, session_id: str) -> None:
        pass


class LetsGoOfNobodyWhoIsGone(SqliteStore):
    def __init__(self, path: Path, lease: float) -> None:
        super().__init__(path, lease=3600 * lease)


class CreatesOver(SqliteStore):
    def create(self, session_id: str, lines: Sequence[bytes], /) -> SessionJournal:
        try:
            return super().create(session_id, lines)
        except FileExistsError:
            return SqliteJournal(self, session_id)


class TrimsLines(SqliteStore):
    def read(self, session_id: str, start: int, /) -> Sequence[bytes]:
        return [line.strip() for line in super().read(session_id, start)]


class ForgetsKeys(SqliteStore):
    def claim(self, key: str, session_id: str, /) -> str:
        return session_id


class LooksThenClaims(SqliteStore):
    all_have_looked = threading.Barrier(4)

    def claim(self, key: str, session_id: str, /) -> str:
        with self.transaction() as db:
            known = db.execute("SELECT session_id FROM keys WHERE key = ?", (key,)).fetchone()
        self.all_have_looked.wait(10)
        if known is None:
            with self.transaction() as db:
                db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?)", (key, session_id))
        return known[0] if known is not None else session_id


class TestAStoreThatBreaksItsPromise:
    @pytest.mark.parametrize(
        ("broken", "found_by", "given"),
        [
            (AddsAnywhere, JournalStoreTests.test_lines_that_do_not_follow_are_refused, (1,)),
            (AddsLineByLine, JournalStoreTests.test_an_append_is_whole_for_readers_and_after_a_kill, (6,)),
            (AddsLater, JournalStoreTests.test_a_session_of_a_killed_process_is_whole_and_free, ()),
            (AddsForWhoeverAsks, JournalStoreTests.test_who_was_taken_for_dead_adds_nothing, ()),
            (KeepsNobodyOut, JournalStoreTests.test_a_session_that_is_held_is_refused_and_can_be_read, ()),
            (LetsGoOfNothing, JournalStoreTests.test_a_session_that_was_let_go_of_can_be_held, ()),
            (
                LetsGoOfNobodyWhoIsGone,
                JournalStoreTests.test_a_session_of_a_killed_process_is_whole_and_free,
                (),
            ),
            (CreatesOver, JournalStoreTests.test_a_session_is_created_once, ()),
            (TrimsLines, JournalStoreTests.test_lines_come_back_as_they_were, ()),
            (ForgetsKeys, JournalStoreTests.test_a_key_stands_for_the_first_session_it_was_given_with, ()),
            (LooksThenClaims, JournalStoreTests.test_a_key_that_many_claim_at_once_stands_for_one, ()),
        ],
    )
    def test_is_found_out(
        self, broken: type[SqliteStore], found_by: Callable[..., None], given: tuple[int, ...], tmp_path: Path
    ) -> None:
        tests = TestsOf(broken, tmp_path)
        with pytest.raises((AssertionError, TimeoutError, agents.SessionInUseError, pytest.fail.Exception)):
            found_by(tests, *given)


class TestsOf(JournalStoreTests):
    __test__ = False
    takeover_seconds = 3 * LEASE

    def __init__(self, kind: type[SqliteStore], directory: Path) -> None:
        self.kind = kind
        self.directory = directory

    def store(self, directory: Path) -> SqliteStore:
        return self.kind(directory / "sessions.db", lease=LEASE)
