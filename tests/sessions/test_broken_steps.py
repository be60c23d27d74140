"""What a turn does when something breaks that never should: it fails or goes on, and never runs for ever."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import completed, failed, sent


def broken(value: str) -> str:
    raise RuntimeError("the validator broke")


@agents.tool
def look_up(alert: Annotated[str, AfterValidator(broken)]) -> str:
    """Read an alert."""
    return alert


@agents.client_tool
def locate(place: Annotated[str, AfterValidator(broken)]) -> str:
    """Find a place."""
    raise AssertionError("answered by the client")


@agents.tool
def note() -> str:
    """Take a note."""
    return "noted"


class TestAValidatorThatRaisesSomethingElse:
    """Pydantic takes a ValueError for a refusal; anything else comes out of it and is a failure of the tool."""

    @pytest.mark.parametrize("made", [call("look_up", {"alert": "1"}), call("locate", {"place": "here"})])
    @pytest.mark.parametrize("mode", ["auto", "ask"])
    async def test_fails_its_call_and_not_those_beside_it(self, made: Any, mode: Any) -> None:
        model = ScriptedModel([calls(made, call("note")), reply("Sorry.")])
        agent = agents.Agent(model=model, tools=[look_up, locate, note], permission_mode=mode)
        state = await agent.run("Go.", on_approval=lambda ctx, request: agents.AllowApproval())
        assert completed(state).text == "Sorry."
        assert sent(model)[-2:] == ["tool: The tool failed: RuntimeError: the validator broke", "tool: noted"]

    async def test_fails_the_turn_under_raise(self) -> None:
        model = ScriptedModel([call("look_up", {"alert": "1"})])
        state = await agents.Agent(model=model, tools=[look_up], tool_errors="raise").run("Go.")
        assert failed(state).error.code == "tool_raised"


class TestAStepThatBreaks:
    """The turn fails with what broke, every call has its result, and the session takes the next turn."""

    async def test_fails_the_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        held = gate()
        steps = [calls(call("note"), call("note"), text="Noting.", hold=held), reply("Fresh.")]
        agent = agents.Agent(model=ScriptedModel(steps), tools=[note], permission_mode="ask")
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "soon")
        held.open()
        state = failed(await turn.result())
        assert state.error.code == "turn_failed"
        assert "AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS" in state.error.message
        assert state.text == "Noting."
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert len(results) == 2
        monkeypatch.delenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS")
        assert completed(await session.run("Again.")).text == "Fresh."
