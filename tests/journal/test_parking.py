"""Tests of many blocked sessions in a process that may open few files: those that only wait hold none open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.local.journal.directory import JournalDirectory
from mistralai.agents.local.journal.open_files import OPEN_FILES
from mistralai.agents.testing import FakeClock
from tests.journal.conftest import LIMIT
from tests.journal.holder import MOST_FILES, blocked, check_lines, left_in
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.journal.crowd import Question
    from tests.journal.holder import Holder

    type Started = Callable[..., Awaitable[Holder]]

HOUR = 3601.0
"""After which an open question expires."""

on_linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files where Linux lists them")


class TestManyThatWait:
    @pytest.mark.slow
    async def test_live_in_a_process_that_may_open_few_files(
        self, another: Started, directory: Path, ledger: Path
    ) -> None:
        owner = await another()
        await owner.questions("start", 2000)
        assert (await owner.told("files"))["journals"] <= LIMIT // 2 if Path("/proc/self/fd").exists() else True
        assert (await owner.told("answer"))["came"] == {"So: paid": 2000}
        assert len(payments(ledger)) == len(set(payments(ledger))) == 2000
        await owner.ends_its_block()
        assert left_in(directory) == []
        check_lines(directory)

    @pytest.mark.slow
    @pytest.mark.parametrize("keys", ["", "key"])
    async def test_may_come_all_at_once(self, another: Started, directory: Path, ledger: Path, keys: str) -> None:
        owner = await another()
        questions = await owner.questions("burst", 1000, keys)
        assert (await owner.told("take", questions, True))["came"] == {"So: paid": 1000}
        assert len(payments(ledger)) == len(set(payments(ledger))) == 1000
        if keys:
            again = await (await another()).told("take", questions, True)
            assert again["came"] == {"So: paid": 1000}  # read, where the answer is known already
        await owner.ends_its_block()
        assert left_in(directory) == []
        check_lines(directory)

    @pytest.mark.slow
    async def test_may_be_opened_all_at_once(self, another: Started, directory: Path, ledger: Path) -> None:
        first = await another()
        questions = await first.questions("burst", 600)
        await first.killed()
        second = await another()
        assert (await second.told("take", questions, True))["came"] == {"So: paid": 600}
        assert len(payments(ledger)) == 600

    @on_linux
    @pytest.mark.usefixtures("few_files")
    async def test_hold_no_file_open_here(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            turns = await blocked(agent(ledger), 30)
            held = [path for path in Path("/proc/self/fd").iterdir() if path.resolve().name == "journal.jsonl"]
            assert len(held) <= 2 * MOST_FILES
            for turn, question in turns:
                await turn.answer(question, agents.AllowApproval())
            assert [(await turn.result()).text for turn, _ in turns] == ["So: paid"] * 30
        assert len(payments(ledger)) == 30
        assert left_in(directory) == []
        check_lines(directory)

    @pytest.mark.usefixtures("few_files")
    async def test_expire_in_time(self, directory: Path, ledger: Path) -> None:
        with FakeClock() as clock:
            async with saved_in(directory):
                turns = await blocked(agent(ledger), 20)
                await clock.advance(HOUR)
                ends = await asyncio.gather(*(turn.result(timeout=10) for turn, _ in turns))
                assert all("in time" in (state.text or "") for state in ends)

    @pytest.mark.usefixtures("few_files")
    async def test_keep_their_idempotency_keys(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            teller = agent(ledger)
            session = await teller.start_session(idempotency_key="k")
            await session.run("Pay.", idempotency_key="m")
            await blocked(teller, 20)
            assert (await teller.start_session(idempotency_key="k")).id == session.id
            assert isinstance(await session.run("Pay.", idempotency_key="m"), agents.Blocked)

    @pytest.mark.usefixtures("few_files")
    async def test_are_let_go_of_with_their_end(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            turns = await blocked(agent(ledger), 20)
            for turn, _ in turns:
                await turn.session.cancel()
        assert left_in(directory) == []


class TestAParkedSession:
    async def test_is_refused_to_others_while_its_owner_lives(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        session_id, turn_id, question = parked
        async with saved_in(directory):
            turn = agent(ledger).session(session_id).turn(turn_id)
            assert isinstance(await turn.get(), agents.Blocked)
            for _ in range(3):
                with pytest.raises(agents.SessionInUseError, match="written by another process"):
                    await turn.answer(question, agents.AllowApproval())
        assert (await owner.told("take", [parked], False))["came"] == {"So: paid": 1}
        assert len(payments(ledger)) == 1

    async def test_is_read_and_followed_elsewhere(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        async with saved_in(directory):
            turn = agent(ledger).session(parked[0]).turn(parked[1])
            state = await turn.get()
            waiting = asyncio.ensure_future(turn.result(after=state, timeout=10))
            assert (await owner.told("take", [parked], False))["came"] == {"So: paid": 1}
            assert (await waiting).text == "So: paid"
            events = [event async for event in turn.iter_events()]
            assert len({event.id for event in events}) == len(events)

    async def test_is_written_by_its_owner_while_others_ask_for_it(
        self, owner: Holder, another: Started, directory: Path, ledger: Path
    ) -> None:
        questions = await owner.questions("start", 60)
        others = [await another() for _ in range(2)]
        asking = [asyncio.ensure_future(other.told("take", questions * 3, True)) for other in others]
        assert (await owner.told("take", questions, False))["came"] == {"So: paid": 60}
        for other in asking:
            assert set((await other)["came"]) <= {"SessionInUseError", "So: paid"}
        assert len(payments(ledger)) == len(set(payments(ledger))) == 60
        check_lines(directory)

    async def test_is_taken_over_when_its_owner_was_killed(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        await owner.killed()
        async with saved_in(directory):
            turn = agent(ledger).session(parked[0]).turn(parked[1])
            await turn.answer(parked[2], agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"
            assert not (directory / parked[0] / "parked").exists()
            assert not list(directory.glob(".writers/*"))

    async def test_is_taken_over_by_one_of_many_who_ask(
        self, owner: Holder, another: Started, directory: Path, ledger: Path
    ) -> None:
        questions = await owner.questions("start", 60)
        others = [await another() for _ in range(3)]
        await owner.killed()
        came = await asyncio.gather(*(other.told("take", questions, True) for other in others))
        for each in came:
            assert set(each["came"]) <= {"SessionInUseError", "So: paid"}
        assert len(payments(ledger)) == len(set(payments(ledger))) == 60
        for other in others:
            await other.ends_its_block()
        assert left_in(directory) == []
        check_lines(directory)

    async def test_is_opened_at_once_when_its_owners_block_has_ended(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        await owner.ends_its_block()
        assert left_in(directory) == []
        async with saved_in(directory):
            turn = agent(ledger).session(parked[0]).turn(parked[1])
            await turn.answer(parked[2], agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"

    async def test_does_not_outlive_its_owner_in_a_forked_child(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        child = (await owner.told("fork"))["child"]
        try:
            await owner.killed()
            async with saved_in(directory):
                turn = agent(ledger).session(parked[0]).turn(parked[1])
                await turn.answer(parked[2], agents.AllowApproval())
                assert (await turn.result(timeout=10)).text == "So: paid"
        finally:
            os.kill(child, signal.SIGKILL)

    @pytest.mark.usefixtures("few_files")
    async def test_is_not_let_go_of_by_a_child_that_ends(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            ((turn, question), *_) = await blocked(agent(ledger), 20)
            if (child := os.fork()) == 0:
                with contextlib.suppress(BaseException):
                    for journal in list(vars(OPEN_FILES)["_used"]):
                        journal.close()
                os._exit(0)
            await asyncio.to_thread(os.waitpid, child, 0)
            assert (directory / turn.session_id / "parked").exists()
            await turn.answer(question, agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"

    @pytest.mark.usefixtures("few_files")
    async def test_is_refused_to_another_loop_of_the_process(self, directory: Path, ledger: Path) -> None:
        async def second(session_id: str) -> None:
            async with saved_in(directory):
                session = agent(ledger).session(session_id)
                assert (await session.info()).open_callbacks == 1
                with pytest.raises(agents.SessionInUseError):
                    await session.cancel()

        async with saved_in(directory):
            ((turn, question), *_) = await blocked(agent(ledger), 20)
            await asyncio.to_thread(asyncio.run, second(turn.session_id))
            await turn.answer(question, agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"


class TestWhetherAProcessHoldsASession:
    async def test_is_seen_from_elsewhere_of_a_parked_one_too(
        self, owner: Holder, parked: Question, directory: Path
    ) -> None:
        files = JournalDirectory(path=str(directory))()
        (session_id, *_) = parked
        assert files.is_held(session_id)
        await owner.killed()
        assert not files.is_held(session_id)
        assert not files.is_held("no-such-session")
