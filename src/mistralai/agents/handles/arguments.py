"""Arguments of the handles' methods, checked and brought into the form that commands hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.json_kinds import is_object
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.output import OutputType
    from mistralai.agents.core.facts import Content
    from mistralai.agents.values.turn_input import TurnInput

type JsonObject = dict[str, Any]


def encode_content(content: TurnInput) -> Content:
    """Return a user's message as the log keeps it. Raises SdkError that names the block at fault."""
    if isinstance(content, str):
        if not content:
            raise SdkError("content is empty. Pass a text, or a list of text and image blocks.")
        return content
    from mistralai.agents.values.turn_input import parse_turn_input
    from mistralai.agents.values.wire import to_data

    return [_object(to_data(block)) for block in parse_turn_input(content)]


def encode_history(history: Iterable[Any] | None) -> tuple[JsonObject, ...]:
    """Return an imported history as the log keeps it. Raises SdkError that names the entry at fault."""
    if history is None:
        return ()
    given: Any = history
    if isinstance(given, str | bytes) or is_object(given) or not isinstance(given, Iterable):
        raise SdkError(f"history is a {type(history).__name__}. Pass a list of HistoryImport… entries, or None.")
    from mistralai.agents.values.history_import import parse_history
    from mistralai.agents.values.wire import to_data

    return tuple(_object(to_data(entry)) for entry in parse_history(history))


def encode_inputs(inputs: Mapping[str, Any] | None) -> JsonObject:
    """Return session inputs as the log keeps them."""
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise SdkError(
            f"session_inputs is a {type(inputs).__name__}. Pass a dict of SessionInputs by their input_id, or None."
        )
    from mistralai.agents.authoring.session_inputs import encode_session_inputs

    return dict(encode_session_inputs(inputs))


def output_of(agent: AgentDefinition[Any] | None, output_type: Any) -> OutputType[Any] | None:
    """Return how an answer is read: as the call's type, else as the agent's; None for text."""
    if output_type is not None:
        from mistralai.agents.authoring.output import output_type_of

        return output_type_of(output_type)
    return agent.output if agent is not None else None


def cursor_of(after: Any) -> str | None:
    """Return the cursor that `after=` names, of a record or as such."""
    if after is None or isinstance(after, str):
        return after
    cursor = getattr(after, "cursor", None)
    if not isinstance(cursor, str):
        raise SdkError(f"after is {after!r}. Pass a record of the turn, or the id of an event.")
    return cursor


def check_timeout(timeout: Any) -> float | None:
    """Return seconds. Raises SdkError for anything else."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout >= 0:
        raise SdkError(f"timeout is {timeout!r}. Pass a number of seconds, or None to wait without bound.")
    return float(timeout)


def check_on_event(on_event: Any) -> None:
    """Raise SdkError unless it is a function to show events to, or None."""
    if on_event is not None and not callable(on_event):
        raise SdkError(f"on_event is {on_event!r}. Pass a function of an event, or None.")


def check_key(key: Any) -> str | None:
    """Return an idempotency key. Raises SdkError for an empty one."""
    if key is None:
        return None
    if not isinstance(key, str) or not key:
        raise SdkError(f"idempotency_key is {key!r}. Pass a string of your own that names this one request, or None.")
    return key


def _object(data: object) -> JsonObject:
    assert is_object(data)
    return {key: value for key, value in data.items() if value is not None or key in {"arguments", "result", "value"}}
