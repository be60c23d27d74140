"""Tests of a session that one process writes and another reads, and of who may write next."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.local import saving
from mistralai.agents.testing import ScriptedModel, gate, reply
from tests.journal import writer
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parents[2]


class Writer:
    """Another process that writes a session."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.session_id = ""

    async def heard(self) -> dict[str, Any]:
        """Return the next thing it says."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        assert line, "the writer died"
        said: dict[str, Any] = json.loads(line)
        return said

    async def told(self, order: str) -> dict[str, Any]:
        """Tell it what to do, and return what it says to that."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n".encode())
        await self._process.stdin.drain()
        return await self.heard()

    async def interrupted(self) -> None:
        """Press Ctrl+C, and wait for its end."""
        self._process.send_signal(signal.SIGINT)
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def killed(self) -> None:
        """Kill it, by SIGKILL."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def killed_beside_its_child(self) -> None:
        """Kill it, where its child keeps the ends of its pipes: `wait` would wait for those too."""
        self._process.kill()
        with contextlib.suppress(ChildProcessError):  # the loop was told of its end first
            await asyncio.to_thread(os.waitid, os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)

    async def let_go(self) -> None:
        """Close its pipes, once nobody has the other ends."""
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        await self._process.stdout.read()
        self._process.stdin.close()
        with contextlib.suppress(ConnectionError):
            await self._process.stdin.wait_closed()
        await self._process.wait()


async def started(place: Path, session_id: str | None = None) -> Writer:
    """Start a writer."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(writer.__file__)),
        str(place),
        *([session_id] if session_id else []),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
    )
    other = Writer(process)
    other.session_id = (await other.heard())["session"]
    return other


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Writer]:
    """Another process, with a session of its own that it has just started."""
    process = await started(tmp_path)
    yield process
    await process.killed()


