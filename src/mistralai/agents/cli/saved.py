"""The saved sessions of the running block: all of them, and the one that a person means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.cli.problem import Problem
from mistralai.agents.handles.listing import list_sessions

if TYPE_CHECKING:
    from mistralai.agents.values.sessions import SessionInfo

LATEST = "latest"
_LEAST = 4
"""Characters that name a session; fewer are a slip of the keyboard."""


async def saved_sessions(limit: int | None = None) -> list[SessionInfo]:
    """Return them, newest first."""
    return [info async for info in list_sessions(host="local", limit=limit)]


async def find_saved(typed: str, agent_name: str) -> SessionInfo:
    """Return the session of which the ID is `typed`, or begins or ends so; `latest` is the agent's newest."""
    all_of_them = await saved_sessions()
    if typed == LATEST:
        for info in all_of_them:
            if info.agent_name == agent_name and info.status != "terminated":
                return info
        raise Problem(f"No session of {agent_name} is saved that goes on. Start one without --resume.")
    found = [info for info in all_of_them if _means(typed, info.session_id)]
    if len(found) > 1:
        raise Problem(f"{len(found)} saved sessions match {typed!r}. Type more of the ID: agents sessions lists them.")
    if not found:
        raise Problem(f"No session {typed!r} is saved. See those that are with: agents sessions")
    if found[0].status == "terminated":
        raise Problem(f"Session {found[0].session_id} has ended and takes no message. Start one without --resume.")
    return found[0]


def _means(typed: str, session_id: str) -> bool:
    return len(typed) >= _LEAST and (session_id.startswith(typed) or session_id.endswith(typed))
