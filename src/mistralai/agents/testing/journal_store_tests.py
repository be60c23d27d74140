"""The tests of a store of saved sessions: its author derives a class from them, and pytest runs them."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing.journal_store_programs import (
    BATCH,
    FIRST,
    OtherProcess,
    blocked,
    hold,
    payer,
    start_paying,
    write_on,
)
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mistralai.agents.authoring.journal_store import JournalStore, SessionJournal


class JournalStoreTests(ABC):
    """What every store of saved sessions must do. Public page: Save a session.

    Derive a class whose name begins with Test, in a module that another process can import, and say how a store is
    made. Kills processes, so it needs an operating system with SIGKILL.
    """

    takeover_seconds: float = 10.0
    """How long after its process was killed a session may still count as held."""
    directory: Path
    """Where the sessions of the test that runs are. Empty before it."""

    @abstractmethod
    def store(self, directory: Path) -> JournalStore:
        """Return a new store. All that are made with one directory have the same sessions; others have none of them."""
        ...

    @pytest.fixture(autouse=True)
    def _place_of_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = tmp_path
        monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")

    # What a session's lines are.

    def test_a_session_is_there_once_it_was_created_with_its_lines(self) -> None:
        with closing(self._new()) as store, pytest.raises(agents.SessionNotFoundError):
            store.read(uuid7(), 0)
        with closing(self._new()) as store:
            session_id = uuid7()
            with pytest.raises(agents.SessionNotFoundError):
                store.open(session_id)
            store.create(session_id, FIRST).close()
            assert _lines(store, session_id) == list(FIRST)

    def test_a_session_is_created_once(self) -> None:
        with closing(self._new()) as store, closing(self._new()) as other:
            session_id = uuid7()
            journal = store.create(session_id, FIRST)
            for where in (store, other):
                with pytest.raises(FileExistsError):
                    where.create(session_id, [b"another"])
            journal.append(2, [b"third"])
            assert _lines(other, session_id) == [*FIRST, b"third"]
            journal.close()

    def test_lines_come_back_in_their_order_and_from_any_of_them(self) -> None:
        with closing(self._new()) as store:
            session_id = uuid7()
            journal = store.create(session_id, FIRST)
            journal.append(2, [b"2", b"3"])
            journal.append(4, [b"4"])
            for n in range(5, 40):
                journal.append(n, [b"%d" % n])
            assert _lines(store, session_id, 2) == [b"%d" % n for n in range(2, 40)]
            assert _lines(store, session_id, 39) == [b"39"]
            assert _lines(store, session_id, 40) == []
            journal.close()

    def test_lines_come_back_as_they_were(self) -> None:
        odd = [
            "Zoë 😀 \u2028 \x7f \\u0000 'quoted' \"twice\" %s $1 ?".encode(),
            b" spaces at both ends ",
            b"\tcarriage return\r",
            b"{}",
            b"x" * (3 * 1024 * 1024),
        ]
        with closing(self._new()) as store:
            session_id = uuid7()
            journal = store.create(session_id, odd)
            journal.append(len(odd), odd)
            journal.close()
        with closing(self._new()) as store:
            assert _lines(store, session_id) == odd + odd

    def test_sessions_are_apart(self) -> None:
        with closing(self._new()) as store:
            ids = [uuid7() for _ in range(3)]
            journals = [store.create(session_id, FIRST) for session_id in ids]
            for n, journal in enumerate(journals):
                journal.append(2, [b"of %d" % n])
            assert [_lines(store, session_id)[2:] for session_id in ids] == [[b"of 0"], [b"of 1"], [b"of 2"]]
            assert sorted(store.ids()) == sorted(ids)
            for journal in journals:
                journal.close()

    def test_a_new_store_has_no_sessions(self) -> None:
        with closing(self._new()) as store:
            assert list(store.ids()) == []

    # What keeps two writers apart.

    @pytest.mark.parametrize("start", [0, 1, 3, 40])
    def test_lines_that_do_not_follow_are_refused(self, start: int) -> None:
        with closing(self._new()) as store:
            session_id = uuid7()
            journal = store.create(session_id, FIRST)
            with pytest.raises(agents.SessionInUseError):
                journal.append(start, [b"late"])
            assert _lines(store, session_id) == list(FIRST)
            journal.append(2, [b"third"])
            assert _lines(store, session_id) == [*FIRST, b"third"]
            journal.close()

    def test_a_session_that_is_held_is_refused_and_can_be_read(self) -> None:
        with closing(self._new()) as store, closing(self._new()) as other:
            session_id = uuid7()
            journal = store.create(session_id, FIRST)
            with pytest.raises(agents.SessionInUseError):
                other.open(session_id)
            journal.append(2, [b"third"])
            assert _lines(other, session_id) == [*FIRST, b"third"]
            journal.close()

    def test_a_session_is_held_anew_by_the_store_that_holds_it(self) -> None:
        """The call that held it first may have failed late: nobody has what it would have returned."""
        with closing(self._new()) as store, closing(self._new()) as other:
            session_id = uuid7()
            store.create(session_id, FIRST)
            journal = store.open(session_id)
            with pytest.raises(agents.SessionInUseError):
                other.open(session_id)
            journal.append(2, [b"third"])
            journal.close()
            other.open(session_id).close()

    def test_a_session_that_was_let_go_of_can_be_held(self) -> None:
        with closing(self._new()) as store, closing(self._new()) as other:
            session_id = uuid7()
            store.create(session_id, FIRST).close()
            journal = other.open(session_id)
            journal.append(2, [b"third"])
            with pytest.raises(agents.SessionInUseError):
                store.open(session_id)
            journal.close()
            store.open(session_id).close()

    def test_who_has_let_go_of_a_session_adds_nothing(self) -> None:
        with closing(self._new()) as store, closing(self._new()) as other:
            session_id = uuid7()
            late = store.create(session_id, FIRST)
            late.close()
            journal = other.open(session_id)
            with pytest.raises(agents.AgentsError):
                late.append(2, [b"late"])
            journal.append(2, [b"third"])
            assert _lines(store, session_id) == [*FIRST, b"third"]
            journal.close()

    def test_one_of_many_gets_to_hold_a_session(self) -> None:
        session_id = uuid7()
        stores = [self._new() for _ in range(4)]
        try:
            stores[0].create(session_id, FIRST).close()
            for n in range(2, 12):
                held = [journal for journal in _at_once([_opens(store, session_id) for store in stores]) if journal]
                assert len(held) == 1
                held[0].append(n, [b"%d" % n])
                held[0].close()
        finally:
            for store in stores:
                store.close()

    def test_one_of_many_gets_to_create_a_session(self) -> None:
        stores = [self._new() for _ in range(4)]
        try:
            for _ in range(10):
                session_id = uuid7()
                held = [journal for journal in _at_once([_creates(store, session_id) for store in stores]) if journal]
                assert len(held) == 1
                assert _lines(stores[0], session_id) == list(FIRST)
                held[0].close()
        finally:
            for store in stores:
                store.close()

    def test_many_threads_write_many_sessions(self) -> None:
        with closing(self._new()) as store:
            ids = [uuid7() for _ in range(8)]

            def write(session_id: str) -> None:
                journal = store.create(session_id, FIRST)
                for n in range(2, 30):
                    journal.append(n, [b"%d" % n])
                    assert len(store.read(session_id, 0)) == n + 1
                journal.close()

            _at_once([partial(write, session_id) for session_id in ids])
            for session_id in ids:
                assert _lines(store, session_id, 2) == [b"%d" % n for n in range(2, 30)]

    # What a process that dies leaves.

    def test_a_session_of_a_killed_process_is_whole_and_free(self) -> None:
        with OtherProcess(hold, self.store, self.directory) as other, closing(self._new()) as store:
            session_id = other.says()
            other.says()
            with pytest.raises(agents.SessionInUseError):
                store.open(session_id)
            other.kill()
            journal = self._taken_over(store, session_id)
            assert _lines(store, session_id) == [*FIRST, b"third"]
            journal.append(3, [b"fourth"])
            journal.close()

    @pytest.mark.parametrize("batches", [1, 6])
    def test_an_append_is_whole_for_readers_and_after_a_kill(self, batches: int) -> None:
        with closing(self._new()) as store:
            with OtherProcess(write_on, self.store, self.directory) as other:
                session_id = other.says()
                there = 0
                while there < batches * BATCH:
                    there = len(_lines(store, session_id, len(FIRST)))
                    assert there % BATCH == 0
            said = [int(n) for n in other.said_still()]
            lines = _lines(store, session_id, len(FIRST))
            assert lines == [b"%d" % n for n in range(len(lines))]
            assert len(lines) % BATCH == 0
            assert max([there, *said]) <= len(lines)
            self._taken_over(store, session_id).close()

    def test_who_was_taken_for_dead_adds_nothing(self) -> None:
        with OtherProcess(hold, self.store, self.directory) as other, closing(self._new()) as store:
            session_id = other.says()
            other.says()
            other.stop()
            try:
                journal = self._taken_over(store, session_id)
            except TimeoutError:
                pytest.skip("this store never takes a stopped process for dead")
            journal.append(3, [b"of the new one"])
            other.go_on()
            assert other.says() == "refused"
            assert _lines(store, session_id) == [*FIRST, b"third", b"of the new one"]
            journal.close()

    # Keys.

    def test_a_key_stands_for_the_first_session_it_was_given_with(self) -> None:
        with closing(self._new()) as store, closing(self._new()) as other:
            first, second = uuid7(), uuid7()
            assert store.claim("a" * 64, first) == first
            assert store.claim("a" * 64, second) == first
            assert other.claim("a" * 64, second) == first
            assert other.claim("b" * 64, second) == second
        with closing(self._new()) as store:
            assert store.claim("a" * 64, uuid7()) == first

    def test_a_key_that_many_claim_at_once_stands_for_one(self) -> None:
        stores = [self._new() for _ in range(4)]
        try:
            for n in range(10):
                claims = [partial(store.claim, f"{n:064}", uuid7()) for store in stores]
                assert len(set(_at_once(claims))) == 1
        finally:
            for store in stores:
                store.close()

    # Whole sessions.

    def test_a_question_is_answered_in_another_runtime(self) -> None:
        paid: list[str] = []
        asked = asyncio.run(self._ask(paid))
        assert paid == []
        assert asyncio.run(self._answer(paid, *asked)) == "Done."
        assert len(paid) == 1

    def test_a_session_that_is_written_elsewhere_is_followed(self) -> None:
        async def follow() -> None:
            paid: list[str] = []
            async with agents.local_runtime(journal_factory=self._new):
                session_id, turn_id, callback_id = await blocked(paid)
                told = asyncio.Event()
                followed = asyncio.to_thread(
                    asyncio.run, self._followed(session_id, turn_id, told.set, asyncio.get_running_loop())
                )
                following = asyncio.ensure_future(followed)
                await told.wait()
                turn = payer(paid).session(session_id).turn(turn_id)
                await turn.answer(callback_id, agents.AllowApproval())
                assert (await turn.result()).text == "Done."
                assert await following == "Done."

        asyncio.run(follow())

    def test_a_tool_that_a_killed_process_had_started_is_not_run_again(self) -> None:
        with OtherProcess(start_paying, self.store, self.directory) as other:
            session_id, turn_id = other.says(), other.says()
            assert other.says() == "paying"

        async def go_on() -> None:
            paid: list[str] = []
            async with agents.local_runtime(journal_factory=self._new):
                turn = payer(paid, ask=False).session(session_id).turn(turn_id)
                state = await asyncio.wait_for(turn.result(), self.takeover_seconds + 20)
                assert isinstance(state, agents.Completed)
                assert paid == []

        asyncio.run(go_on())

    def test_a_key_starts_one_session_and_lists_show_it(self) -> None:
        async def start(stop: bool) -> str:
            async with agents.local_runtime(journal_factory=self._new):
                session = await payer([]).start_session(idempotency_key="order 7")
                again = await payer([]).start_session(idempotency_key="order 7")
                assert session.id == again.id
                assert [info.session_id async for info in agents.list_sessions(host="local")] == [session.id]
                if stop:
                    await session.cancel()
                return session.id

        assert asyncio.run(start(stop=False)) == asyncio.run(start(stop=True))

    async def _ask(self, paid: list[str]) -> tuple[str, str, str]:
        async with agents.local_runtime(journal_factory=self._new):
            return await blocked(paid)

    async def _answer(self, paid: list[str], session_id: str, turn_id: str, callback_id: str) -> str | None:
        async with agents.local_runtime(journal_factory=self._new):
            turn = payer(paid).session(session_id).turn(turn_id)
            await turn.answer(callback_id, agents.AllowApproval())
            return (await turn.result()).text

    async def _followed(
        self, session_id: str, turn_id: str, tell: Callable[[], None], to: asyncio.AbstractEventLoop
    ) -> str | None:
        async with agents.local_runtime(journal_factory=self._new):
            turn = payer([]).session(session_id).turn(turn_id)
            state = await turn.get()
            assert isinstance(state, agents.Blocked)
            to.call_soon_threadsafe(tell)
            return (await turn.result(after=state)).text

    def _new(self) -> JournalStore:
        return self.store(self.directory)

    def _taken_over(self, store: JournalStore, session_id: str) -> SessionJournal:
        give_up = time.monotonic() + self.takeover_seconds
        while True:
            try:
                return store.open(session_id)
            except agents.SessionInUseError:
                if time.monotonic() > give_up:
                    raise TimeoutError(f"still held {self.takeover_seconds:g} s after its process was gone") from None
            time.sleep(0.05)


def _lines(store: JournalStore, session_id: str, start: int = 0) -> list[bytes]:
    return [bytes(line) for line in store.read(session_id, start)]


def _opens(store: JournalStore, session_id: str) -> Callable[[], SessionJournal | None]:
    def opens() -> SessionJournal | None:
        try:
            return store.open(session_id)
        except agents.SessionInUseError:
            return None

    return opens


def _creates(store: JournalStore, session_id: str) -> Callable[[], SessionJournal | None]:
    def creates() -> SessionJournal | None:
        try:
            return store.create(session_id, FIRST)
        except FileExistsError:
            return None

    return creates


def _at_once[T](functions: Sequence[Callable[[], T]]) -> list[T]:
    with ThreadPoolExecutor(len(functions)) as threads:
        return [future.result() for future in [threads.submit(function) for function in functions]]
