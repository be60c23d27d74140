"""Session inputs: values a session keeps for its tools, never for the model. Public page: Session and Turn."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import pytest
from pydantic import field_validator

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed, failed, sent


class Team(agents.SessionInput):
    """Whose session it is."""

    input_id: ClassVar[str] = "team"
    name: str


class Strict(agents.SessionInput):
    """An input with a rule of its own."""

    input_id: ClassVar[str] = "strict"
    level: int

    @field_validator("level")
    @classmethod
    def _not_yet(cls, level: int) -> int:
        if Strict.refusing:
            raise ValueError("this level is no longer served")
        return level

    refusing: ClassVar[bool] = False


@agents.tool
def whose(team: Annotated[Team, agents.Depends()]) -> str:
    """Whose session it is."""
    return team.name


@agents.tool
def level(strict: Annotated[Strict, agents.Depends()]) -> int:
    """The level of the session."""
    return strict.level


class TestASessionInput:
    """A tool reads it with an annotated parameter; the model never sees it."""

    async def test_reaches_the_tool_and_not_the_model(self) -> None:
        model = ScriptedModel([call("whose"), reply("Theirs.")])
        session = await agents.Agent(model=model, tools=[whose]).start_session(
            session_inputs={"team": Team(name="ada")}
        )
        completed(await session.run("Whose?"))
        assert sent(model)[-1] == "tool: ada"
        assert model.requests[0].tools[0].input_schema.get("properties", {}) == {}

    async def test_is_taken_by_agent_run_too(self) -> None:
        model = ScriptedModel([call("whose"), reply("Theirs.")])
        await agents.Agent(model=model, tools=[whose]).run("Whose?", session_inputs={"team": Team(name="ada")})
        assert sent(model)[-1] == "tool: ada"

    async def test_is_of_its_session_alone(self) -> None:
        model = ScriptedModel([call("whose"), reply("A."), call("whose"), reply("B.")])
        agent = agents.Agent(model=model, tools=[whose])
        for name in ("ada", "bob"):
            session = await agent.start_session(session_inputs={"team": Team(name=name)})
            await session.run("Whose?")
            assert sent(model)[-1] == f"tool: {name}"

    async def test_that_was_not_given_fails_the_call_and_not_the_session(self) -> None:
        model = ScriptedModel([call("whose"), reply("Nobody's.")])
        session = await agents.Agent(model=model, tools=[whose]).start_session()
        assert completed(await session.run("Whose?")).text == "Nobody's."
        assert "'team'" in sent(model)[-1]

    async def test_that_was_not_given_fails_the_turn_under_raise_and_is_named(self) -> None:
        agent = agents.Agent(model=ScriptedModel([call("whose")]), tools=[whose], tool_errors="raise")
        assert failed(await agent.run("Whose?")).error == agents.ProtocolError(
            message="Tool client.whose did not run: Session input 'team' was not given. Start the session with "
            "session_inputs={'team': Team(...)}.",
            code="tool_raised",
        )

    async def test_that_its_validator_rejects_fails_its_use_and_not_the_session(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = ScriptedModel([call("level"), call("whose"), reply("So.")])
        agent = agents.Agent(model=model, tools=[level, whose])
        inputs: dict[str, agents.SessionInput] = {"strict": Strict(level=77), "team": Team(name="ada")}
        session = await agent.start_session(session_inputs=inputs)
        monkeypatch.setattr(Strict, "refusing", True)
        assert completed(await session.run("Which?")).text == "So."
        lines = [line for line in sent(model) if line.startswith("tool: ")]
        assert "no longer served" in lines[0]
        assert "77" not in lines[0]  # the value itself is told to nobody
        assert lines[1] == "tool: ada"

    @pytest.mark.parametrize(
        "inputs", [{"team": {"name": "ada"}}, {"other": Team(name="ada")}, {"team": "ada"}, {17: Team(name="ada")}]
    )
    async def test_that_is_none_is_refused_by_its_name(self, inputs: Any) -> None:
        agent = agents.Agent(model=ScriptedModel([]), tools=[whose])
        with pytest.raises(agents.SdkError, match=r"session_inputs\["):
            await agent.start_session(session_inputs=inputs)
        with pytest.raises(agents.SdkError, match=r"session_inputs\["):
            await agent.run("Whose?", session_inputs=inputs)
