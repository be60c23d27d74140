"""Reading records, events and requests in tests: each function asserts the kind that it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.testing import ScriptedModel


def completed(state: object) -> agents.Completed[Any]:
    """The record of a turn that ended well."""
    assert isinstance(state, agents.Completed), state
    return cast("agents.Completed[Any]", state)


def blocked(state: object) -> agents.Blocked:
    """The record of a turn that waits on callbacks."""
    assert isinstance(state, agents.Blocked), state
    return state


def running(state: object) -> agents.Running:
    """The record of a turn that runs."""
    assert isinstance(state, agents.Running), state
    return state


def interrupted(state: object) -> agents.Interrupted:
    """The record of a turn that was stopped."""
    assert isinstance(state, agents.Interrupted), state
    return state


def failed(state: object) -> agents.Failed:
    """The record of a turn that failed."""
    assert isinstance(state, agents.Failed), state
    return state


def turn_of(started: agents.Turn | agents.Busy | agents.TurnConflict) -> agents.Turn:
    """The handle, where nothing was refused."""
    assert isinstance(started, agents.Turn), started
    return started


def only_callback(state: object) -> agents.OpenCallback:
    """The one callback a turn waits on."""
    (callback,) = blocked(state).callbacks
    return callback


def approval(callback: object) -> agents.OpenApproval:
    """An open approval."""
    assert isinstance(callback, agents.OpenApproval), callback
    return callback


def client_call(callback: object) -> agents.OpenClientToolCall[Any, Any]:
    """An open client tool call."""
    assert isinstance(callback, agents.OpenClientToolCall), callback
    return cast("agents.OpenClientToolCall[Any, Any]", callback)


def kinds(events: Iterable[agents.Event]) -> list[str]:
    """The names of the events' classes."""
    return [type(event).__name__ for event in events]


def without_deltas(events: Iterable[agents.Event]) -> list[agents.Event]:
    """The events that every reader sees."""
    return [event for event in events if not isinstance(event, agents.TextDelta)]


async def until[E: agents.Event](session: agents.Session, kind: type[E], count: int = 1) -> E:
    """Wait until the session has shown so many events of a kind; return the last of them."""
    async for event in session.iter_events():
        if isinstance(event, kind):
            count -= 1
            if count == 0:
                return event
    raise AssertionError(f"the session ended without {count} more {kind.__name__}")


def sent(model: ScriptedModel, call: int = -1) -> list[str]:
    """What a call of the model was sent, a line a message: `user: ...`, `assistant: ...`, `tool: ...`."""
    return [_line(message) for message in model.requests[call].messages]


def _line(message: agents.ModelMessage) -> str:
    match message:
        case agents.AssistantMessage(text=text, tool_calls=calls):
            return " ".join(
                ["assistant:", *([text] if text else []), *(f"{made.name}({made.arguments})" for made in calls)]
            )
        case agents.SystemMessage(text=text):
            return f"system: {text}"
        case agents.ToolMessage(content=content):
            return f"tool: {content}"
        case agents.UserMessage(content=content):
            return f"user: {content}"
