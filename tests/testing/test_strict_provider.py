"""Tests of the strict provider as the kit offers it: the steps of a script, served over HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, StrictProvider, call, calls, error, gate, reply, stream, tokens
from mistralai.agents.testing.strict_steps import as_replies
from tests.testing.answering import double, shout

if TYPE_CHECKING:
    from typing import Literal

    from mistralai.agents.testing.steps import Step

    type Mode = Literal["mistral", "openai", "anthropic"]

MODES = ("mistral", "openai", "anthropic")


class Served:
    """An agent whose provider is served on this machine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    async def run(self, mode: Mode, *script: Step) -> agents.TurnState[str]:
        async with StrictProvider(mode, *script) as server:
            for name, value in server.environ.items():
                self.monkeypatch.setenv(name, value)
            async with agents.local_runtime():
                state = await agents.Agent(model="a-model", provider=mode, tools=[double, shout]).run("hi")
        assert server.violations == []
        return state


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    return Served(monkeypatch)


class TestSteps:
    @pytest.mark.parametrize("mode", MODES)
    async def test_play_over_http_as_they_do_in_a_scripted_model(self, served: Served, mode: Mode) -> None:
        both = calls(call("double", {"number": 2}), call("shout", {"text": "é"}), text="One moment.")
        state = await served.run(mode, both, reply("Do", "ne", usage=tokens(50, 5)))
        assert isinstance(state, agents.Completed), state
        assert state.text == "Done"
        assert [one.arguments for one in state.tool_calls] == [{"number": 2}, {"text": "é"}]

    @pytest.mark.parametrize("mode", MODES)
    async def test_hold_the_stream_at_a_gate(self, served: Served, mode: Mode) -> None:
        point = gate()
        turn = asyncio.create_task(served.run(mode, reply("Hel", point, "lo")))
        await point.reached()
        assert not turn.done()
        point.open()
        assert isinstance(state := await turn, agents.Completed)
        assert state.text == "Hello"

    @pytest.mark.parametrize("mode", MODES)
    async def test_fail_with_their_status(self, served: Served, mode: Mode) -> None:
        state = await served.run(mode, error(400, "no such model"))
        assert isinstance(state, agents.Failed)
        assert state.error.code == "completion_rejected"
        assert "no such model" in state.error.message

    async def test_that_stop_in_mid_stream_are_a_cut_stream(self, served: Served) -> None:
        state = await served.run("openai", stream("Hel"))
        assert isinstance(state, agents.Failed)
        assert (state.error.code, state.text) == ("completion_failed", "Hel")

    async def test_that_fail_for_a_while_are_tried_again_on_the_fake_clock(self, served: Served) -> None:
        with FakeClock() as clock:
            turn = asyncio.create_task(served.run("mistral", error(503), error("completion_failed"), reply("Back.")))
            while not turn.done():
                waited = asyncio.create_task(clock.is_waited_on())
                await asyncio.wait({turn, waited}, return_when=asyncio.FIRST_COMPLETED)
                waited.cancel()
                await clock.advance(2)
            assert isinstance(state := await turn, agents.Completed)
        assert state.text == "Back."

    @pytest.mark.parametrize(
        ("mode", "step", "why"),
        [
            ("mistral", reply("a", reasoning="b"), "has reasoning"),
            ("mistral", error(500, after="a"), "fails in mid-stream"),
            ("mistral", error("completion_timed_out"), "no HTTP status"),
            ("anthropic", stream("a"), "stops in mid-stream"),
        ],
    )
    def test_that_no_server_can_play_are_refused(self, mode: Mode, step: Step, why: str) -> None:
        with pytest.raises(ValueError, match=why):
            as_replies(mode, [step])
