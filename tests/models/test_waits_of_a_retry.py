"""A call that waits for its next attempt: who waits for the turn can leave at once, and who stops the turn too."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import pytest

from mistralai import agents
from mistralai.agents.testing.fake_clock import FakeClock
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Refusal
from tests.support.outcomes import completed, interrupted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

BUSY = Refusal(status=503, body={"message": "Busy."})


@pytest.fixture
def clock() -> Generator[FakeClock]:
    """A clock that stands still: a retry waits until the test moves it."""
    with FakeClock() as clock:
        yield clock


@pytest.fixture(params=["mistral", "openai", "anthropic"])
async def server(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> AsyncGenerator[StrictProvider]:
    """A strict server of each provider, busy at its first answer."""
    mode: Literal["mistral", "openai", "anthropic"] = request.param
    async with StrictProvider(mode, BUSY, Answer(text="Done.")) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server


async def waiting_for_a_retry(server: StrictProvider, clock: FakeClock) -> agents.Turn:
    """A turn whose model call was refused once and waits."""
    session = await agents.Agent(model="m", provider=server.mode).start_session()
    turn = await session.send_message("Hi.")
    await server.asked.wait()
    await clock.is_waited_on()
    return turn


class TestACallThatWaitsForItsNextAttempt:
    async def test_is_made_again_when_the_time_comes(self, server: StrictProvider, clock: FakeClock) -> None:
        turn = await waiting_for_a_retry(server, clock)
        await clock.advance(60)
        assert completed(await turn.result()).text == "Done."
        assert len(server.requests) == 2

    async def test_lets_a_cancelled_wait_go_at_once_and_goes_on(self, server: StrictProvider, clock: FakeClock) -> None:
        turn = await waiting_for_a_retry(server, clock)
        wait = asyncio.ensure_future(turn.result())
        await asyncio.sleep(0)
        wait.cancel()
        with pytest.raises(asyncio.CancelledError):
            await wait
        assert len(server.requests) == 1
        await clock.advance(60)
        assert completed(await turn.result()).text == "Done."

    async def test_lets_a_wait_that_timed_out_go(self, server: StrictProvider, clock: FakeClock) -> None:
        turn = await waiting_for_a_retry(server, clock)
        assert isinstance(await turn.result(timeout=0), agents.Running)

    async def test_is_given_up_at_once_by_an_interruption(self, server: StrictProvider, clock: FakeClock) -> None:
        turn = await waiting_for_a_retry(server, clock)
        await turn.interrupt()
        assert interrupted(await turn.result()).cause == "interrupted"
        assert len(server.requests) == 1

    async def test_and_by_the_end_of_its_session(self, server: StrictProvider, clock: FakeClock) -> None:
        turn = await waiting_for_a_retry(server, clock)
        await turn.session.cancel()
        assert interrupted(await turn.result()).cause == "cancelled"
        assert clock.waiting == 0
