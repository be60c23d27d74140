"""What a handle adds to what its place reads: outputs as the agent's type, client tool calls that can be run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from mistralai.agents.authoring.client_tool import ClientTool
from mistralai.agents.values.callbacks import OpenClientToolCall
from mistralai.agents.values.events import CallbackOpened, TurnEnded
from mistralai.agents.values.record import replace
from mistralai.agents.values.turn_states import Blocked, Completed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.output import OutputType
    from mistralai.agents.core.place import Place
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_states import TurnState


def stub_of(agent: AgentDefinition[Any] | None, tool_id: str) -> ClientTool[..., Any] | None:
    """Return the one stub of a client tool that the agent knows; None for none, or for two."""
    if agent is None:
        return None
    stubs = {id(tool): tool for tool in agent.all_tools if tool.id == tool_id and _is_stub(tool)}
    return next(iter(stubs.values())) if len(stubs) == 1 else None


def dressed_callback(callback: OpenCallback, agent: AgentDefinition[Any] | None, place: Place) -> OpenCallback:
    """Return a callback that a client tool's function can be run for."""
    if not _is_client_tool(callback) or (stub := stub_of(agent, callback.call.tool_id)) is None:
        return callback
    arguments = callback.call.arguments

    async def runner(fn: Callable[..., Any]) -> Any:
        return await stub.run(fn, arguments, run_in_thread=place.run_in_thread)

    return replace(callback, _runner=runner, _stub=stub)


def dressed_state(
    state: TurnState[str], agent: AgentDefinition[Any] | None, place: Place, output: OutputType[Any] | None
) -> TurnState[Any]:
    """Return a record as the handle's caller reads it."""
    match state:
        case Blocked():
            return replace(state, callbacks=tuple(dressed_callback(each, agent, place) for each in state.callbacks))
        case Completed() if output is not None:
            # Nothing to parse where the turn ended early: its text is no answer.
            parsed = output.parse(state.text or "") if state.stop_reason is None else None
            return replace(state, output=parsed)
        case _:
            return state


def dressed_event(
    event: Event, agent: AgentDefinition[Any] | None, place: Place, output: OutputType[Any] | None
) -> Event:
    """Return an event as the handle's caller reads it."""
    match event:
        case CallbackOpened(callback=callback):
            return replace(event, callback=dressed_callback(callback, agent, place))
        case TurnEnded(state=state):
            return replace(event, state=dressed_state(state, agent, place, output))
        case _:
            return event


def _is_stub(tool: ToolDeclaration) -> TypeGuard[ClientTool[..., Any]]:
    return isinstance(tool, ClientTool)


def _is_client_tool(callback: OpenCallback) -> TypeGuard[OpenClientToolCall[..., Any]]:
    return isinstance(callback, OpenClientToolCall)
