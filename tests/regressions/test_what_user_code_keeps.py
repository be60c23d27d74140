"""What the user's code does with what it is handed, or leaves lying about: it stays with that code."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, reply
from tests.sessions.reading import completed, failed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

USAGE = agents.TokenUsage(input_tokens=1, output_tokens=1, total_tokens=2)


@agents.tool
def pay(amount: int) -> str:
    """Pay."""
    return "paid"


class Spoils:
    """Changes the request it is given."""

    def __init__(self) -> None:
        self.spoils = True

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
        schema: Any = request.tools[0].input_schema
        schema.clear()
        messages: Any = request.messages
        if self.spoils:
            messages.clear()
        yield agents.TextChunk(f"{len(messages)} messages.")
        yield agents.ReplyFinished(reason="stop", usage=USAGE)


async def test_a_model_object_changes_no_history_and_no_tool() -> None:
    model = Spoils()
    session = await agents.Agent(model=model, tools=[pay]).start_session()
    failed(await session.run("One."))
    model.spoils = False
    assert completed(await session.run("Two.")).text == "2 messages."
    assert pay.input_schema["required"] == ["amount"]
    await session.cancel()


class Masks(agents.Hook):
    """Changes the messages it is shown before a call."""

    async def pre_llm_call(self, ctx: Any, invocation: Any) -> None:
        for message in invocation.messages:
            message.content[0]["text"] = "masked"


async def test_a_hook_changes_no_message_in_place() -> None:
    model = ScriptedModel([reply("Fine.")])
    session = await agents.Agent(model=model, hooks=[Masks()]).start_session()
    completed(await session.run([agents.TextContentBlock(text="My words.")]))
    assert [entry.text for entry in await session.history() if isinstance(entry, agents.MessageEntry)] == [
        "My words.",
        "Fine.",
    ]
    sent: Any = model.requests[0].messages[0]
    assert sent.content == [{"type": "text", "text": "My words."}]
    await session.cancel()


async def test_a_server_that_makes_an_agent_for_each_request_keeps_the_last_ones_only() -> None:
    alive: weakref.WeakSet[agents.Agent] = weakref.WeakSet()
    async with agents.local_runtime(keep_ended_sessions=1):
        for _ in range(300):
            agent = agents.Agent(model=ScriptedModel([reply("Fine.")]))
            alive.add(agent)
            session = await agent.start_session()
            completed(await session.run("Hello."))
            await session.cancel()
        gc.collect()
        assert len(alive) < 150
