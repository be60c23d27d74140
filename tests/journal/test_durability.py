"""Tests of what is on the disk when somebody relies on it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.local.journal import owned_file
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.journal.story import saved_in

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds a file by its number as Linux does")


class Disk:
    """What of each file has reached the disk."""

    def __init__(self, really: Callable[[int], None]) -> None:
        self._really = really
        self._loop = asyncio.get_running_loop()
        self.safe: dict[Path, int] = {}

    def sync(self, fd: int) -> None:
        """Sync a file, and note how much there was. It takes many steps of the loop, so who does not wait is late."""
        for _ in range(50):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop).result()
        size = os.fstat(fd).st_size
        self._really(fd)
        path = Path(f"/proc/self/fd/{fd}").resolve()
        self.safe[path] = max(size, self.safe.get(path, 0))

    def holds(self, directory: Path) -> str:
        """Return what a power cut would leave of the one session there is."""
        (path,) = directory.glob("*/journal.jsonl")
        return path.read_bytes()[: self.safe.get(path.resolve(), 0)].decode()


@pytest.fixture
async def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk(owned_file.sync_data)
    monkeypatch.setattr(owned_file, "sync_data", disk.sync)
    return disk


@agents.tool
def weigh() -> str:
    """Weigh."""
    return "2 kg"


class TestADecisionPoint:
    async def test_is_on_the_disk_before_anybody_relies_on_it(self, directory: Path, disk: Disk) -> None:
        held: list[str] = []

        @agents.tool
        async def look() -> str:
            """Look."""
            held.append(disk.holds(directory))
            return "a result"

        steps = [call("look", {}), reply("Done.")]
        async with saved_in(directory):
            clerk = agents.Agent(name="a", model=ScriptedModel(steps), tools=[look], permission_mode="ask")
            session = await clerk.start_session()
            assert '"session_started"' in disk.holds(directory)
            turn = await session.send_message("Look.")
            assert '"turn_accepted"' in disk.holds(directory)
            state = await turn.result()
            assert isinstance(state, agents.Blocked)
            assert '"callback_opened"' in disk.holds(directory)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            assert '"callback_settled"' in disk.holds(directory)
            assert isinstance(await turn.result(), agents.Completed)
            assert '"turn_ended"' in disk.holds(directory)
            assert '"call_started"' in held[0]

    async def test_is_on_the_disk_before_its_event_is_read(self, directory: Path, disk: Disk) -> None:
        model = ScriptedModel([calls(call("weigh", {})), reply("Done.")])
        async with saved_in(directory):
            clerk = agents.Agent(name="a", model=model, tools=[weigh], permission_mode="ask")
            session = await clerk.start_session()
            turn = await session.send_message("Look.")
            told: list[type] = []
            async for event in turn.iter_events():
                told.append(type(event))
                if isinstance(event, agents.CallbackOpened):
                    assert '"callback_opened"' in disk.holds(directory)
                    await turn.answer(event.callback.id, agents.AllowApproval())
                elif isinstance(event, agents.TurnEnded):
                    assert '"turn_ended"' in disk.holds(directory)
            assert {agents.CallbackOpened, agents.TurnEnded} <= set(told)

    async def test_waits_for_no_disk_where_that_was_chosen(self, directory: Path, disk: Disk) -> None:
        journal = agents.experimental.JsonFileSessionJournal.in_directory(directory, fsync=False)
        async with agents.local_runtime(journal_factory=journal):
            session = await agents.Agent(name="a", model=ScriptedModel([reply("Hi.")])).start_session()
            await session.run("x")
        assert disk.safe == {}
