"""The price of a hook that does nothing, at all six points of a turn."""

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
    from mistralai.agents.authoring.hook import HookContext

ROUNDS = 9
AT_ONCE = 50
POINTS = frozenset(
    {"pre_agent_turn", "pre_llm_call", "post_llm_call", "pre_tool_call", "post_tool_call", "post_agent_turn"}
)
_reached: set[str] = set()


class Idle(agents.Hook):
    """Lets everything be, and notes only which points it was called at."""

    async def pre_agent_turn(self, ctx: HookContext, request: Any) -> None:
        _reached.add("pre_agent_turn")

    async def pre_llm_call(self, ctx: HookContext, invocation: Any) -> None:
        _reached.add("pre_llm_call")

    async def post_llm_call(self, ctx: HookContext, invocation: Any) -> None:
        _reached.add("post_llm_call")

    async def pre_tool_call(self, ctx: HookContext, call: Any) -> None:
        _reached.add("pre_tool_call")

    async def post_tool_call(self, ctx: HookContext, result: Any) -> None:
        _reached.add("post_tool_call")

    async def post_agent_turn(self, ctx: HookContext, result: Any) -> None:
        _reached.add("post_agent_turn")


def main(url: str) -> None:
    """Print the figures as JSON, or which points were not called."""
    subject.use_server(url)
    hooked, plain = subject.agent(hooks=[Idle()]), subject.agent()
    asyncio.run(agent_turns(hooked, at_once=1, turns=1))
    if missing := sorted(POINTS - _reached):
        print(json.dumps({"missing": missing}))
        return
    rounds = [
        (asyncio.run(agent_turns(hooked, at_once=AT_ONCE)), asyncio.run(agent_turns(plain, at_once=AT_ONCE)))
        for _ in range(ROUNDS)
    ]
    figure, floor = (median(column) for column in zip(*rounds, strict=True))
    ratio = median(mine / least for mine, least in rounds)
    print(json.dumps({"value": figure, "floor": floor, "ratio": ratio}))


if __name__ == "__main__":
    main(sys.argv[1])
