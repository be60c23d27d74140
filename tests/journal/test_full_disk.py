"""Tests of a disk that takes nothing more: commands are refused, and a turn goes on once there is room."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.core import later, stopping
from mistralai.agents.local.journal import file as journal_file
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from tests.journal.story import agent, saved_in

if TYPE_CHECKING:
    from pathlib import Path


def talker(*replies: str) -> agents.Agent[str]:
    return agents.Agent(name="talker", model=ScriptedModel([reply(text) for text in replies]))


class Disk:
    """A disk that a test can fill."""

    def __init__(self) -> None:
        self.full = False
        self.free = 0
        """Bytes that it still takes while it is full."""
        self.refused = asyncio.Event()
        self._write = os.write
        self._partly = -1

    def write(self, fd: int, data: bytes, /) -> int:
        if not self.full or (b'"fact"' not in data and fd != self._partly):
            return self._write(fd, data)
        if self.free:
            taken, self.free, self._partly = self._write(fd, data[: self.free]), 0, fd
            return taken
        self.refused.set()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def fill(self) -> None:
        """Let the disk be full until it has refused something."""
        self.full = True
        self.refused.clear()
        await asyncio.wait_for(self.refused.wait(), 10)
        self.full = False


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(os, "write", disk.write)
    return disk


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused is tried again at once."""
    monkeypatch.setattr(later, "RETRY_SECONDS", 0.001)


class TestAFullDisk:
    @pytest.mark.parametrize("free", [0, 30])
    async def test_refuses_a_message_and_nothing_is_applied(self, directory: Path, disk: Disk, free: int) -> None:
        async with saved_in(directory):
            session = await talker("One.", "Two.").start_session()
            await session.run("1")
            there = await session.history()
            disk.full, disk.free = True, free
            with pytest.raises(agents.experimental.JournalError, match=r"No space left.*Nothing was applied"):
                await session.run("2")
            assert await session.history() == there
            disk.full = False
            state = await session.run("2")
            assert not isinstance(state, agents.Busy)
            assert state.text == "Two."
        async with saved_in(directory):
            assert len(await talker().session(session.id).history()) == 4

    async def test_refuses_a_session_and_leaves_none(self, directory: Path, disk: Disk) -> None:
        async with saved_in(directory):
            disk.full = True
            with pytest.raises(agents.experimental.JournalError):
                await talker().start_session()
            assert list(directory.iterdir()) == []

    async def test_holds_a_turn_up_until_there_is_room(
        self, directory: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(later, "RETRY_SECONDS", 0.01)
        ran = 0

        @agents.tool
        async def look() -> str:
            """Look."""
            nonlocal ran
            ran += 1
            disk.full = True
            asyncio.get_running_loop().call_later(0.05, setattr, disk, "full", False)
            return "seen"

        async with saved_in(directory):
            agent = agents.Agent(name="a", model=ScriptedModel([call("look", {}), reply("ok")]), tools=[look])
            session = await agent.start_session()
            state = await session.run("x", timeout=20)
            assert not isinstance(state, agents.Busy)
            assert state.text == "ok"
        assert ran == 1
        assert any("No space left" in record.message for record in caplog.records if record.levelno == logging.ERROR)

    async def test_that_fails_to_sync_fails_the_command_and_the_session_opens_again(
        self, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(fd: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        async with saved_in(directory):
            session = await talker("One.", "Two.", "Two again.", "Three.").start_session()
            await session.run("1")
            with monkeypatch.context() as broken:
                broken.setattr(journal_file, "_sync_data", refuse)
                with pytest.raises(agents.experimental.JournalError, match="may have lost"):
                    await session.run("2")
            turn = await session.send_message("3")
            assert isinstance(await turn.result(timeout=10), agents.Completed)
            asked = [e.text for e in await session.history() if isinstance(e, agents.MessageEntry) and e.role == "user"]
            assert asked == ["1", "2", "3"]


@pytest.mark.usefixtures("soon")
class TestATurnOnAFullDisk:
    async def test_asks_its_model_again_where_the_reply_could_not_begin(self, directory: Path, disk: Disk) -> None:
        held = gate()
        model = ScriptedModel([reply(held, "One."), reply("Again.")])
        async with saved_in(directory):
            session = await agents.Agent(name="a", model=model).start_session()
            turn = await session.send_message("x")
            await held.reached()
            filling = asyncio.ensure_future(disk.fill())
            await asyncio.sleep(0)
            held.open()
            await filling
            assert (await turn.result(timeout=10)).text == "Again."

    async def test_ends_a_reply_that_it_had_to_break_off(self, directory: Path, disk: Disk) -> None:
        reached, go_on = asyncio.Event(), asyncio.Event()

        class Drawing(agents.Hook):
            """Draws a value after each reply, which a saved session records."""

            async def post_llm_call(self, ctx: Any, invocation: Any) -> None:
                reached.set()
                await go_on.wait()
                agents.random()

        model = ScriptedModel([reply("Half."), reply("Whole.")])
        async with saved_in(directory):
            session = await agents.Agent(name="a", model=model, hooks=[Drawing()]).start_session()
            turn = await session.send_message("x")
            await reached.wait()
            filling = asyncio.ensure_future(disk.fill())
            await asyncio.sleep(0)
            go_on.set()
            await filling
            assert (await turn.result(timeout=10)).text == "Whole."
            said = [entry.text for entry in await session.history() if isinstance(entry, agents.MessageEntry)]
            assert said == ["x", "Half.", "Whole."]

    async def test_expires_its_questions_once_there_is_room(
        self,
        directory: Path,
        ledger: Path,
        disk: Disk,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.05")
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
            await disk.fill()
            ended = await session.turn(state.turn_id).result(after=state, timeout=10)
            assert "in time" in (ended.text or "")

    async def test_that_is_stopped_ends_once_there_is_room(
        self, directory: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(stopping, "GRACE_SECONDS", 0.01)
        started, finish = asyncio.Event(), asyncio.Event()

        @agents.tool
        async def stubborn() -> str:
            """Go on, whatever is asked."""
            started.set()
            while not finish.is_set():
                try:
                    await finish.wait()
                except asyncio.CancelledError:
                    continue
            return "at last"

        async with saved_in(directory):
            clerk = agents.Agent(name="a", model=ScriptedModel([call("stubborn", {})]), tools=[stubborn])
            session = await clerk.start_session()
            turn = await session.send_message("x")
            await started.wait()
            stopping_it = asyncio.ensure_future(turn.interrupt())
            await asyncio.sleep(0)
            await disk.fill()
            await asyncio.wait_for(stopping_it, 10)
            assert isinstance(await turn.get(), agents.Interrupted)
            finish.set()
