"""A session with every kind of step, and the program of a process that is killed while it runs one.

The model calls `pay`, which asks for an approval and writes into a ledger, then answers in two chunks. What it says
rests on the history alone, so that it goes on in any process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CALL = "pay000001"
_AT_THE_LEDGER = threading.Lock()
"""Many who pay at once would hold as many files open."""
FEW_FILES = 40
"""What a process may open that is to park its session."""
USAGE = agents.TokenUsage(input_tokens=3, output_tokens=2, total_tokens=5)


class StoryModel:
    """Pays once, then says what became of it."""

    def __init__(self) -> None:
        self.asked = 0

    async def stream(self, request: agents.ModelRequest, /) -> AsyncIterator[agents.ModelEvent]:
        """Reply to the last message of the history."""
        self.asked += 1
        last = request.messages[-1]
        if isinstance(last, agents.ToolMessage):
            yield agents.TextChunk(text="So: ")
            await asyncio.sleep(0)
            yield agents.TextChunk(text=str(last.content))
            yield agents.ReplyFinished(reason="stop", usage=USAGE)
        else:
            yield agents.ToolCallBlock(
                call=agents.ModelToolCall(id=f"pay{self.next(request):06}", name="pay", arguments="{}")
            )
            yield agents.ReplyFinished(reason="tool_calls", usage=USAGE)

    def next(self, request: agents.ModelRequest) -> int:
        """Return the number of the next call of the session."""
        return 1 + sum(isinstance(message, agents.ToolMessage) for message in request.messages)


def agent(ledger: Path, *, repeatable: bool = False, ask: bool = True, name: str = "teller") -> agents.Agent[str]:
    """Return the agent of the story. Its ledger has a line for each time that `pay` ran: the call's idempotency key."""

    @agents.tool(idempotent=repeatable)
    def pay(ctx: agents.ToolContext) -> str:
        """Pay the bill."""
        with _AT_THE_LEDGER, ledger.open("a") as file:
            file.write(f"{ctx.idempotency_key}\n")
        return "paid"

    return agents.Agent(
        name=name,
        model=StoryModel(),
        instructions="Pay the bills.",
        tools=[pay],
        permission_mode="ask" if ask else "auto",
    )


def saved_in(directory: Path, **options: Any) -> agents.LocalRuntime:
    """Return the block of a runtime that saves its sessions there."""
    journal = agents.experimental.JsonFileSessionJournal.in_directory(directory)
    return agents.local_runtime(journal_factory=journal, **options)


def payments(ledger: Path) -> list[str]:
    """Return the idempotency key of each payment that was made."""
    return ledger.read_text().split() if ledger.exists() else []


async def wait_beside(teller: agents.Agent[str], count: int) -> None:
    """Leave so many other sessions blocked."""
    for _ in range(count):
        await teller.run("Pay my bill.")


async def tell(directory: Path, *, repeatable: bool, interrupt: bool, beside: int = 0) -> None:
    """Run the story, and print where it has got to. The process may be killed at any point of it."""
    teller = agent(directory / "ledger", repeatable=repeatable)
    async with saved_in(directory / "sessions"):
        session = await teller.start_session()
        say(session=session.id)
        turn = await session.start_turn("Pay my bill.")
        assert isinstance(turn, agents.Turn)
        say(turn=turn.id)
        state = await turn.result()
        assert isinstance(state, agents.Blocked)
        say(callback=state.callbacks[0].id)
        await wait_beside(teller, beside)
        if interrupt:
            await turn.interrupt()
        else:
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            say(answered=True)
            await turn.result()
        say(ended=True)
        await session.cancel()


def say(**told: Any) -> None:
    """Tell the process that started this one."""
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    if "parked" in sys.argv:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    asyncio.run(
        tell(
            Path(sys.argv[1]),
            repeatable="repeatable" in sys.argv,
            interrupt="interrupt" in sys.argv,
            beside=FEW_FILES if "parked" in sys.argv else 0,
        )
    )
