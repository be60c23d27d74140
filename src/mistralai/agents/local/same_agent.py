"""Whether the agent that opens a saved session can go on with it: its name, its tools, what they take, what is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.call_errors import InvalidArguments
from mistralai.agents.authoring.client_tool import ClientTool
from mistralai.agents.core import state as phases
from mistralai.agents.values.errors import SessionConfigMismatchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.settings import Settings
    from mistralai.agents.core.state import CallState, SessionState
    from mistralai.agents.values.json_value import JsonValue

_KINDS = {True: "client tool", False: "tool"}


def identity(settings: Settings) -> dict[str, Any]:
    """Return what makes an agent the same one, as JSON.

    Wording does not count: instructions, descriptions, models, limits and hooks may change while sessions are saved.
    """
    definition = settings.definition
    tools: Any = definition.all_tools
    return {
        "name": definition.name,
        "tools": {tool.id: [_KINDS[isinstance(tool, ClientTool)], *_parameters(tool.input_schema)] for tool in tools},
    }


def check_same(session_id: str, saved: dict[str, Any], settings: Settings) -> None:
    """Raise SessionConfigMismatchError, naming each difference, where another agent started the session."""
    differences = list(_differences(saved, identity(settings)))
    if differences:
        raise SessionConfigMismatchError(
            f"Session {session_id} was started by another agent than {settings.definition.name!r}: "
            f"{'; '.join(differences)}. Open it with the agent that started it, or start a new session."
        )


def check_open_calls(session: OpenSession) -> None:
    """Raise SessionConfigMismatchError where a call that waits, or runs again, does not fit its tool any more.

    Else the answer it waits for would count, and the call fail all the same.
    """
    turn, settings = session.state.active, session.settings
    if turn is None or turn.interrupting is not None or turn.fatal is not None:
        return
    for call in turn.open_calls.values():
        for arguments in _arguments_that_fitted(session.state, call):
            try:
                settings.toolbox.find(call.call.tool_id).validate_arguments(arguments)
            except InvalidArguments as error:
                raise SessionConfigMismatchError(
                    f"Session {session.session_id} has an open call of {call.call.tool_id} that does not fit the "
                    f"{call.call.tool_id} of agent {settings.definition.name!r} any more: {'; '.join(error.problems)}. "
                    "Open it with a tool that takes what the call was made with."
                ) from None
            except Exception:  # the tool's own validator broke: where the call is made, the model reads it
                continue


def _arguments_that_fitted(state: SessionState, call: CallState) -> Iterator[JsonValue]:
    """Yield the arguments of a call that is yet to run, as its tool took them: not those that nobody has checked."""
    if call.phase in (phases.PREPARED, phases.WAITING) or (call.started and call.repeatable):
        yield call.arguments
    elif call.phase == phases.APPROVED:  # maybe edited, by whom could not check: what was shown had been checked
        opened = [callback.opened for callback in state.callbacks.values()]
        yield from (one.arguments for one in opened if one.call_id == call.call.call_id and one.kind == "approval")


def _differences(saved: dict[str, Any], here: dict[str, Any]) -> Iterator[str]:
    if saved.get("name") != here["name"]:
        yield f"that one is named {saved.get('name')!r}"
    before: dict[str, list[str]] = saved.get("tools") or {}
    now: dict[str, list[str]] = here["tools"]
    if gone := sorted(before.keys() - now.keys()):
        yield f"it had {', '.join(gone)}, which this one has not"
    if new := sorted(now.keys() - before.keys()):
        yield f"it did not have {', '.join(new)}"
    for tool_id in sorted(before.keys() & now.keys()):
        if before[tool_id] != now[tool_id]:
            yield f"its {tool_id} was a {_described(before[tool_id])} and is a {_described(now[tool_id])}"


def _described(tool: list[str]) -> str:
    kind, *parameters = tool
    return f"{kind} of ({', '.join(parameters)})"


def _parameters(schema: dict[str, Any]) -> list[str]:
    """Return the parameters' names, with a question mark where one may be left out."""
    required = set(schema.get("required") or ())
    return [name if name in required else f"{name}?" for name in sorted(schema.get("properties") or {})]
