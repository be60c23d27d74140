"""A model call that is made again by itself says so. Public pages: Events, Models and errors."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai import agents
from mistralai.agents.testing import FakeClock, Refusal, StrictProvider, reply

if TYPE_CHECKING:
    import pytest


class TestACallThatIsMadeAgain:
    """Somebody who watches the session learns why nothing comes, the first time and ever more rarely after it."""

    async def test_is_told_the_first_the_second_and_the_fourth_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with FakeClock() as clock:
            async with StrictProvider("mistral", *[Refusal(status=503)] * 5, reply("Here.")) as server:
                for name, value in server.environ.items():
                    monkeypatch.setenv(name, value)
                async with agents.local_runtime():
                    session = await agents.Agent(model="m").start_session()
                    turn = await session.send_message("Hello.")
                    ended = asyncio.create_task(turn.result())
                    while not ended.done():
                        waited = asyncio.create_task(clock.is_waited_on())
                        await asyncio.wait([ended, waited], return_when=asyncio.FIRST_COMPLETED)
                        waited.cancel()
                        await clock.advance(1.0)
                    state = await ended
                    assert isinstance(state, agents.Completed)
                    notices: list[agents.Notice] = []
                    async for event in session.iter_events():
                        if isinstance(event, agents.Notice):
                            notices.append(event)
                        if event.id == state.cursor:
                            break
        assert [notice.details["status"] for notice in notices] == ["retrying"] * 3
        assert notices[0].details["code"] == "completion_unavailable"
        assert "503" in notices[0].message
        assert "called again in" in notices[0].message
