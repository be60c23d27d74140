"""The sessions that each release leaves under `tests/journals/<version>/`, to be read by every later one.

`python -m tests.journal.recorded <version>` writes those of the version that runs, once, before it is released.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, error, reply
from tests.journal.story import saved_in

HOME = Path(__file__).parents[1] / "journals"
_LONG = re.compile("[A-Za-z0-9+/=]{1000,}")
EVENTS = "events.json"
"""What each session's events were when it was recorded, in the public JSON form."""


@agents.tool
def look(where: str) -> dict[str, Any]:
    """Look somewhere."""
    return {"seen": where, "lone": "\ud83d", "big": 2**70}


@agents.tool
def fail() -> str:
    """Fail."""
    raise agents.ToolError("no such thing")


@agents.client_tool
def choose(options: list[str]) -> str:
    """Choose one."""
    raise AssertionError(options)


class Counting(agents.Hook):
    """Counts the model's calls, to have a state that is saved."""

    calls: int = 0

    async def post_llm_call(self, ctx: Any, invocation: Any) -> None:
        self.calls += 1


def agent(*steps: Any) -> agents.Agent[str]:
    """Return the agent of every recorded session."""
    return agents.Agent(
        name="recorded",
        model=ScriptedModel(list(steps)),
        instructions="Answer shortly.",
        tools=[look, fail, choose],
        hooks=[Counting()],
        permission_policy=agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.look"], decision="ask")]
        ),
    )


CONVERSATION: dict[str, Any] = {
    "history": [{"type": "message", "role": "user", "content": [{"type": "text", "text": "Before."}]}],
    "agent": {"temperature": 0.2},
    "idempotency_key": "conversation",
}


async def conversation() -> agents.Session:
    """Two turns, an imported history, tools that fail and that answer, an edited approval and a client tool."""
    steps = [
        calls(call("look", {"where": "é 漢字 🦭"}), call("fail", {})),
        call("choose", {"options": ["a", "b"]}),
        reply("First answer."),
        reply("Second answer."),
    ]
    session = await agent(*steps).start_session(**CONVERSATION)
    turn = await session.send_message("One.", idempotency_key="one")
    state = await turn.result()
    while isinstance(state, agents.Blocked):
        for callback in state.callbacks:
            allowed = agents.AllowApproval(arguments={"where": "here"})
            await turn.answer(callback.id, allowed if isinstance(callback, agents.OpenApproval) else "b")
        state = await turn.result(after=state)
    await session.run("Two.")
    return session


async def picture() -> agents.Session:
    """A message with an image that lies beside the journal."""
    session = await agent(reply("A picture.")).start_session()
    image = agents.ImageContentBlock.from_bytes(bytes(range(256)) * 240, media_type="image/png")
    await session.run([agents.TextContentBlock(text="What is this?"), image])
    return session


async def blocked() -> agents.Session:
    """A question that nobody has answered."""
    session = await agent(call("look", {"where": "there"})).start_session()
    await session.run("Look there.")
    return session


async def failed() -> agents.Session:
    """A turn that failed, and one that was interrupted."""
    session = await agent(error(400), call("look", {"where": "there"})).start_session()
    await session.run("Fail.")
    turn = await session.send_message("Wait.")
    await turn.result()
    await turn.interrupt()
    return session


async def ended() -> agents.Session:
    """A session that was cancelled."""
    session = await agent(reply("Bye.")).start_session()
    await session.run("Bye.")
    await session.cancel()
    return session


SESSIONS = (conversation, picture, blocked, failed, ended)


async def events_of(session: agents.Session) -> list[str]:
    """Return the events that there are now, as JSON; those of a text as it is written are left out."""
    held: list[str] = []

    async def read() -> None:
        async for event in session.iter_events():
            if not isinstance(event, agents.TextDelta):
                held.append(_LONG.sub(_digest, agents.to_json(event)))  # noqa: PERF401  # what was read when the time is up is wanted

    reading = asyncio.ensure_future(read())
    await asyncio.wait({reading}, timeout=0.1)
    reading.cancel()
    return held


def _digest(match: re.Match[str]) -> str:
    return hashlib.sha256(match[0].encode()).hexdigest()


async def record(place: Path) -> None:
    """Write every session, and what is read of it."""
    os.environ["AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS"] = str(3600 * 24 * 365 * 90)
    shutil.rmtree(place, ignore_errors=True)
    async with saved_in(place):
        told = {make.__name__: await make() for make in SESSIONS}
        events = {name: {"id": s.id, "events": [json.loads(e) for e in await events_of(s)]} for name, s in told.items()}
    (place / EVENTS).write_text(json.dumps(events, indent=1) + "\n")


if __name__ == "__main__":
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    asyncio.run(record(HOME / sys.argv[1]))
