"""CPU of a turn (two streamed model calls, one tool) beside the bare loop, at one and at fifty turns at once."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import bare_loop, subject
from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROUNDS = 7
"""Rounds of both in turn, so that what else the machine does falls on both."""
TURNS = 300
WARM_UP = 50


async def cpu_ms(run: Callable[[], Awaitable[object]], *, at_once: int, turns: int = TURNS) -> float:
    """Mean CPU of one run in milliseconds, of this process alone."""
    await _repeat(run, at_once=at_once, times=WARM_UP)
    gc.collect()
    started = time.process_time()
    await _repeat(run, at_once=at_once, times=turns)
    return (time.process_time() - started) * 1000 / turns


async def _repeat(run: Callable[[], Awaitable[object]], *, at_once: int, times: int) -> None:
    left = iter(range(times))

    async def work() -> None:
        for _ in left:
            await run()

    await asyncio.gather(*(work() for _ in range(at_once)))


async def agent_turns(agent: agents.Agent[str], *, at_once: int, turns: int = TURNS) -> float:
    """CPU of a turn of an agent, each in a session of its own."""

    async def run() -> None:
        match await agent.run(subject.QUESTION):
            case agents.Completed(tool_calls=(_, *_)):
                pass
            case other:
                raise RuntimeError(f"The turn did not end as it should: {other!r}")

    return await cpu_ms(run, at_once=at_once, turns=turns)


async def bare_turns(url: str, *, at_once: int) -> float:
    """CPU of the floor of a turn."""
    bodies = subject.bodies_of_a_turn()
    async with bare_loop.open_client() as client:
        return await cpu_ms(partial(bare_loop.turn, client, f"{url}/v1/chat/completions", bodies), at_once=at_once)


def main(url: str, kind: str, at_once: int) -> None:
    """Print the medians as JSON."""
    subject.use_server(url)
    agent = subject.agent(tools=[subject.TOOLS[kind]])
    rounds = [
        (asyncio.run(agent_turns(agent, at_once=at_once)), asyncio.run(bare_turns(url, at_once=at_once)))
        for _ in range(ROUNDS)
    ]
    figure, floor = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(mine / least for mine, least in rounds)
    print(json.dumps({"value": figure, "floor": floor, "ratio": ratio}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
