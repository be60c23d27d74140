"""Answers of a type: asked of the model or only parsed, and what does not fit. Public pages: Turn records; Agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, error, gate, reply
from tests.sessions.reading import completed, failed, interrupted


class City(BaseModel):
    """A city."""

    name: str
    people: int = 0


class Country(BaseModel):
    """A country."""

    capital: str


@dataclass
class Point:
    """A place on a map."""

    x: int
    y: int


LISBON = '{"name": "Lisbon", "people": 3}'


@agents.tool
def look_up() -> str:
    """Look it up."""
    return "looked"


class TestTheAgentsOutputType:
    """`Completed.output` is the text, parsed as the agent's `output_type`."""

    async def test_is_what_run_returns(self) -> None:
        agent = agents.Agent(model=ScriptedModel([reply(LISBON)]), output_type=City)
        state = await agent.run("Which?")
        assert isinstance(state, agents.Completed)
        assert state.output == City(name="Lisbon", people=3)
        assert state.text == LISBON

    async def test_is_asked_of_the_model(self) -> None:
        model = ScriptedModel([reply(LISBON)])
        await agents.Agent(model=model, output_type=City).run("Which?")
        assert model.requests[0].output is not None
        assert set(model.requests[0].output.schema["properties"]) == {"name", "people"}

    async def test_holds_for_get_result_run_and_the_event_of_a_session(self) -> None:
        agent = agents.Agent(model=ScriptedModel([reply(LISBON)]), output_type=City)
        session = await agent.start_session()
        expected = City(name="Lisbon", people=3)
        state = completed(await session.run("Which?"))
        turn = session.turn(state.turn_id)
        *_, last = [event async for event in turn.iter_events()]
        assert isinstance(last, agents.TurnEnded)
        read = [state, await turn.get(), await turn.result(), last.state]
        assert [completed(each).output for each in read] == [expected] * 4

    @pytest.mark.parametrize(
        ("output_type", "text", "output"),
        [
            (Point, '{"x": 1, "y": 2}', Point(1, 2)),
            (list[int], "[1, 2]", [1, 2]),
            (int, "17", 17),
            (bool, "false", False),
        ],
    )
    async def test_may_be_anything_that_can_be_validated(self, output_type: Any, text: str, output: object) -> None:
        agent: agents.Agent[Any] = agents.Agent(model=ScriptedModel([reply(text)]), output_type=output_type)
        assert completed(await agent.run("Which?")).output == output

    async def test_of_none_is_the_text(self) -> None:
        model = ScriptedModel([reply(LISBON)])
        assert completed(await agents.Agent(model=model).run("Which?")).output == LISBON
        assert model.requests[0].output is None


class TestAnAnswerThatDoesNotFit:
    """InvalidOutput, a value with the text and the reason: the turn is Completed all the same."""

    @pytest.mark.parametrize("text", ["Lisbon.", '{"people": 3}', '{"name": "Lisbon", "people": "many"}', ""])
    async def test_is_invalid_output(self, text: str) -> None:
        state = await agents.Agent(model=ScriptedModel([reply(text)]), output_type=City).run("Which?")
        output = completed(state).output
        assert isinstance(output, agents.InvalidOutput)
        assert output.raw == text
        assert output.error

    async def test_names_what_is_missing_and_no_page_of_a_library(self) -> None:
        state = await agents.Agent(model=ScriptedModel([reply('{"people": 3}')]), output_type=City).run("Which?")
        output = completed(state).output
        assert isinstance(output, agents.InvalidOutput)
        assert "name" in output.error
        assert "https://" not in output.error


class TestATurnThatEndedEarly:
    """There is no answer to parse: output is None with an output type, and the text without one."""

    async def test_at_the_iteration_limit(self) -> None:
        steps = [call("look_up", text=LISBON)]
        agent = agents.Agent(model=ScriptedModel(steps), tools=[look_up], output_type=City, max_iterations=1)
        state = completed(await agent.run("Which?"))
        assert (state.stop_reason, state.output, state.text) == ("iteration_limit", None, LISBON)

    async def test_at_the_output_limit(self) -> None:
        steps = [reply(LISBON, finish="length")] * 7
        state = completed(await agents.Agent(model=ScriptedModel(steps), output_type=City).run("Which?"))
        assert (state.stop_reason, state.output, state.text) == ("output_limit", None, LISBON)

    async def test_by_a_failure_or_an_interrupt_has_no_output_at_all(self) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([error(422), reply(LISBON, held)]), output_type=City)
        session = await agent.start_session()
        assert not hasattr(failed(await session.run("Which?")), "output")
        turn = await session.send_message("Which?")
        await held.reached()
        await turn.interrupt()
        assert not hasattr(interrupted(await turn.result()), "output")


class TestTheTypeOfACall:
    """The call's type wins over the agent's."""

    async def test_of_agent_run_is_asked_of_the_model(self) -> None:
        model = ScriptedModel([reply('{"capital": "Lisbon"}')])
        agent = agents.Agent(model=model, output_type=City)
        state = await agent.run("Which?", output_type=Country)
        assert completed(state).output == Country(capital="Lisbon")
        assert model.requests[0].output is not None
        assert set(model.requests[0].output.schema["properties"]) == {"capital"}

    async def test_of_session_run_only_parses(self) -> None:
        model = ScriptedModel([reply('{"capital": "Lisbon"}')])
        session = await agents.Agent(model=model).start_session()
        state = completed(await session.run("Which?", output_type=Country))
        assert state.output == Country(capital="Lisbon")
        assert model.requests[0].output is None

    async def test_of_result_only_parses_for_that_reading(self) -> None:
        session = await agents.Agent(model=ScriptedModel([reply(LISBON)])).start_session()
        turn = await session.send_message("Which?")
        assert completed(await turn.result(output_type=City)).output == City(name="Lisbon", people=3)
        assert completed(await turn.result()).output == LISBON
        assert isinstance(completed(await turn.result(output_type=Country)).output, agents.InvalidOutput)

    async def test_that_cannot_be_validated_is_refused_before_a_turn_starts(self) -> None:
        class Opaque:
            """Nothing that can be validated."""

        unknown: Any = Opaque
        agent = agents.Agent(model=ScriptedModel([reply("Never.")]))
        session = await agent.start_session()
        with pytest.raises(agents.SdkError, match="Opaque"):
            await session.run("Which?", output_type=unknown)
        with pytest.raises(agents.SdkError, match="Opaque"):
            await agent.run("Which?", output_type=unknown)
        with pytest.raises(agents.SdkError, match="Opaque"):
            agents.Agent(model="m", output_type=unknown)
        assert await session.history() == ()
