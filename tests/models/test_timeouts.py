"""Waits that run out: for the first chunk, between chunks, and for the whole call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from mistralai.agents.testing.strict_replies import Answer, Silence, Stream, chunk, events
from mistralai.agents.values.errors import SdkError
from tests.models.calling import calling, request

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mistralai.agents.authoring.model import ModelEvent

BEGUN = Stream(pieces=(events(chunk(content="h")),), end="hang")
ONLY_COMMENTS = Stream(pieces=(b": working\n\n",), end="hang")


class TestFirstOutput:
    @pytest.mark.parametrize("reply", [Silence(), ONLY_COMMENTS], ids=["no answer", "an answer without a chunk"])
    async def test_a_model_that_gives_nothing_times_out(self, reply: Silence | Stream) -> None:
        async with calling("mistral", reply) as caller:
            failure = await caller.failure(first_output_timeout_seconds=0.05)
        assert (failure.code, failure.retryable) == ("completion_timed_out", True)
        assert failure.details == {"reason": "first_output_timeout"}
        assert failure.message == "The model gave no output within 0.05 s."

    async def test_the_wait_is_not_made_twice(self) -> None:
        async with calling("mistral", Silence(), Answer(text="late")) as caller:
            await caller.failure(first_output_timeout_seconds=0.05)
            assert len(caller.server.requests) == 1


class TestBetweenChunks:
    async def test_a_model_that_stops_in_mid_reply_times_out(self) -> None:
        async with calling("mistral", BEGUN, environ={"AGENTS_SDK_MODEL_IDLE_TIMEOUT_SECONDS": "0.05"}) as caller:
            failure = await caller.failure()
        assert (failure.code, failure.retryable) == ("completion_timed_out", True)
        assert failure.details == {"reason": "idle_timeout"}

    async def test_a_first_output_bound_ends_with_the_first_chunk(self) -> None:
        bounds = {"AGENTS_SDK_MODEL_IDLE_TIMEOUT_SECONDS": "0.2"}
        async with calling("mistral", BEGUN, environ=bounds) as caller:
            failure = await caller.failure(first_output_timeout_seconds=0.1)
        assert failure.details == {"reason": "idle_timeout"}


class TestWholeCall:
    @pytest.mark.parametrize("reply", [Silence(), BEGUN], ids=["no answer", "in mid-reply"])
    async def test_past_its_limit_a_call_fails_for_good(self, reply: Silence | Stream) -> None:
        async with calling("mistral", reply, environ={"AGENTS_SDK_MODEL_CALL_TIMEOUT_SECONDS": "0.05"}) as caller:
            failure = await caller.failure()
        assert (failure.code, failure.retryable) == ("completion_timed_out", False)
        assert failure.details == {"reason": "call_timeout"}

    async def test_a_bound_that_is_no_number_is_named(self) -> None:
        async with calling("mistral", environ={"AGENTS_SDK_MODEL_CALL_TIMEOUT_SECONDS": "soon"}) as caller:
            with pytest.raises(SdkError, match="AGENTS_SDK_MODEL_CALL_TIMEOUT_SECONDS"):
                await caller.call()


class TestClosingTheStream:
    async def test_it_closes_the_connection(self) -> None:
        async with calling("mistral", BEGUN) as caller:
            stream = caller.model.stream(request())
            await anext(aiter(stream))
            assert caller.client.open_calls == 1
            await cast("AsyncGenerator[ModelEvent]", stream).aclose()
            await asyncio.wait_for(caller.server.closed.wait(), 5)
            assert caller.client.open_calls == 0

    async def test_a_cancelled_call_closes_the_connection(self) -> None:
        async with calling("mistral", Silence()) as caller:
            task = asyncio.ensure_future(caller.call())
            await caller.server.asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(caller.server.closed.wait(), 5)
