"""A program that cancels tasks it does not know cancels ours too: a turn ends or goes on all the same."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.sessions.reading import completed

if TYPE_CHECKING:
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
