"""A program that cancels tasks it does not know cancels ours too: a turn ends or goes on all the same."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.local.journal import owned_file
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.sessions.reading import completed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@agents.tool
async def note() -> str:
    """Take a note."""
    await asyncio.sleep(0)
    return "noted"


@agents.tool
def look_up() -> str:
    """Look something up."""
    return "found"


ENDED = threading.Event()
"""Set once the tool `last` has ended."""


@agents.tool
async def last() -> str:
    """Do the last thing."""
    ENDED.set()
    return "done"


class Watches(agents.Hook):
    """Awaits at every point that a turn has."""

    async def pre_agent_turn(self, ctx: Any, request: Any) -> None:
        await asyncio.sleep(0)

    async def pre_tool_call(self, ctx: Any, call: Any) -> None:
        await asyncio.sleep(0)

    async def post_agent_turn(self, ctx: Any, result: Any) -> None:
        await asyncio.sleep(0)


def cancel_the_others() -> None:
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@pytest.mark.parametrize("mode", ["auto", "ask"])
@pytest.mark.parametrize("hooks", [[], [Watches()]], ids=["plain", "hooks"])
@pytest.mark.parametrize("saved", [False, True], ids=["memory", "saved"])
async def test_a_turn_ends_wherever_its_tasks_are_cancelled(
    mode: Any, hooks: list[agents.Hook], saved: bool, tmp_path: Path
) -> None:
    journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path) if saved else None
    async with agents.local_runtime(journal_factory=journals):
        for steps in range(25):
            model = ScriptedModel([calls(call("note"), call("look_up")), reply("Done."), *[reply("Fine.")] * 3])
            agent = agents.Agent(model=model, tools=[note, look_up], hooks=hooks, permission_mode=mode)
            session = await agent.start_session(on_approval=lambda ctx, request: agents.AllowApproval())
            turn = await session.send_message("Go.")
            for _ in range(steps):
                await asyncio.sleep(0)
            cancel_the_others()
            state = await turn.result(timeout=10)
            assert not isinstance(state, agents.Running | agents.Blocked), steps
            assert completed(await asyncio.wait_for(session.run("Again."), 10)).text, steps
            await session.cancel()


class TestWhileAResultIsMadeDurable:
    """The last tool of a turn has its result, which is on its way to the disk, and hooks are to see the end next."""

    @pytest.fixture
    def syncing(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
        """Set when the disk is asked, from the tool's result on; and to be set when it may go on."""
        asked, may_go_on, sync = threading.Event(), threading.Event(), owned_file.sync_data

        def slow(fd: int) -> None:
            if ENDED.is_set():
                asked.set()
                may_go_on.wait(20)
            sync(fd)

        ENDED.clear()
        monkeypatch.setattr(owned_file, "sync_data", slow)
        yield asked, may_go_on
        may_go_on.set()

    @pytest.mark.parametrize("interrupts", [False, True])
    async def test_the_turn_ends_all_the_same(
        self, tmp_path: Path, syncing: tuple[threading.Event, threading.Event], interrupts: bool
    ) -> None:
        asked, may_go_on = syncing
        seen: list[str] = []

        class Sees(agents.Hook):
            async def post_agent_turn(self, ctx: Any, result: Any) -> None:
                seen.append("end")

        model = ScriptedModel([call("last")])
        agent = agents.Agent(model=model, tools=[last], hooks=[Sees()], max_iterations=1)
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path)
        async with agents.local_runtime(journal_factory=journals):
            session = await agent.start_session()
            turn = await session.send_message("Go.")
            await asyncio.to_thread(asked.wait, 20)
            if interrupts:
                stopping = asyncio.create_task(turn.interrupt())
                await asyncio.sleep(0)
                may_go_on.set()
                await stopping
                assert isinstance(await turn.get(), agents.Interrupted)
                assert seen == []
            else:
                cancel_the_others()
                await asyncio.sleep(0)
                may_go_on.set()
                assert completed(await turn.result(timeout=10)).stop_reason == "iteration_limit"
                assert seen == ["end"]
            (result,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
            assert result.error is None


async def test_a_tool_that_is_cancelled_twice_has_failed_once() -> None:
    @agents.tool
    async def twice() -> None:
        """Be cancelled twice."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        task.cancel()
        await asyncio.sleep(0)

    model = ScriptedModel([call("twice"), reply("Fine.")])
    session = await agents.Agent(model=model, tools=[twice]).start_session()
    assert completed(await session.run("Go.")).text == "Fine."
    (result,) = [message for message in model.requests[1].messages if isinstance(message, agents.ToolMessage)]
    assert result.content == "The tool failed: CancelledError"
    await session.cancel()
