"""What a turn does when something breaks that never should: it fails or goes on, and never runs for ever."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import AfterValidator

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import completed, failed, sent

if TYPE_CHECKING:
    from pathlib import Path


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

    async def test_between_a_hook_and_its_call_fails_the_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        held = gate()

        class Holds(agents.Hook):
            async def pre_tool_call(self, ctx: Any, call: Any) -> None:
                await held.hold()

        steps = [call("note"), reply("Fresh.")]
        agent = agents.Agent(model=ScriptedModel(steps), tools=[note], hooks=[Holds()], permission_mode="ask")
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "soon")
        held.open()
        state = failed(await turn.result())
        assert state.error.code == "turn_failed"
        assert "AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS" in state.error.message
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert len(results) == 1
        monkeypatch.delenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS")
        assert completed(await session.run("Again.")).text == "Fresh."

    async def test_in_the_journal_fails_the_turn(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A disk that is full, or broken, is waited for: anything else is a mistake that no waiting mends."""
        monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")
        held, write = gate(), os.write
        mistakes = ["a mistake"]

        def mistaken(fd: int, data: bytes, /) -> int:
            if b'"fact"' in data and mistakes:
                raise RuntimeError(mistakes.pop())
            return write(fd, data)

        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)
        async with agents.local_runtime(journal_factory=journals):
            agent = agents.Agent(model=ScriptedModel([reply("Half", held, " and half."), reply("Fresh.")]))
            session = await agent.start_session()
            turn = await session.send_message("Go.")
            await held.reached()
            monkeypatch.setattr(os, "write", mistaken)
            held.open()
            state = failed(await turn.result())
            assert (state.error.code, state.error.message) == ("turn_failed", "RuntimeError: a mistake")
            assert state.text == "Half and half."
            assert completed(await session.run("Again.")).text == "Fresh."
