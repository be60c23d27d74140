"""CPU of a turn of eight times the size beside one of the size: linear is eight times, quadratic sixty-four."""

from __future__ import annotations

import asyncio
import json
import sys
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import subject
from benchmarks.turns import agent_turns
from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 8
ROUNDS = 5
TURNS = 20


def _long_result(characters: int) -> agents.Agent[str]:
    text = ("Middlemarch, \u201cA Study of Provincial Life\u201d. " * (characters // 40 + 1))[:characters]

    @agents.tool
    async def look_up(title: str) -> str:
        """Look a book up in the catalogue."""
        return text

    return subject.agent(tools=[look_up])


def _many_tools(count: int) -> agents.Agent[str]:
    def named(index: int) -> Any:
        async def shelf(title: str, row: int = 0) -> str:
            """Read what stands on a shelf."""
            return title

        return agents.tool(name=f"shelf_{index}")(shelf)

    return subject.agent(tools=[subject.look_up, *map(named, range(count - 1))])


def _parallel_calls(count: int) -> agents.Agent[str]:
    return subject.agent(calls=count)


def _long_reply(chunks: int) -> agents.Agent[str]:
    return subject.agent(chunks=chunks)


GROWN: dict[str, tuple[Callable[[int], agents.Agent[str]], int]] = {
    "characters of a tool's result": (_long_result, 100_000),
    "tools": (_many_tools, 200),
    "calls in parallel": (_parallel_calls, 64),
    "chunks of a reply": (_long_reply, 2000),
}


def main(url: str) -> None:
    """Print the figures as JSON."""
    subject.use_server(url)
    figures: dict[str, dict[str, float]] = {}
    for what, (build, size) in GROWN.items():
        large, small = build(size), build(size // TIMES)
        rounds = [
            tuple(asyncio.run(agent_turns(agent, at_once=1, turns=TURNS)) for agent in (large, small))
            for _ in range(ROUNDS)
        ]
        figure, floor = (median(column) for column in zip(*rounds, strict=True))
        figures[f"{size:,} {what} (floor: {size // TIMES:,})"] = {"value": figure, "floor": floor}
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1])
