"""A hook that stops a model from making the same call over and over: after two, the model reads why it did not run.

Runs without a key, on a script; with MISTRAL_API_KEY set the agent asks a real model.
"""

from __future__ import annotations

import asyncio
import json
import os

from pydantic import Field

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

SEARCHES: list[str] = []


@agents.tool
def search_archive(words: str) -> list[str]:
    """Search the archive for documents."""
    SEARCHES.append(words)
    return []


class LoopBreaker(agents.Hook):
    """Lets a call with the same arguments run `most` times in a turn, and skips it from then on.

    Its fields are its state: each session has its own, and a saved session keeps it.
    """

    most: int = 2
    seen: dict[str, int] = Field(default_factory=dict[str, int])

    async def pre_agent_turn(self, ctx: agents.hook.HookContext, request: agents.hook.AgentTurnRequest, /) -> None:
        self.seen = {}

    async def pre_tool_call(
        self, ctx: agents.hook.HookContext, call: agents.hook.ToolCallRequest, /
    ) -> agents.hook.Skip | None:
        same = f"{call.tool_id} {json.dumps(call.arguments, sort_keys=True)}"
        self.seen[same] = self.seen.get(same, 0) + 1
        if self.seen[same] <= self.most:
            return None
        return agents.skip(
            f"Not run: {call.name} was called with these arguments {self.most} times, and the answer does not change. "
            "Try other words, or say that there is nothing."
        )


archivist = agents.Agent(
    model="mistral-large-4",
    instructions="Find documents in the archive.",
    tools=[search_archive],
    hooks=[LoopBreaker()],
    max_iterations=8,  # the bound that holds whatever the model does; the hook lets it end well before
)

SCRIPT = [
    *[call("search_archive", {"words": "canal works 1911"})] * 4,
    call("search_archive", {"words": "canal"}),
    reply("The archive has nothing on the canal works of 1911."),
]


async def main() -> None:
    scripted = None if os.environ.get("MISTRAL_API_KEY") else {"model": ScriptedModel(SCRIPT)}
    session = await archivist.start_session(agent=scripted)
    state = await session.run("What do we have on the canal works of 1911?")
    match state:
        case agents.Completed(text=text, tool_calls=calls):
            print(text)
            print(f"{len(calls)} calls, of which {len(SEARCHES)} searched the archive")
        case _:
            print(f"it stopped: {state!r}")
    for entry in await session.history():
        if isinstance(entry, agents.ToolResultEntry) and entry.error is not None:
            print(f"the model read: {entry.error.message}")
    await session.cancel()


if __name__ == "__main__":
    asyncio.run(main())
