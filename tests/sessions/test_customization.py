"""Settings of one session: `start_session(agent=...)`. Public page: Sessions."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed


@agents.tool
def look_up() -> str:
    """Look it up."""
    return "looked"


class TestACustomizedSession:
    """Model, instructions, temperature, reasoning effort and iteration limit can differ for one session."""

    async def test_is_asked_with_its_own_settings(self) -> None:
        model = ScriptedModel([reply("Hi.")])
        agent = agents.Agent(model=model, instructions="Be kind.", temperature=0.1)
        session = await agent.start_session(
            agent=agents.SessionAgentCustomization(instructions="Be brief.", temperature=0.9, reasoning_effort="low")
        )
        await session.run("Hello")
        request = model.requests[0]
        assert (request.instructions, request.temperature, request.reasoning_effort) == ("Be brief.", 0.9, "low")

    async def test_may_be_given_as_a_dict(self) -> None:
        model = ScriptedModel([reply("Hi.")])
        session = await agents.Agent(model=model).start_session(agent={"instructions": "Be brief."})
        await session.run("Hello")
        assert model.requests[0].instructions == "Be brief."

    async def test_keeps_the_agents_settings_where_it_has_none(self) -> None:
        model = ScriptedModel([reply("Hi.")])
        agent = agents.Agent(model=model, instructions="Be kind.", temperature=0.1)
        session = await agent.start_session(agent={"temperature": 0.5})
        await session.run("Hello")
        assert (model.requests[0].instructions, model.requests[0].temperature) == ("Be kind.", 0.5)

    async def test_leaves_other_sessions_of_the_agent_alone(self) -> None:
        model = ScriptedModel([reply("Hi."), reply("Hi.")])
        agent = agents.Agent(model=model, instructions="Be kind.")
        await (await agent.start_session(agent={"instructions": "Be brief."})).run("Hello")
        await (await agent.start_session()).run("Hello")
        assert [request.instructions for request in model.requests] == ["Be brief.", "Be kind."]

    async def test_may_have_another_model(self) -> None:
        other = ScriptedModel([reply("From the other.")])
        agent = agents.Agent(model=ScriptedModel([]))
        session = await agent.start_session(agent={"model": other})
        assert completed(await session.run("Hello")).text == "From the other."

    async def test_may_have_an_iteration_limit_of_its_own(self) -> None:
        model = ScriptedModel([call("look_up"), reply("Never.")])
        session = await agents.Agent(model=model, tools=[look_up]).start_session(agent={"max_iterations": 1})
        assert completed(await session.run("Look.")).stop_reason == "iteration_limit"

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"temperature": 3}, "temperature"),
            ({"temperature": "hot"}, "temperature"),
            ({"max_iterations": 0}, "max_iterations"),
            ({"reasoning_effort": "extreme"}, "reasoning_effort"),
            ({"tools": []}, "tools"),
            ({"model": 17}, "model"),
            (17, "agent"),
        ],
    )
    async def test_with_a_setting_that_is_none_is_refused_by_name(self, given: Any, named: str) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        with pytest.raises((agents.SdkError, TypeError), match=named):
            await agent.start_session(agent=given)
        assert [info async for info in agents.list_sessions(host="local")] == []
