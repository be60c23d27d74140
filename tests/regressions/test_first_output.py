"""The bound on the wait for a model's first output holds whatever the model is. Public page: Agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, RecordingModel, ScriptedModel, gate, reply
from tests.sessions.reading import completed, failed, interrupted, turn_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


class Hangs:
    """Gives no output; notes when its stream is closed."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.calls = 0
        self.closed = 0

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[Any]:
        self.calls += 1
        self.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.closed += 1
        yield agents.TextChunk("never")


class TestAModelObjectThatGivesNothing:
    @pytest.mark.parametrize("recorded", [False, True])
    async def test_times_out_once_and_its_stream_is_closed(self, tmp_path: Path, recorded: bool) -> None:
        inner = Hangs()
        model = RecordingModel(inner, tmp_path / "calls.json") if recorded else inner
        with FakeClock() as clock:
            session = await agents.Agent(model=model, first_output_timeout_seconds=30).start_session()
            turn = turn_of(await session.start_turn("Go."))
            await inner.asked.wait()
            await clock.advance(29)
            assert isinstance(await turn.get(), agents.Running)
            await clock.advance(2)
            assert failed(await turn.result()).error == agents.ProtocolError(
                message="The model gave no output within 30 s.",
                code="completion_timed_out",
                retryable=True,
                details={"reason": "first_output_timeout"},
            )
            await session.cancel()
        assert (inner.calls, inner.closed) == (1, 1)

    async def test_is_not_blamed_for_the_time_that_its_call_waits_for_others(self) -> None:
        held, model = gate(), Hangs()
        with FakeClock() as clock:
            async with agents.local_runtime(max_model_calls=1):
                first = await agents.Agent(model=ScriptedModel([reply(held, "Hi.")])).start_session()
                await first.start_turn("Go.")
                await held.reached()
                second = await agents.Agent(model=model, first_output_timeout_seconds=30).start_session()
                turn = turn_of(await second.start_turn("Go."))
                await clock.advance(40)
                assert isinstance(await turn.get(), agents.Running)
                held.open()
                await model.asked.wait()
                await clock.advance(31)
                assert failed(await turn.result()).error.code == "completion_timed_out"

    async def test_is_interrupted_all_the_same(self) -> None:
        model = Hangs()
        session = await agents.Agent(model=model, first_output_timeout_seconds=30).start_session()
        turn = turn_of(await session.start_turn("Go."))
        await model.asked.wait()
        await turn.interrupt()
        interrupted(await turn.get())
        assert model.closed == 1
        await session.cancel()

    async def test_times_out_over_a_summary_too(self) -> None:
        """Compacting asks the same model."""

        class HangsOverSummaries:
            def __init__(self) -> None:
                self.asked = asyncio.Event()

            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[Any]:
                if request.tool_choice == "none":
                    self.asked.set()
                    await asyncio.Event().wait()
                yield agents.TextChunk("long " * 500)
                usage = agents.TokenUsage(input_tokens=900, output_tokens=500, total_tokens=1400)
                yield agents.ReplyFinished(reason="stop", usage=usage)

        model = HangsOverSummaries()
        with FakeClock() as clock:
            agent = agents.Agent(model=model, first_output_timeout_seconds=30, auto_compact_threshold=1000)
            session = await agent.start_session()
            await session.run("One.")
            turn = turn_of(await session.start_turn("Two."))
            await model.asked.wait()
            await clock.advance(31)
            assert failed(await turn.result()).error.details == {"reason": "first_output_timeout"}
            await session.cancel()


class TestAModelObjectThatBegan:
    async def test_may_take_its_time_over_the_rest(self) -> None:
        held = gate()
        with FakeClock() as clock:
            model = ScriptedModel([reply("One", held, " two.")])
            session = await agents.Agent(model=model, first_output_timeout_seconds=30).start_session()
            turn = turn_of(await session.start_turn("Go."))
            await held.reached()
            await clock.advance(100)
            held.open()
            assert completed(await turn.result()).text == "One two."
            await session.cancel()

    async def test_and_whose_code_timed_out_failed_by_its_own_error(self) -> None:
        class TimesOut:
            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[Any]:
                raise TimeoutError("my own")
                yield

        error = failed(await agents.Agent(model=TimesOut(), first_output_timeout_seconds=30).run("Go.")).error
        assert error.message == "The model call raised TimeoutError: my own"
