"""Payments are reviewed side by side, and an analyst, in a task of their own, decides on each case before it is opened.

Runs without a key, on scripts; with MISTRAL_API_KEY set the agent asks a real model.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply


@dataclass(frozen=True)
class Payment:
    number: str
    euros: float
    usual_euros: float
    payee: str
    payee_known_days: int


PAYMENTS = {
    "P-31": Payment("P-31", 9_400.0, 260.0, "Quayside Trading", 0),
    "P-32": Payment("P-32", 1_150.0, 980.0, "Ferris Dental Supplies", 1_460),
}


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def read_payment(number: str) -> Payment:
    """Read a payment and what is usual for its payer."""
    if number not in PAYMENTS:
        raise agents.ToolError(f"There is no payment {number}. There are {', '.join(PAYMENTS)}.")
    return PAYMENTS[number]


@agents.tool
def open_case(number: str, reason: str) -> str:
    """Stop a payment and open a case on it."""
    return f"CASE-{number}"


reviewer = agents.Agent(
    model="mistral-large-4",
    name="payment-reviewer",
    instructions="Read the payment first. Open a case if it looks wrong, and say in one sentence what you did.",
    tools=[read_payment, open_case],
    permission_policy=agents.PermissionPolicy(
        default="ask",  # a tool that is added later asks, too
        rules=[agents.PermissionRule(tools=["client.read_payment"], decision="allow")],
    ),
)

SCRIPTS = {
    "P-31": [
        call("read_payment", {"number": "P-31"}),
        call("open_case", {"number": "P-31", "reason": "unusual amount"}),
        reply("Case CASE-P-31 is open: 36 times the usual amount, to a payee nobody has paid before."),
    ],
    "P-32": [
        call("read_payment", {"number": "P-32"}),
        call("open_case", {"number": "P-32", "reason": "amount above the usual one"}),
        reply("No case: the analyst knows this payee, and the payment goes through."),
    ],
}


@dataclass(frozen=True)
class Ticket:
    """A question on the analyst's desk. Its IDs are all it takes to answer."""

    session_id: str
    turn_id: str
    callback: agents.OpenApproval


async def analyst(desk: asyncio.Queue[Ticket]) -> None:
    """Answers each ticket. In a real desk this is a screen, and it may take an hour."""
    while True:
        ticket = await desk.get()
        arguments = ticket.callback.request.arguments
        print(f"analyst: {ticket.callback.title} {arguments}")
        if arguments == {"number": "P-31", "reason": "unusual amount"}:
            # What runs is what the analyst approved: here, the call with a better reason.
            decision: agents.AllowApproval | agents.DenyApproval = agents.AllowApproval(
                arguments={"number": "P-31", "reason": "36 times the usual amount, to a payee of today"}
            )
        else:
            decision = agents.DenyApproval(message="We have paid them every month for four years.")
        await reviewer.session(ticket.session_id).turn(ticket.turn_id).answer(ticket.callback.id, decision)


async def review(number: str, desk: asyncio.Queue[Ticket]) -> None:
    script = None if os.environ.get("MISTRAL_API_KEY") else {"model": ScriptedModel(SCRIPTS[number])}
    session = await reviewer.start_session(agent=script)
    try:
        state = await session.run(f"Please review payment {number}.")
        while isinstance(state, agents.Blocked):
            for callback in state.callbacks:
                if isinstance(callback, agents.OpenApproval):
                    await desk.put(Ticket(state.session_id, state.turn_id, callback))
            # Returns when the turn ends, or asks something new: not again for what is on the desk.
            state = await session.turn(state.turn_id).result(after=state)
        match state:
            case agents.Completed(text=text, tool_calls=calls):
                print(f"{number}: {text}")
                history = await session.history()
                errors = {e.tool_call_id: e.error for e in history if isinstance(e, agents.ToolResultEntry)}
                asked = [entry.tool_call_id for entry in history if isinstance(entry, agents.ToolCallEntry)]
                for made, call_id in zip(calls, asked, strict=True):  # all that the model asked for, done or not
                    error = errors[call_id]
                    print(f"    {made.name} {made.arguments}{'' if error is None else f' · {error.code}'}")
            case _:
                print(f"{number}: the review stopped: {state!r}")
    finally:
        await session.cancel()


async def main() -> None:
    desk: asyncio.Queue[Ticket] = asyncio.Queue()
    working = asyncio.create_task(analyst(desk))
    try:
        await asyncio.gather(*(review(number, desk) for number in PAYMENTS))
    finally:
        working.cancel()


if __name__ == "__main__":
    asyncio.run(main())
