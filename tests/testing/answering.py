"""An agent with two tools, and one turn of it on a given model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai import agents

if TYPE_CHECKING:
    from mistralai.agents import Model, TurnState


@agents.tool
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@agents.tool
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


agent = agents.Agent(model="a-model", instructions="Be brief.", tools=[double, shout])


async def run(model: Model, content: str = "hi") -> TurnState[Any]:
    """One turn of a session of its own."""
    with agent.override(model=model):
        return await agent.run(content)


async def completed(model: Model, content: str = "hi") -> agents.Completed[Any]:
    """A turn that must complete."""
    state = await run(model, content)
    assert isinstance(state, agents.Completed), state
    return state


async def error_of(model: Model) -> agents.ProtocolError:
    """The error of a turn that must fail."""
    state = await run(model)
    assert isinstance(state, agents.Failed), state
    return state.error
