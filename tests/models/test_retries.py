"""When a call is tried again, how long it waits, and when it gives up."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.models.client import ModelClient
from mistralai.agents.models.providers import provider
from mistralai.agents.models.retry import retry_after_seconds
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Disconnect, Refusal, Stream, chunk, events
from tests.models.calling import FakeClock, calling, request, text_of

if TYPE_CHECKING:
    from mistralai.agents.testing.strict_replies import Mode

BUSY = Refusal(status=503)


class TestWaits:
    async def test_they_grow_by_half_up_to_ten_seconds_and_stay_within_a_minute(self) -> None:
        async with calling("mistral", *[BUSY] * 50) as caller:
            failure = await caller.failure()
        assert failure.code == "completion_unavailable"
        waits = caller.clock.waits
        expected = [min(0.5 * 1.5**number, 10.0) for number in range(len(waits))]
        assert all(0.75 * most <= wait <= most for wait, most in zip(waits, expected, strict=True))
        assert 45 < sum(waits) < 60
        assert len(caller.server.requests) == len(waits) + 1

    async def test_the_answer_after_a_failure_is_the_answer(self) -> None:
        async with calling("mistral", BUSY, Stream(pieces=()), Answer(text="hi")) as caller:
            assert text_of(await caller.call()) == "hi"
            assert len(caller.clock.waits) == 2

    @pytest.mark.parametrize("mode", ["mistral", "anthropic"])
    async def test_a_chunk_that_cannot_be_read_is_asked_for_again(self, mode: Mode) -> None:
        async with calling(mode, Stream(pieces=(b"data: {oops\n\n",)), Answer(text="hi")) as caller:
            assert text_of(await caller.call()) == "hi"

    async def test_a_page_for_people_would_come_again(self) -> None:
        async with calling("mistral", Stream(pieces=(b"<html>Welcome</html>\n",)), Answer(text="hi")) as caller:
            assert (await caller.failure()).details == {"reason": "unreadable_chunk"}
            assert len(caller.server.requests) == 1

    async def test_every_attempt_sends_the_same_bytes(self) -> None:
        async with calling("mistral", BUSY, BUSY, Answer(text="hi")) as caller:
            await caller.call()
            assert len(set(caller.server.bodies)) == 1

    async def test_nothing_is_repeated_once_text_was_shown(self) -> None:
        async with calling("mistral", Stream(pieces=(events(chunk(content="h")),)), Answer(text="hi")) as caller:
            assert (await caller.failure()).code == "completion_failed"
            assert caller.clock.waits == []

    async def test_a_kept_connection_that_the_server_closed_needs_no_wait(self) -> None:
        async with calling("mistral", Answer(text="a"), Disconnect(), Answer(text="b")) as caller:
            await caller.call()
            assert text_of(await caller.call()) == "b"
            assert caller.clock.waits == [0.0]

    async def test_a_refused_request_is_not_repeated(self) -> None:
        async with calling("mistral", Refusal(status=422)) as caller:
            await caller.failure()
            assert len(caller.server.requests) == 1

    async def test_a_server_that_is_not_there_is_asked_again(self) -> None:
        async with StrictProvider("openai") as gone:
            environ = gone.environ
        clock, client = FakeClock(), ModelClient()
        with pytest.raises(Exception, match=r"127\.0\.0\.1 failed") as caught:
            [event async for event in provider("openai", client, environ, clock=clock).stream(request())]
        await client.close()
        assert getattr(caught.value, "code", None) == "completion_failed"
        assert len(clock.waits) > 5

    async def test_a_cancelled_wait_ends_at_once(self) -> None:
        class Stopped(FakeClock):
            async def sleep(self, seconds: float, /) -> None:
                waiting.set()
                await asyncio.Event().wait()

        waiting, client = asyncio.Event(), ModelClient()
        async with StrictProvider("mistral", BUSY) as server:
            model = provider("mistral", client, server.environ, clock=Stopped())
            task = asyncio.ensure_future(anext(aiter(model.stream(request()))))
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert client.open_calls == 0
            await client.close()


class TestRetryAfter:
    async def test_seconds_are_obeyed(self) -> None:
        async with calling("mistral", Refusal(status=429, headers={"retry-after": "7"}), Answer(text="hi")) as caller:
            await caller.call()
            assert caller.clock.waits == [7.0]

    async def test_a_date_is_obeyed(self) -> None:
        async with calling("mistral") as caller:
            date = formatdate(caller.clock.time() + 12, usegmt=True)
            caller.server.script += [Refusal(status=503, headers={"retry-after": date}), Answer(text="hi")]
            await caller.call()
            assert caller.clock.waits == [12.0]

    async def test_a_wait_past_the_minute_fails_at_once(self) -> None:
        async with calling("mistral", Refusal(status=429, headers={"retry-after": "3600"})) as caller:
            await caller.failure()
            assert caller.clock.waits == []

    @pytest.mark.parametrize("value", [None, "", " ", "soon", "-", "nan days"])
    def test_what_says_nothing_asks_for_no_wait(self, value: str | None) -> None:
        assert retry_after_seconds(value, 0.0) is None
