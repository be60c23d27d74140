"""Tests of the fake clock: it moves by the test's hand, and sessions go by it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, reply
from tests.testing.answering import shout


@agents.tool
def pay(amount: int) -> str:
    """Pay."""
    return "paid"


class TestTheClock:
    async def test_makes_calls_in_order_each_at_its_time(self) -> None:
        clock = FakeClock()
        made: list[tuple[str, float]] = []
        clock.call_later(5, lambda: made.append(("late", clock.monotonic())))
        clock.call_later(2, lambda: made.append(("early", clock.monotonic())))
        dropped = clock.call_later(3, lambda: made.append(("dropped", clock.monotonic())))
        dropped.cancel()
        assert clock.waiting == 2
        await clock.advance(4)
        assert made == [("early", 2)]
        await clock.advance(1)
        assert made == [("early", 2), ("late", 5)]

    async def test_makes_calls_that_were_set_on_the_way(self) -> None:
        clock = FakeClock()
        ticks: list[float] = []

        async def tick() -> None:
            while True:
                await clock.sleep(10)
                ticks.append(clock.monotonic())

        ticking = asyncio.create_task(tick())
        await clock.is_waited_on()
        await clock.advance(35)
        assert ticks == [10, 20, 30]
        ticking.cancel()

    async def test_tells_its_own_time(self) -> None:
        clock = FakeClock(datetime(2040, 5, 1, 12, tzinfo=UTC))
        await clock.advance(90)
        assert clock.now == datetime(2040, 5, 1, 12, 1, 30, tzinfo=UTC)
        assert clock.time() == clock.now.timestamp()

    async def test_goes_forward_only_and_knows_its_time_zone(self) -> None:
        with pytest.raises(ValueError, match="only goes forward"):
            await FakeClock().advance(-1)
        with pytest.raises(ValueError, match="no time zone"):
            FakeClock(datetime(2040, 5, 1))


class TestASession:
    async def test_lets_a_callback_expire_when_the_test_moves_the_time(self) -> None:
        model = ScriptedModel([call("pay", {"amount": 3}), reply("I waited.")])
        careful = agents.Agent(model=model, tools=[pay, shout], permission_mode="ask")
        with FakeClock() as clock:
            async with agents.local_runtime():
                session = await careful.start_session()
                turn = await session.send_message("pay 3")
                assert isinstance(turn, agents.Turn)
                blocked = await turn.result()
                assert isinstance(blocked, agents.Blocked)
                (approval,) = blocked.callbacks
                assert isinstance(approval, agents.OpenApproval)
                assert approval.request.expires_at == clock.now + timedelta(hours=1)
                await clock.advance(3599)
                assert isinstance(await turn.get(), agents.Blocked)
                await clock.advance(1)
                state = await turn.result(after=blocked)
        assert isinstance(state, agents.Completed)
        assert state.text == "I waited."
        model.assert_consumed()
