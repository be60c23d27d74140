"""`StructuredOutputHook`: it asks again for an answer that is not of its type."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from mistralai import agents
from mistralai.agents.pattern.hook import StructuredOutputHook
from mistralai.agents.testing import Gate, ScriptedModel, Step, call, reply
from tests.support.asked import asked
from tests.support.outcomes import completed


class City(BaseModel):
    name: str
    population: int


GOOD = '{"name": "Paris", "population": 2}'
BAD = reply("Paris, of course.")


@agents.tool
def look_up() -> str:
    """Look something up."""
    return "found"


def agent_of(*steps: Step, **options: Any) -> tuple[agents.Agent[City], ScriptedModel]:
    model = ScriptedModel(steps)
    hooks = [StructuredOutputHook[City](**options)]
    return agents.Agent(model=model, tools=[look_up], hooks=hooks, output_type=City), model


class TestAnAnswerThatFits:
    async def test_passes(self) -> None:
        agent, model = agent_of(reply(GOOD))
        assert completed(await agent.run("Which?")).output == City(name="Paris", population=2)
        assert len(model.requests) == 1

    async def test_is_looked_for_only_where_no_tool_is_called(self) -> None:
        agent, model = agent_of(call("look_up", text="Let me see."), reply(GOOD))
        assert completed(await agent.run("Which?")).output == City(name="Paris", population=2)
        assert len(model.requests) == 2


class TestAnAnswerThatDoesNotFit:
    async def test_is_asked_for_again_with_the_problem_and_the_schema(self) -> None:
        agent, model = agent_of(reply('{"name": "Paris"}'), reply(GOOD))
        assert completed(await agent.run("Which?")).output == City(name="Paris", population=2)
        feedback = asked(model)[-1]
        assert feedback.startswith("context(feedback): ")
        assert "population" in feedback.partition("schema")[0]
        assert json.dumps("population") in feedback.partition("schema")[2]
        assert asked(model)[:-1] == ["user: Which?"], "the answer itself is dropped"

    async def test_is_asked_for_twice_more_and_then_accepted(self) -> None:
        agent, model = agent_of(BAD, BAD, BAD)
        state = completed(await agent.run("Which?"))
        assert (state.text, state.stop_reason) == ("Paris, of course.", None)
        assert isinstance(state.output, agents.InvalidOutput)
        assert len(model.requests) == 3

    async def test_or_rejected(self) -> None:
        agent, model = agent_of(BAD, BAD, BAD, on_limit="reject")
        state = completed(await agent.run("Which?"))
        assert (state.output, state.stop_reason) == (None, "rejected")
        assert state.text is not None
        assert "format" in state.text
        assert len(model.requests) == 3

    @pytest.mark.parametrize("most", [0, 1, 5])
    async def test_is_asked_for_as_often_as_it_is_set_to(self, most: int) -> None:
        agent, model = agent_of(*[BAD] * (most + 1), max_retries=most)
        completed(await agent.run("Which?"))
        assert len(model.requests) == most + 1

    async def test_is_counted_anew_in_each_turn(self) -> None:
        agent, model = agent_of(BAD, BAD, BAD, BAD, BAD, reply(GOOD))
        session = await agent.start_session()
        completed(await session.run("Which?"))
        assert completed(await session.run("Again: which?")).output == City(name="Paris", population=2)
        assert len(model.requests) == 6

    async def test_is_counted_anew_after_a_turn_that_was_stopped(self) -> None:
        gate = Gate()
        agent, model = agent_of(BAD, BAD, reply(gate), BAD, BAD, reply(GOOD))
        session = await agent.start_session()
        turn = await session.send_message("Which?")
        await gate.reached()
        await turn.interrupt()
        assert completed(await session.run("Again: which?")).output == City(name="Paris", population=2)
        model.assert_consumed()


class TestTheHook:
    def test_needs_its_type(self) -> None:
        with pytest.raises(agents.SdkError, match=r"StructuredOutputHook\[YourType\]"):
            StructuredOutputHook()

    @pytest.mark.parametrize("options", [{"max_retries": -1}, {"on_limit": "fail"}, {"retires": 1}])
    def test_refuses_settings_that_it_does_not_know(self, options: dict[str, Any]) -> None:
        with pytest.raises(ValidationError):
            StructuredOutputHook[City](**options)

    async def test_may_be_subclassed_with_its_type(self) -> None:
        class Patient(StructuredOutputHook[City]):
            asked: int = 0

        model = ScriptedModel([BAD, reply(GOOD)])
        agent = agents.Agent(model=model, hooks=[Patient(max_retries=1)], output_type=City)
        assert completed(await agent.run("Which?")).output == City(name="Paris", population=2)

    async def test_takes_any_type(self) -> None:
        model = ScriptedModel([reply("seven"), reply("7")])
        agent = agents.Agent(model=model, hooks=[StructuredOutputHook[int]()], output_type=int)
        assert completed(await agent.run("How many?")).output == 7

    async def test_works_without_an_output_type_of_the_agent(self) -> None:
        model = ScriptedModel([reply("seven"), reply("7")])
        agent = agents.Agent(model=model, hooks=[StructuredOutputHook[int]()])
        assert completed(await agent.run("How many?")).output == "7"
