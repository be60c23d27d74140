"""An alert on a payment, reviewed in your terminal: the answer streams, you are asked, and the record is shown.

Without a key the agent runs on the demo's script. With MISTRAL_API_KEY or OPENAI_BASE_URL set it asks a model there:
the one that DEMO_MODEL names, or one of ours to choose. The agent itself is `payment_reviewer` in src/fanal/demo.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request

from fanal.demo import ALERT, payment_reviewer
from fanal.demo_model import DemoModel
from mistralai import agents


class Screen:
    """Prints what happens in a turn, as it happens."""

    def __init__(self) -> None:
        self.in_a_line = False
        self.calls: list[str] = []
        """The IDs of the calls, in the order of the record."""
        self.refused: set[str] = set()
        """The IDs of those that the person said no to."""

    def show(self, event: agents.Event) -> None:
        match event:
            case agents.TextDelta(text=text):
                self.write(text)
            case agents.EntryCompleted(entry=agents.ToolCallEntry(name=name, arguments=arguments) as made):
                self.calls.append(made.tool_call_id)
                self.line(f"  → {name} {json.dumps(arguments, ensure_ascii=False)}")
            case agents.EntryCompleted(entry=agents.ToolResultEntry(error=error) as result) if error is not None:
                if error.code == "rejected":
                    self.refused.add(result.tool_call_id)
                self.line(f"  ← {error.message}")
            case agents.EntryCompleted(entry=agents.ToolResultEntry(structured=None, content=content)):
                self.line(
                    f"  ← {' '.join(block.text for block in content if isinstance(block, agents.TextContentBlock))}"
                )
            case agents.EntryCompleted(entry=agents.ToolResultEntry(structured=structured)):
                self.line(f"  ← {json.dumps(structured, ensure_ascii=False)}")
            case _:
                pass

    def write(self, text: str) -> None:
        print(text, end="", flush=True)
        self.in_a_line = not text.endswith("\n")

    def line(self, text: str) -> None:
        self.end_line()
        print(text, flush=True)

    def end_line(self) -> None:
        if self.in_a_line:
            print(flush=True)
            self.in_a_line = False


def choose_agent() -> agents.Agent[str]:
    """The agent on the model that the environment names, or on the demo's script."""
    named = os.environ.get("DEMO_MODEL")
    if url := os.environ.get("OPENAI_BASE_URL"):
        return payment_reviewer(named or first_model(url), provider="openai")
    if os.environ.get("MISTRAL_API_KEY"):
        return payment_reviewer(named or "mistral-large-4")
    return payment_reviewer(DemoModel())


def first_model(url: str) -> str:
    """The first model that a server lists; `"default"`, which many a local server takes, if it lists none."""
    key = os.environ.get("OPENAI_API_KEY", "none")
    asked = urllib.request.Request(f"{url.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(asked, timeout=2) as answer:
            return str(json.load(answer)["data"][0]["id"])
    except (OSError, ValueError, LookupError, TypeError):
        return "default"


async def typed(prompt: str) -> str | None:
    """The next line typed at the terminal; None at its end. A thread that reads could not be stopped by Ctrl+C."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()
    print(prompt, end="", flush=True)

    def read() -> None:
        if not line.done():
            line.set_result(sys.stdin.readline())

    loop.add_reader(sys.stdin, read)
    try:
        return (await line).strip() if await line else None
    finally:
        loop.remove_reader(sys.stdin)


async def main() -> int:
    agent = choose_agent()
    screen = Screen()

    async def ask(
        ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest
    ) -> agents.AllowApproval | agents.DenyApproval:
        if not sys.stdin.isatty():
            screen.line(f"  ? {request.tool.name}: no terminal to ask at, so the demo approves")
            return agents.AllowApproval()
        screen.end_line()
        while (said := await typed(f"  ? Allow {request.tool.name}? [y/n] ")) is not None:
            if said.lower() in ("y", "yes"):
                return agents.AllowApproval()
            if said.lower() in ("n", "no"):
                return agents.DenyApproval(message="The person at the terminal said no.")
        print()
        return agents.DenyApproval(message="Nobody is at the terminal any more.")

    model = agent.model if isinstance(agent.model, str) else "the demo's script (no key is set)"
    print(f"model   {model}\nuser    {ALERT}\n")
    async with agents.local_runtime():
        session = await agent.start_session(on_approval=ask)
        turn = await session.send_message(ALERT)
        assert isinstance(turn, agents.Turn), "a new session is never busy"
        state = await turn.result(on_event=screen.show)
        usage = await turn.usage()
    screen.end_line()
    print(f"\nrecord  {type(state).__name__}, {usage.total_tokens} tokens")
    match state:
        case agents.Completed(text=text, tool_calls=calls):
            for call, call_id in zip(calls, screen.calls, strict=True):
                refused = " · refused, it did not run" if call_id in screen.refused else ""
                print(f"        {call.name} {json.dumps(call.arguments, ensure_ascii=False)}{refused}")
            print(f"        {text!r}")
            return 0
        case agents.Failed(error=error):
            print(f"        {error.code}: {error.message}")
        case _:
            print(f"        {state!r}")
    return 1


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except KeyboardInterrupt:
        print("\nstopped")
        sys.exit(130)
