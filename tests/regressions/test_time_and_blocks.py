"""The machine's clock that is set, deadlines out of all bounds, and what starts while a block ends."""

from __future__ import annotations

import asyncio
import time

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed


@agents.tool
def pay() -> str:
    """Pay."""
    return "paid"


def payer() -> agents.Agent:
    return agents.Agent(model=ScriptedModel([call("pay"), reply("Not paid.")]), tools=[pay], permission_mode="ask")


class TestAClockThatIsSet:
    @pytest.mark.parametrize("by", [-86400.0, 86400.0])
    async def test_while_a_callback_waits_does_not_move_its_deadline_away(
        self, by: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.05")
        session = await payer().start_session()
        state = await session.run("Pay.")
        assert isinstance(state, agents.Blocked)
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + by)
        state = await session.turn(state.turn_id).result(after=state, timeout=10)
        assert completed(state).text == "Not paid."
        await session.cancel()

    async def test_back_before_a_callback_opens_gives_it_no_more_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.05")
        real = time.time
        with monkeypatch.context() as ahead:
            ahead.setattr(time, "time", lambda: real() + 86400)
            session = await payer().start_session()
        state = await session.run("Pay.")
        assert isinstance(state, agents.Blocked)
        state = await session.turn(state.turn_id).result(after=state, timeout=10)
        assert completed(state).text == "Not paid."
        await session.cancel()


@pytest.mark.parametrize("seconds", ["1e12", "1e300", "99999999999999"])
async def test_a_deadline_that_is_no_date_is_refused_before_anything_starts(
    seconds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", seconds)
    with pytest.raises(agents.SdkError, match="100 years"):
        await payer().start_session()


async def test_nothing_starts_while_a_block_ends() -> None:
    """What began in that moment was let go of and ran on, with nobody who could stop it."""
    began: list[str] = []
    running, stopping = asyncio.Event(), asyncio.Event()

    @agents.tool
    async def slow_to_stop() -> str:
        """Take a moment to stop."""
        try:
            began.append("tool")
            running.set()
            await asyncio.Event().wait()
        finally:
            stopping.set()
            for _ in range(10):
                await asyncio.sleep(0)
        return ""

    agent = agents.Agent(model=ScriptedModel([call("slow_to_stop")] * 2), tools=[slow_to_stop])

    async def start_late() -> str:
        await stopping.wait()
        with pytest.raises(agents.SessionTerminatedError, match="is ending"):
            await agent.run("Late.")
        return "refused"

    async with agents.local_runtime():
        late = asyncio.create_task(start_late())
        session = await agent.start_session()
        await session.send_message("Go.")
        await running.wait()
    assert await late == "refused"
    assert began == ["tool"]
    assert agents.local_runtime().statistics().tasks == 0
