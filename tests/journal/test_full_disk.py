"""Tests of a disk that takes nothing more: commands are refused, and a turn goes on once there is room."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents.core import later, stopping
from mistralai.agents.local.journal import owned_file
from mistralai.agents.testing import FakeClock, ScriptedModel, call, calls, gate, reply
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LATER = later.RETRY_SECONDS + 0.1


def talker(*replies: str) -> agents.Agent[str]:
    return agents.Agent(name="talker", model=ScriptedModel([reply(text) for text in replies]))


class Disk:
    """A disk that a test can fill."""

    def __init__(self) -> None:
        self.full = False
        self.free = 0
        """Bytes that it still takes while it is full."""
        self.lines = 0
        """Whole lines that it still takes while it is full."""
        self.refused = asyncio.Event()
        self._write = os.write
        self._partly = -1

    def write(self, fd: int, data: bytes, /) -> int:
        if not self.full or (b'"fact"' not in data and fd != self._partly):
            return self._write(fd, data)
        if self.lines:
            self.lines -= 1
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
                broken.setattr(owned_file, "sync_data", refuse)
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


class Draws(agents.Hook):
    """Draws a value after each reply, which a saved session records."""

    held: Any = Field(default=None, exclude=True)

    async def post_llm_call(self, ctx: Any, invocation: Any) -> None:
        if self.held is not None:
            await self.held.hold()
        agents.random()


class Answers(agents.Hook):
    """Gives the turn another answer."""

    async def post_agent_turn(self, ctx: Any, result: Any) -> agents.hook.PostAgentTurnHookAccept:
        return agents.hook.PostAgentTurnHookAccept(content="Better.")


@agents.client_tool
def locate() -> str:
    """Where the user is."""
    raise AssertionError("answered by the client")


class Stubborn:
    """A tool that goes on, whatever is asked."""

    def __init__(self) -> None:
        self.started, self.finish = asyncio.Event(), asyncio.Event()
        self.tool = agents.tool(self.go_on)

    async def go_on(self) -> str:
        """Go on."""
        self.started.set()
        while not self.finish.is_set():
            try:
                await self.finish.wait()
            except asyncio.CancelledError:
                continue
        return "at last"

    async def begins_to_stop(self, clock: FakeClock) -> tuple[agents.Turn, asyncio.Task[Any]]:
        """A turn that waits for the tool, in the grace it has."""
        clerk = agents.Agent(model=ScriptedModel([call("go_on", {})]), tools=[self.tool])
        session = await clerk.start_session()
        turn = await session.send_message("x")
        await self.started.wait()
        stopping_it = asyncio.create_task(turn.interrupt())
        await clock.is_waited_on()
        return turn, stopping_it


class TestWhatItTriesAgain:
    """The clock stands still, so that the disk stays full for as many tries as a test wants."""

    @pytest.fixture
    def clock(self) -> Iterator[FakeClock]:
        with FakeClock() as clock:
            yield clock

    async def test_is_the_call_that_was_just_approved(
        self, directory: Path, ledger: Path, disk: Disk, clock: FakeClock
    ) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
            turn = session.turn(state.turn_id)
            disk.full, disk.lines = True, 1
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            await clock.advance(LATER)
            assert not ledger.exists()
            disk.full = False
            await clock.advance(LATER)
            assert (await turn.result(timeout=10)).text == "So: paid"
            assert len(payments(ledger)) == 1

    async def test_is_the_reply_with_what_hooks_make_of_it(self, directory: Path, disk: Disk, clock: FakeClock) -> None:
        held = gate()
        async with saved_in(directory):
            model = ScriptedModel([reply("One.", held)])
            session = await agents.Agent(model=model, hooks=[Answers()]).start_session()
            turn = await session.send_message("x")
            await held.reached()
            disk.full = True
            held.open()
            await disk.refused.wait()
            disk.full = False
            await clock.advance(LATER)
            assert (await turn.result(timeout=10)).text == "Better."
            assert len(model.requests) == 1

    async def test_is_the_end_of_a_reply_as_often_as_it_takes(
        self, directory: Path, disk: Disk, clock: FakeClock
    ) -> None:
        held = gate()
        async with saved_in(directory):
            model = ScriptedModel([reply("Half."), reply("Whole.")])
            session = await agents.Agent(model=model, hooks=[Draws(held=held)]).start_session()
            turn = await session.send_message("x")
            await held.reached()
            disk.full = True
            held.open()
            await disk.refused.wait()
            for _ in range(3):
                disk.refused.clear()
                await clock.advance(LATER)
                assert disk.refused.is_set()
            disk.full = False
            await clock.advance(LATER)
            assert (await turn.result(timeout=10)).text == "Whole."

    async def test_is_not_a_reply_of_a_turn_that_was_stopped_meanwhile(
        self, directory: Path, disk: Disk, clock: FakeClock
    ) -> None:
        held = gate()
        async with saved_in(directory):
            model = ScriptedModel([reply("Half."), reply("Next.")])
            session = await agents.Agent(model=model, hooks=[Draws(held=held)]).start_session()
            turn = await session.send_message("x")
            await held.reached()
            disk.full = True
            held.open()
            await disk.refused.wait()
            disk.full = False
            await turn.interrupt()
            await clock.advance(LATER)
            assert isinstance(await turn.get(), agents.Interrupted)
            assert len(model.requests) == 1
            state = await session.run("y")
            assert isinstance(state, agents.Completed)
            assert state.text == "Next."

    async def test_is_no_question_of_a_turn_that_was_stopped_meanwhile(
        self, directory: Path, ledger: Path, disk: Disk, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "60")
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
            disk.full = True
            await clock.advance(60)
            assert disk.refused.is_set()
            disk.full = False
            turn = session.turn(state.turn_id)
            await turn.interrupt()
            await clock.advance(LATER)
            closed = [event async for event in turn.iter_events() if isinstance(event, agents.CallbackResolved)]
            assert [event.reason for event in closed] == ["turn_ended"]

    @pytest.mark.parametrize("lines", [0, 1])
    async def test_is_the_stop_of_a_turn_with_one_notice_of_what_goes_on(
        self, directory: Path, disk: Disk, clock: FakeClock, lines: int
    ) -> None:
        stubborn = Stubborn()
        async with saved_in(directory):
            turn, stopping_it = await stubborn.begins_to_stop(clock)
            disk.full, disk.lines = True, lines
            await clock.advance(stopping.GRACE_SECONDS)
            assert disk.refused.is_set()
            disk.full = False
            await clock.advance(LATER)
            await stopping_it
            assert isinstance(await turn.get(), agents.Interrupted)
            await turn.session.cancel()
            told = [event.message async for event in turn.session.iter_events() if isinstance(event, agents.Notice)]
            assert told == ["The turn stopped while this still ran, and may go on: client.go_on."]
        stubborn.finish.set()

    async def test_is_no_stop_of_a_turn_that_ended_meanwhile(
        self, directory: Path, disk: Disk, clock: FakeClock
    ) -> None:
        stubborn = Stubborn()
        async with saved_in(directory):
            turn, stopping_it = await stubborn.begins_to_stop(clock)
            session = turn.session
            disk.full = True
            await clock.advance(stopping.GRACE_SECONDS)
            assert disk.refused.is_set()
            disk.full = False
            stubborn.finish.set()
            await stopping_it
            await clock.advance(LATER)
            (result,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
            assert result.error is None
            await session.cancel()
            assert [event async for event in session.iter_events() if isinstance(event, agents.Notice)] == []

    @pytest.mark.parametrize("stopped", [False, True])
    async def test_is_the_end_of_a_turn_that_something_broke(
        self, directory: Path, disk: Disk, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, stopped: bool
    ) -> None:
        held, left = gate(), asyncio.Event()

        @agents.tool
        async def slow() -> str:
            """Take its time."""
            try:
                await held.hold()
            finally:
                left.set()
            return "slow"

        policy = agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.locate"], decision="ask")]
        )
        async with saved_in(directory):
            model = ScriptedModel([calls(call("slow"), call("locate")), reply("Next.")])
            clerk = agents.Agent(model=model, tools=[slow, locate], permission_policy=policy)
            session = await clerk.start_session()
            turn = await session.send_message("x")
            await held.reached()
            blocked = await turn.result()
            assert isinstance(blocked, agents.Blocked)
            (question,) = blocked.callbacks
            monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "soon")
            disk.full, disk.lines = True, 1
            await turn.answer(question.id, agents.AllowApproval())
            assert disk.refused.is_set()
            await asyncio.wait_for(left.wait(), 10)
            assert isinstance(await turn.get(), agents.Running)
            disk.full = False
            monkeypatch.delenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS")
            if stopped:
                await turn.interrupt()
            await clock.advance(LATER)
            state = await turn.result(timeout=10)
            assert isinstance(state, agents.Interrupted if stopped else agents.Failed)
            results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
            assert len(results) == 2
            after = await session.run("y")
            assert isinstance(after, agents.Completed)
            assert after.text == "Next."

    async def test_is_nothing_once_the_block_has_ended(self, directory: Path, disk: Disk, clock: FakeClock) -> None:
        held = gate()

        @agents.tool
        async def slow() -> str:
            """End when the block does."""
            await held.hold()
            disk.full = True
            return "slow"

        clerk = agents.Agent(name="a", model=ScriptedModel([call("slow", {}), reply("Then.")]), tools=[slow])
        async with saved_in(directory):
            session = await clerk.start_session()
            turn = await session.send_message("x")
            await held.reached()
            asyncio.get_running_loop().call_soon(held.open)
        assert disk.refused.is_set()
        assert clock.waiting == 0
        disk.full = False
        async with saved_in(directory):
            assert (await clerk.session(session.id).turn(turn.id).result(timeout=10)).text == "Then."
            (result,) = [e for e in await clerk.session(session.id).history() if isinstance(e, agents.ToolResultEntry)]
            assert result.error is not None
            assert result.error.code == "unknown_outcome"