class TestAReader:
    async def test_sees_what_another_process_writes(
        self, other: Writer, directory: Path, ledger: Path, tmp_path: Path
    ) -> None:
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            assert (await session.info()).status == "waiting"
            said = await other.told("start")
            state = await session.turn(said["turn"]).result(timeout=10)
            assert isinstance(state, agents.Blocked)
            assert state.callbacks[0].id == said["callback"]
            waiting = asyncio.ensure_future(session.turn(said["turn"]).result(after=state, timeout=10))
            assert await other.told("allow") == {"text": "So: paid"}
            assert (await waiting).text == "So: paid"
            events = [event async for event in session.turn(said["turn"]).iter_events()]
            assert isinstance(events[-1], agents.TurnEnded)
            assert not any(isinstance(event, agents.Notice) for event in events)

    async def test_follows_the_events_live(self, other: Writer, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            seen: list[str] = []

            async def follow() -> None:
                async for event in session.iter_events():
                    seen.append(event.id)
                    if isinstance(event, agents.TurnEnded):
                        return

            following = asyncio.ensure_future(follow())
            await other.told("start")
            await other.told("allow")
            await asyncio.wait_for(following, 10)
            assert len(seen) == len(set(seen))

    async def test_can_send_nothing(self, other: Writer, directory: Path, ledger: Path) -> None:
        said = await other.told("start")
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            turn = session.turn(said["turn"])
            for command in (
                session.send_message("x"),
                turn.answer(said["callback"], agents.AllowApproval()),
                turn.interrupt(),
                session.cancel(),
            ):
                with pytest.raises(agents.SessionInUseError, match="written by another process"):
                    await command
            assert isinstance(await turn.get(), agents.Blocked)
        assert await other.told("allow") == {"text": "So: paid"}
        assert len(payments(ledger)) == 1

    async def test_lists_it(self, other: Writer, directory: Path) -> None:
        await other.told("start")
        async with saved_in(directory):
            (info,) = [info async for info in agents.list_sessions(host="local")]
            assert (info.session_id, info.status, info.open_callbacks) == (other.session_id, "waiting", 1)

    async def test_takes_over_when_the_writer_is_gone(self, other: Writer, directory: Path, ledger: Path) -> None:
        said = await other.told("start")
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            turn = session.turn(said["turn"])
            assert isinstance(await turn.get(), agents.Blocked)
            await other.killed()
            await turn.answer(said["callback"], agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"

    async def test_that_waits_takes_over_too(self, directory: Path, ledger: Path, tmp_path: Path) -> None:
        """The writer dies while its model is asked: the turn goes on where somebody waits for it."""
        other = await started(tmp_path)
        said = await other.told("start")
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            state = await session.turn(said["turn"]).get()
            events: list[agents.Event] = []

            async def follow() -> None:
                async for event in session.iter_events(after=state):
                    events.append(event)
                    if isinstance(event, agents.TurnEnded):
                        return

            following = asyncio.ensure_future(follow())
            await other.killed()
            answered = asyncio.ensure_future(session.turn(said["turn"]).answer(said["callback"], agents.DenyApproval()))
            await asyncio.wait_for(following, 10)
            assert isinstance(await answered, agents.Answered)
            assert len({event.id for event in events}) == len(events)

    async def test_that_only_waits_lets_the_turn_go_on(
        self, directory: Path, ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.5")
        other = await started(tmp_path)
        said = await other.told("start")
        async with saved_in(directory):
            turn = agent(ledger).session(other.session_id).turn(said["turn"])
            state = await turn.get()
            assert isinstance(state, agents.Blocked)
            await other.killed()
            ended = await turn.result(after=state, timeout=20)  # nobody else is there to let the question expire
            assert "in time" in (ended.text or "")

    async def test_is_told_when_the_journal_is_damaged_meanwhile(
        self, other: Writer, directory: Path, ledger: Path
    ) -> None:
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            await other.told("start")
            events = aiter(session.iter_events())
            while not isinstance(event := await anext(events), agents.SessionUpdated) or event.status != "waiting":
                pass
            waiting = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0)
            journal = directory / session.id / "journal.jsonl"
            whole = journal.read_bytes().splitlines(keepends=True)
            journal.write_bytes(journal.read_bytes() + b"not a line\n" + whole[-1])
            with pytest.raises(agents.experimental.JournalError, match="damaged"):
                await asyncio.wait_for(waiting, 10)


class TestControlC:
    async def test_ends_the_process_soon_and_leaves_a_session_that_opens(
        self, other: Writer, directory: Path, ledger: Path
    ) -> None:
        said = await other.told("start")
        async with asyncio.timeout(10):
            await other.interrupted()
        async with saved_in(directory):
            session = agent(ledger).session(other.session_id)
            turn = session.turn(said["turn"])
            await turn.answer(said["callback"], agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "So: paid"
        assert not list((directory / session.id).glob("cut-at-*"))


class TestTheLock:
    async def test_keeps_a_second_process_out(self, directory: Path, ledger: Path, tmp_path: Path) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            other = await started(tmp_path, session.id)
            assert await other.told("start") == {"error": "SessionInUseError"}
            await other.killed()
            assert isinstance(await session.run("Pay."), agents.Blocked)

    async def test_keeps_a_second_loop_of_one_process_out(self, directory: Path, ledger: Path) -> None:
        async def second(session_id: str) -> None:
            async with saved_in(directory):
                session = agent(ledger).session(session_id)
                assert (await session.info()).status == "waiting"
                with pytest.raises(agents.SessionInUseError):
                    await session.run("Pay.")

        async with saved_in(directory):
            session = await agent(ledger).start_session()
            await asyncio.to_thread(asyncio.run, second(session.id))

    async def test_goes_with_a_block(self, directory: Path, ledger: Path, tmp_path: Path) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
        other = await started(tmp_path, session.id)
        assert "turn" in await other.told("start")
        await other.killed()

    async def test_goes_with_a_loop_that_ended_without_a_block(self, directory: Path, ledger: Path) -> None:
        async def loop_without_a_block() -> str:
            runtime = saved_in(directory)
            await runtime.__aenter__()
            return (await agent(ledger).start_session()).id

        session_id = await asyncio.to_thread(asyncio.run, loop_without_a_block())
        async with saved_in(directory):
            assert isinstance(await agent(ledger).session(session_id).run("Pay."), agents.Blocked)

    async def test_does_not_outlive_the_process_in_a_forked_child(
        self, other: Writer, directory: Path, ledger: Path
    ) -> None:
        child = (await other.told("fork"))["child"]
        try:
            await other.killed_beside_its_child()
            async with saved_in(directory):
                session = agent(ledger).session(other.session_id)
                assert isinstance(await session.run("Pay."), agents.Blocked)
        finally:
            os.kill(child, signal.SIGKILL)
            await other.let_go()


class TestManySessions:
    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files where Linux lists them")
    async def test_hold_few_files_open(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(saving, "MOST_OPEN", 20)
        async with saved_in(directory) as runtime:
            clerk = agents.Agent(name="clerk", model=ScriptedModel([reply("Hi.")] * 200))
            sessions: list[agents.Session] = []
            for _ in range(100):
                sessions.append(session := await clerk.start_session())
                await session.run("x")
            held = runtime.statistics()
            assert held.waiting_sessions <= 25
            open_files = [path for path in Path("/proc/self/fd").iterdir() if directory in path.resolve().parents]
            assert len(open_files) <= 25
            states = [await session.run("y") for session in sessions]
            assert all(isinstance(state, agents.Completed) for state in states)
            assert len([info async for info in agents.list_sessions(host="local")]) == 100

    async def test_commit_together_and_are_all_there(self, directory: Path) -> None:
        """Two hundred turns at once, in one loop: each is whole in its own journal."""
        held = gate()
        model = ScriptedModel([reply(held, "Done.")] * 200)
        async with saved_in(directory):
            clerk = agents.Agent(name="clerk", model=model)
            sessions = [await clerk.start_session() for _ in range(200)]
            turns = await asyncio.gather(*(session.send_message("Go.") for session in sessions))
            held.open()
            states = await asyncio.gather(*(turn.result(timeout=30) for turn in turns))
            assert {state.text for state in states} == {"Done."}
        async with saved_in(directory):
            listed = [info async for info in agents.list_sessions(host="local")]
            assert {info.session_id for info in listed} == {session.id for session in sessions}
            assert {info.status for info in listed} == {"waiting"}
