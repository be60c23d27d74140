"""A tool or model that goes on after its turn has ended: what comes of it is dropped, in silence."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, reply
from tests.sessions.reading import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import pytest


async def test_it_ends_without_a_traceback_and_the_next_turn_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun, left, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    task: list[asyncio.Task[Any]] = []

    @agents.tool
    async def stubborn() -> str:
        """Go on through every cancellation."""
        task.extend(filter(None, [asyncio.current_task()]))
        begun.set()
        while not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                left.set()
        return "done all the same"

    model = ScriptedModel([call("stubborn"), call("stubborn"), reply("Fine.")])
    agent = agents.Agent(model=model, tools=[stubborn])
    with FakeClock() as clock:
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await begun.wait()
        stopping = asyncio.create_task(turn.interrupt())
        await left.wait()
        await clock.advance(10)
        await stopping
        assert isinstance(await turn.get(), agents.Interrupted)
        may_end.set()
        await asyncio.wait(task)
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
        assert completed(await session.run("Again.")).text == "Fine."
        await session.cancel()


async def test_so_does_a_model_whose_reply_hooks_would_see(caplog: pytest.LogCaptureFixture) -> None:
    begun, left, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    task: list[asyncio.Task[Any]] = []
    seen: list[str] = []

    class Stubborn:
        async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
            if begun.is_set():
                yield agents.TextChunk("Fine.")
            task.extend(filter(None, [asyncio.current_task()]))
            begun.set()
            while not may_end.is_set():
                try:
                    await may_end.wait()
                except asyncio.CancelledError:
                    left.set()
            yield agents.ReplyFinished(
                reason="stop", usage=agents.TokenUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            )

    class Sees(agents.Hook):
        async def post_llm_call(self, ctx: Any, invocation: agents.hook.PostLLMCallInvocation) -> None:
            seen.append(invocation.content)

    with FakeClock() as clock:
        session = await agents.Agent(model=Stubborn(), hooks=[Sees()]).start_session()
        turn = await session.send_message("Go.")
        await begun.wait()
        stopping = asyncio.create_task(turn.interrupt())
        await left.wait()
        await clock.advance(10)
        await stopping
        assert isinstance(await turn.get(), agents.Interrupted)
        may_end.set()
        await asyncio.wait(task)
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
        assert completed(await session.run("Again.")).text == "Fine."
        assert seen == ["Fine."]
        await session.cancel()
