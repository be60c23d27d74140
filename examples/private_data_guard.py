"""A guardrail that keeps private data from the model: card numbers and addresses are masked, passwords are refused.

Runs without a key, on a script; with MISTRAL_API_KEY set the agent asks a real model.
"""

from __future__ import annotations

import asyncio
import os
import re

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

CARD = re.compile(r"\b\d(?:[ -]?\d){12,18}\b")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
PASSWORD = re.compile(r"\b(?:password|passwort|mot de passe)\b\s*(?:is|:|=)\s*\S+", re.IGNORECASE)


def is_card(digits: str) -> bool:
    """Whether a number passes the check that card numbers pass."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def masked(text: str) -> str:
    def card(found: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", found[0])
        return f"[card ending in {digits[-4:]}]" if is_card(digits) else found[0]

    return ADDRESS.sub("[e-mail address]", CARD.sub(card, text))


class PrivateDataGuard(agents.Hook):
    """Masks what the user writes and what tools return, before a model reads it."""

    async def pre_agent_turn(
        self, ctx: agents.hook.HookContext, request: agents.hook.AgentTurnRequest, /
    ) -> agents.hook.PreAgentTurnHookContinue | agents.hook.Skip | None:
        if PASSWORD.search(request.text):
            # The turn ends here. No model is called, and the message is in no later request.
            return agents.skip("Please never send a password. I have not read your message: write it again without.")
        if not isinstance(request.user_content, str):
            return agents.skip("I take text only.")  # an image may show what a pattern does not find
        return agents.hook.PreAgentTurnHookContinue(user_content=masked(request.user_content))

    async def pre_llm_call(
        self, ctx: agents.hook.HookContext, invocation: agents.hook.PreLLMCallInvocation, /
    ) -> agents.hook.Skip | None:
        # A message that is sent while a turn runs joins it, and does not pass the point above.
        said = [str(message.content) for message in invocation.messages if isinstance(message, agents.UserMessage)]
        if any(masked(text) != text or PASSWORD.search(text) for text in said):
            return agents.skip("I stopped: your last message has private data. Begin a new conversation without it.")
        return None

    async def post_tool_call(
        self, ctx: agents.hook.HookContext, result: agents.hook.ToolCallResult, /
    ) -> agents.hook.PostToolCallHookContinue | None:
        shown = agents.ToolResult[object](content=masked(result.text), is_error=result.tool_result.is_error)
        return agents.hook.PostToolCallHookContinue(tool_result=shown)


@agents.tool
def find_orders(customer: str) -> list[dict[str, str]]:
    """Find a customer's orders."""
    return [{"order": "O-71", "paid_with": "4111 1111 1111 1111", "invoice_to": "ida@example.org"}]


shop = agents.Agent(
    model="mistral-large-4",
    instructions="Answer questions about orders. Be brief.",
    tools=[find_orders],
    guardrails=[PrivateDataGuard()],  # before every hook, at every point
)

SCRIPT = [
    call("find_orders", {"customer": "Ida"}),
    reply("Order O-71 was paid with the card ending in 1111."),
]


async def main() -> None:
    model = ScriptedModel(SCRIPT)
    session = await shop.start_session(agent=None if os.environ.get("MISTRAL_API_KEY") else {"model": model})
    for said in (
        "I am Ida (ida@example.org), my card is 5500-0000-0000-0004. Which card did I use for O-71?",
        "My password is swordfish, can you log in for me?",
    ):
        state = await session.run(said)
        match state:
            case agents.Completed(text=text, stop_reason=why):
                print(f"answer{f' ({why})' if why else ''}: {text}")
            case _:
                print(f"it stopped: {state!r}")
    for message in model.requests[-1].messages if model.requests else ():
        if isinstance(message, agents.UserMessage | agents.ToolMessage):
            print(f"the model read: {message.content}")
    await session.cancel()


if __name__ == "__main__":
    asyncio.run(main())
