"""Opening a session of an agent and answering a message in it: what `Agent`'s methods do, loaded when one is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.agent_definition import SessionAgentCustomization
from mistralai.agents.core.commands import Accepted, Ended, KeyReused, StartTurn
from mistralai.agents.core.place import Start
from mistralai.agents.core.settings import output_format
from mistralai.agents.handles.arguments import (
    check_key,
    check_on_event,
    check_timeout,
    encode_content,
    encode_history,
    encode_inputs,
    output_of,
)
from mistralai.agents.handles.session import Session, bound_of
from mistralai.agents.handles.turn import Turn
from mistralai.agents.handles.where import Where
from mistralai.agents.local.registry import start as start_runtime
from mistralai.agents.values.errors import SdkError, SessionIdempotencyConflictError, SessionTerminatedError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.core.commands import Refusal
    from mistralai.agents.handles.handlers import Handlers
    from mistralai.agents.handles.waiting import OnEvent
    from mistralai.agents.values.history_import import HistoryImportEntry
    from mistralai.agents.values.turn_input import TurnInput
    from mistralai.agents.values.turn_states import TurnState

_CUSTOMIZABLE = ("model", "instructions", "temperature", "reasoning_effort", "max_iterations")


async def answer_once(
    agent: AgentDefinition[Any],
    content: TurnInput,
    handlers: Handlers,
    *,
    output_type: Any,
    timeout: float | None,
    key: str | None,
    on_event: OnEvent | None,
    inputs: Mapping[str, SessionInput] | None,
) -> TurnState[Any]:
    """Answer one message in a session of its own: see `Agent.run`."""
    encoded, key = encode_content(content), check_key(key)
    output = output_of(agent, output_type)
    timeout = check_timeout(timeout)
    check_on_event(on_event)
    encoded_inputs = encode_inputs(inputs)
    runtime = await start_runtime()
    await runtime.check_model_of(agent)
    place = runtime.place
    begin = Start(customization={}, inputs=encoded_inputs, key=key, ends_with_turn=key is None and not runtime.blocks)
    opened = await place.start(agent, begin, output_format(output))
    command = StartTurn(turn_id=uuid7(), entry_id=uuid7(), content=encoded, key=key)
    with place.holding(opened.session_id):  # it may end before the wait begins
        turn_id = _started(await place.carry_out(opened, command), agent, key)
        session = Session(opened.session_id, Where(place), agent, handlers)
        turn = Turn(session, bound_of(session), turn_id, started=True)
        return await turn.result(output_type=output_type, timeout=timeout, on_event=on_event)


def _started(outcome: Accepted | Refusal, agent: AgentDefinition[Any], key: str | None) -> str:
    match outcome:
        case Accepted(turn_id=turn_id):
            return turn_id
        case KeyReused():
            raise SessionIdempotencyConflictError(
                f"Idempotency key {key!r} was used for another message of agent {agent.name!r}. "
                "Use a new key for a new message."
            )
        case Ended():
            raise SessionTerminatedError("The local Session has ended")
        case other:
            raise SdkError(f"The turn of idempotency key {key!r} could not start: {other!r}. Use another key.")


async def open_session(
    agent: AgentDefinition[Any],
    handlers: Handlers,
    *,
    key: str | None,
    customization: SessionAgentCustomization | Mapping[str, Any] | None,
    inputs: Mapping[str, SessionInput] | None,
    history: Iterable[HistoryImportEntry | Mapping[str, Any]] | None,
) -> Session:
    """Start a session: see `Agent.start_session`."""
    begin = Start(
        customization=_changes(agent, customization),
        inputs=encode_inputs(inputs),
        history=encode_history(history),
        key=check_key(key),
    )
    place = (await start_runtime()).place
    opened = await place.start(agent, begin, output_format(agent.output))
    return Session(opened.session_id, Where(place), agent, handlers)


def _changes(
    agent: AgentDefinition[Any], given: SessionAgentCustomization | Mapping[str, Any] | None
) -> dict[str, Any]:
    from mistralai.agents.authoring.agent_checks import check_temperature

    chosen = SessionAgentCustomization.of(given)
    changes = {name: value for name in _CUSTOMIZABLE if (value := getattr(chosen, name)) is not None}
    if isinstance(changes.get("model", agent.model), str):
        check_temperature("SessionAgentCustomization", changes.get("temperature"), agent.provider)
    return changes
