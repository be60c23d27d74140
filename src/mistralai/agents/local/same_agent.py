"""Whether the agent that opens a saved session is the one that started it: its name, its tools, and what they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.client_tool import ClientTool
from mistralai.agents.values.errors import SessionConfigMismatchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mistralai.agents.core.settings import Settings

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
