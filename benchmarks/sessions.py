"""Memory and tasks of sessions that are idle or wait for a person: a thousand, with their handles kept."""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import subject
from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    type Open = Callable[[agents.Agent[str]], Awaitable[object]]

WARM_UP = 50
SESSIONS = 1000
AT_ONCE = 20
CROWD = 10_000
ANSWERED = 200


async def started(agent: agents.Agent[str]) -> object:
    """A session that was started and has no turn yet."""
    return await agent.start_session()


async def answered(agent: agents.Agent[str]) -> object:
    """A session that is idle after a whole turn."""
    session = await agent.start_session()
    turn = await session.send_message(subject.QUESTION)
    await turn.result()
    return session, turn


async def blocked(agent: agents.Agent[str]) -> tuple[agents.Session, agents.Turn]:
    """A session whose turn waits for an approval."""
    session = await agent.start_session()
    turn = await session.send_message(subject.QUESTION)
    match await turn.result():
        case agents.Blocked():
            return session, turn
        case other:
            raise RuntimeError(f"The turn does not wait: {other!r}")


KINDS: dict[str, tuple[Open, str]] = {
    "started": (started, "auto"),
    "answered": (answered, "auto"),
    "blocked": (blocked, "ask"),
}


def resident_bytes() -> int:
    """Memory of this process; where the system does not tell, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize()


async def measured(kind: str) -> dict[str, float]:
    """KB and tasks per session."""
    opener, mode = KINDS[kind]
    agent = subject.agent(permission_mode=mode)
    kept = await opened(opener, agent, WARM_UP)
    gc.collect()
    memory, tasks = resident_bytes(), len(asyncio.all_tasks())
    kept += await opened(opener, agent, SESSIONS)
    gc.collect()
    figures = {
        "kb": (resident_bytes() - memory) / 1024 / SESSIONS,
        "tasks": (len(asyncio.all_tasks()) - tasks) / SESSIONS,
    }
    del kept
    return figures


async def opened[T](
    opener: Callable[[agents.Agent[str]], Awaitable[T]], agent: agents.Agent[str], count: int
) -> list[T]:
    """Return so many sessions, opened a few at once."""
    left = iter(range(count))

    async def work() -> list[T]:
        return [await opener(agent) for _ in left]

    parts = await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return [each for part in parts for each in part]


async def crowd() -> dict[str, float]:
    """Memory of the whole process with ten thousand blocked sessions, and CPU of answering one."""
    agent = subject.agent(permission_mode="ask")
    turns = [turn for _, turn in await opened(blocked, agent, CROWD)]
    gc.collect()
    memory = resident_bytes()
    answered_ones = turns[:: CROWD // ANSWERED]
    spent = time.process_time()
    for turn in answered_ones:
        match await turn.get():
            case agents.Blocked(callbacks=(question, *_)):
                await turn.answer(question.id, agents.AllowApproval())
            case other:
                raise RuntimeError(f"The turn does not wait: {other!r}")
    answering = time.process_time() - spent
    for turn in answered_ones:
        await turn.result()
    return {"mb": memory / 1024 / 1024, "answer_ms": answering * 1000 / len(answered_ones)}


def main(url: str, kind: str) -> None:
    """Print the figures of one kind as JSON."""
    subject.use_server(url)

    async def run() -> dict[str, float]:
        async with agents.local_runtime():
            return await (crowd() if kind == "crowd" else measured(kind))

    print(json.dumps(asyncio.run(run())))


if __name__ == "__main__":
    main(*sys.argv[1:])
