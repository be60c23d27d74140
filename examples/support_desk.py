"""A support agent whose client tool reads the customer's router: that part runs in the customer's program, not here.

Runs without a key, on a script; with MISTRAL_API_KEY set the agent asks a real model.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from typing import Literal

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply


@dataclass(frozen=True)
class RouterStatus:
    line: Literal["up", "down", "unstable"]
    signal_db: float
    restarted_hours_ago: float


@agents.client_tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def router_status(seconds: int = 10) -> RouterStatus:
    """Measure the customer's router.

    Args:
        seconds: How long to measure.
    """
    raise AssertionError("the body of a client tool never runs: the customer's program answers")


@agents.tool
def book_engineer(day: str, problem: str) -> str:
    """Book an engineer's visit. Returns the visit's number."""
    return "V-118"


support = agents.Agent(
    model="mistral-large-4",
    name="support",
    instructions="Help with broken connections. Measure the router before you suggest anything. Be brief.",
    tools=[router_status, book_engineer],
)


def measure(seconds: int = 10) -> RouterStatus:
    """What the customer's program does when it is asked. Its types are the stub's; a checker compares them."""
    return RouterStatus(line="unstable", signal_db=-4.5, restarted_hours_ago=0.2)


def show(event: agents.Event) -> None:
    match event:
        case agents.EntryCompleted(entry=agents.MessageEntry(role=role, text=text)) if text:
            print(f"{'customer' if role == 'user' else 'support'}: {text}")
        case agents.EntryCompleted(entry=agents.ToolCallEntry(name=name, arguments=arguments)):
            print(f"  -> {name} {arguments}")
        case agents.EntryCompleted(entry=agents.ToolResultEntry(structured=structured)) if structured is not None:
            print(f"  <- {structured}")
        case _:
            pass


SCRIPT = [
    call("router_status", {"seconds": 5}),
    reply("Your line is unstable, and a restart did not help. Shall I book an engineer?"),
    call("book_engineer", {"day": "Thursday", "problem": "unstable line, -4.5 dB after a restart"}),
    reply("Done: visit V-118 is on Thursday."),
]


async def main() -> None:
    scripted = None if os.environ.get("MISTRAL_API_KEY") else {"model": ScriptedModel(SCRIPT)}
    session = await support.start_session(
        on_client_tool=agents.ClientToolAnswers(router_status.answer(measure)), agent=scripted
    )
    try:
        for said in ("My connection drops every few minutes.", "Yes please, on Thursday."):
            state = await session.run(said, on_event=show)
            if not isinstance(state, agents.Completed):
                print(f"it stopped: {state!r}")
                return
    finally:
        await session.cancel()


if __name__ == "__main__":
    asyncio.run(main())
