"""Saved sessions whose directory is not as it was left, and calls that are left while they are saved."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, reply
from tests.sessions.reading import completed

if TYPE_CHECKING:
    from pathlib import Path

FILE = "journal.jsonl"


def teller() -> agents.Agent:
    return agents.Agent(model=ScriptedModel([reply("Fine.")] * 100), name="teller")


def saved_in(path: Path, *, fsync: bool = False) -> agents.LocalRuntime:
    return agents.local_runtime(
        journal_factory=agents.experimental.JsonFileSessionJournal.in_directory(path, fsync=fsync)
    )


async def one_session(path: Path) -> str:
    async with saved_in(path):
        session = await teller().start_session()
        await session.run("Hello.")
    return session.id


class TestADirectoryThatWasCopied:
    async def test_is_no_second_journal_of_its_session(self, tmp_path: Path) -> None:
        session_id = await one_session(tmp_path)
        copy = "00000000" + session_id[8:]
        shutil.copytree(tmp_path / session_id, tmp_path / copy)
        before = (tmp_path / copy / FILE).read_bytes()
        async with saved_in(tmp_path):
            with pytest.raises(agents.experimental.JournalError, match=session_id):
                await teller().session(copy).history()
            completed(await teller().session(session_id).run("Again."))
        assert (tmp_path / copy / FILE).read_bytes() == before


class TestALastLineThatIsNotWhole:
    async def test_leaves_the_session_in_the_list(self, tmp_path: Path) -> None:
        session_id = await one_session(tmp_path)
        journal = tmp_path / session_id / FILE
        content = bytearray(journal.read_bytes())
        content[-30] ^= 1
        journal.write_bytes(content)
        async with saved_in(tmp_path):
            assert [info.session_id async for info in agents.list_sessions(host="local")] == [session_id]

    async def test_that_cannot_be_kept_is_told_as_an_error_of_the_journal(self, tmp_path: Path) -> None:
        session_id = await one_session(tmp_path)
        journal = tmp_path / session_id / FILE
        whole = journal.stat().st_size
        with journal.open("ab") as file:
            file.write(b"half a li")
        (tmp_path / session_id / f"cut-at-{whole}").mkdir()
        async with saved_in(tmp_path):
            with pytest.raises(agents.experimental.JournalError, match="cannot be opened"):
                await teller().session(session_id).history()
        assert journal.stat().st_size == whole + 9


class TestACallThatIsLeftWhileItsSessionIsSaved:
    @pytest.mark.parametrize("call", ["run", "start_session"])
    async def test_leaves_no_open_session_behind_that_nobody_knows(self, call: str, tmp_path: Path) -> None:
        async with saved_in(tmp_path, fsync=True):
            agent = teller()
            for steps in range(20):
                calling = agent.run("Hello.") if call == "run" else agent.start_session()
                task = asyncio.ensure_future(calling)
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
                if not task.cancelled():
                    break
                infos = [info async for info in agents.list_sessions(host="local")]
                assert all(info.status == "terminated" for info in infos if info.title is None)
