"""Tests of parked sessions whose notes are deleted, and of file systems and disks that do not do as they should."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.local.journal import owned_file
from mistralai.agents.local.journal.open_files import OPEN_FILES
from mistralai.agents.testing import FakeClock
from tests.journal.holder import blocked, check_lines, left_in
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.journal.crowd import Question
    from tests.journal.holder import Holder

    type Started = Callable[..., Awaitable[Holder]]

COPIES = -1
"""In place of an error: the file system copies where it is asked for a link."""
HOUR = 3601.0
"""After which an open question expires."""


class TestWhoDeletesByHand:
    async def test_the_writers_file_changes_nothing(
        self, owner: Holder, parked: Question, directory: Path, ledger: Path
    ) -> None:
        shutil.rmtree(directory / ".writers")
        async with saved_in(directory):
            turn = agent(ledger).session(parked[0]).turn(parked[1])
            with pytest.raises(agents.SessionInUseError):
                await turn.answer(parked[2], agents.AllowApproval())
        more = await owner.questions("start", 40)
        assert (await owner.told("take", [parked, *more], False))["came"] == {"So: paid": 41}
        await owner.ends_its_block()
        assert left_in(directory) == []
        check_lines(directory)

    @pytest.mark.usefixtures("few_files")
    @pytest.mark.parametrize("answered", [True, False])
    async def test_the_note_lets_another_write_and_tells_the_owner(
        self, another: Started, directory: Path, ledger: Path, answered: bool
    ) -> None:
        other = await another()
        async with saved_in(directory):
            ((turn, question), *_) = await blocked(agent(ledger), 20)
            (directory / turn.session_id / "parked").unlink()
            taken = (turn.session_id, turn.id, question if answered else "none")
            assert (await other.told("take", [taken], False))["came"]
            with pytest.raises(agents.experimental.JournalError, match=r"took the session over\. Open"):
                await turn.session.cancel()
            with pytest.raises(agents.SessionInUseError):
                await turn.session.cancel()
            state = await turn.get()
            assert (state.text or "") == ("So: paid" if answered else "")
            await other.killed()
            await turn.session.cancel()
        assert len(payments(ledger)) == answered
        check_lines(directory)

    @pytest.mark.usefixtures("few_files")
    async def test_the_note_lets_the_owner_go_of_a_question_that_expires(
        self, directory: Path, ledger: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with FakeClock() as clock:
            async with saved_in(directory) as runtime:
                ((turn, _), *_) = await blocked(agent(ledger), 20)
                state = await turn.get()
                (directory / turn.session_id / "parked").unlink()
                waiting = asyncio.ensure_future(turn.result(after=state))
                await asyncio.sleep(0)
                await clock.advance(HOUR)
                with pytest.raises(agents.SessionTerminatedError, match="Open it again"):
                    await waiting
                assert runtime.statistics().waiting_sessions == 19
                ended = await turn.result(timeout=10)
                assert isinstance(ended, agents.Completed)
                assert "in time" in (ended.text or "")
        assert not any("tried again" in record.message for record in caplog.records)
        check_lines(directory)

    @pytest.mark.usefixtures("few_files")
    async def test_the_session_is_told_as_much(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            ((turn, question), *_) = await blocked(agent(ledger), 20)
            shutil.rmtree(directory / turn.session_id)
            with pytest.raises(agents.experimental.JournalError, match="there no longer"):
                await turn.answer(question, agents.AllowApproval())
            with pytest.raises(agents.SessionNotFoundError):
                await turn.get()


class TestAnotherFileSystem:
    @pytest.fixture
    def link(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
        """Lets the making of links fail from the so-manieth on, so many times."""
        really = os.link

        def fail(code: int, after: int) -> None:
            seen = 0

            def link(source: Path, target: Path) -> None:
                nonlocal seen
                seen += 1
                if code == COPIES:
                    shutil.copyfile(source, target)
                    return
                if code == errno.EPERM or seen == after:
                    raise OSError(code, os.strerror(code))
                really(source, target)

            monkeypatch.setattr(os, "link", link)

        return fail

    @pytest.mark.usefixtures("few_files")
    @pytest.mark.parametrize("code", [errno.EPERM, COPIES])
    async def test_that_has_no_hard_links_keeps_files_open(
        self,
        directory: Path,
        ledger: Path,
        link: Callable[[int, int], None],
        caplog: pytest.LogCaptureFixture,
        code: int,
    ) -> None:
        link(code, 0)
        with caplog.at_level(logging.WARNING):
            async with saved_in(directory):
                turns = await blocked(agent(ledger), 20)
                for turn, question in turns:
                    await turn.answer(question, agents.AllowApproval())
                    assert (await turn.result()).text == "So: paid"
            assert len(list(directory.glob("*/parked"))) == (code == COPIES)
        assert sum("takes no hard links" in record.message for record in caplog.records) == 1
        async with saved_in(directory):
            for turn, _ in turns:
                await agent(ledger).session(turn.session_id).cancel()

    @pytest.mark.usefixtures("few_files")
    @pytest.mark.parametrize("code", [errno.EMLINK, errno.ENOSPC])
    async def test_that_counts_no_more_links_gets_another_writer(
        self, directory: Path, ledger: Path, link: Callable[[int, int], None], code: int
    ) -> None:
        link(code, 5)
        async with saved_in(directory):
            turns = await blocked(agent(ledger), 20)
            writers = list(directory.glob(".writers/*"))
            assert len(writers) == (2 if code == errno.EMLINK else 1)
            for turn, question in turns:
                await turn.answer(question, agents.AllowApproval())
                assert (await turn.result()).text == "So: paid"
        assert left_in(directory) == []


class TestADiskThatFails:
    @pytest.mark.usefixtures("few_files")
    async def test_while_a_session_is_parked_loses_no_answer(
        self, directory: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(fd: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        async with saved_in(directory):
            teller = agent(ledger)
            ((turn, question),) = await blocked(teller, 1)
            (file,) = vars(OPEN_FILES)["_used"]
            file.synced = 0  # as if the disk had not been asked since
            with monkeypatch.context() as broken:
                broken.setattr(owned_file, "sync_data", refuse)
                assert not file.park()
            with pytest.raises(agents.experimental.JournalError, match="Input/output error"):
                await turn.answer(question, agents.AllowApproval())
            await turn.answer(question, agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"
        assert len(payments(ledger)) == 1
