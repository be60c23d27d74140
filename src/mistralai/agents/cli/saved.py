"""The saved sessions of the running block: all of them, and the one that a person means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mistralai.agents.cli.problem import Problem
from mistralai.agents.cli.saving import journals
from mistralai.agents.core.facts import CallbackOpened, CallbackSettled
from mistralai.agents.core.present import moment
from mistralai.agents.handles.listing import list_sessions
from mistralai.agents.values.errors import AgentsError
from mistralai.agents.values.sessions import UnknownTermination

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from mistralai.agents.local.journal.directory import DirectoryJournals
    from mistralai.agents.values.sessions import SessionInfo

LATEST = "latest"
_LEAST = 4
"""Characters that name a session; fewer are a slip of the keyboard."""


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A saved session, with what only its files tell."""

    info: SessionInfo
    held: bool
    """Whether a process has it open and writes it."""
    expires_at: datetime | None = None
    """When the first of its open questions expires; None without one."""

    @property
    def stopped(self) -> bool:
        """Whether its turn was running when its process ended, and nobody went on with it."""
        return self.info.status == "running" and not self.held

    @property
    def problem(self) -> str | None:
        """Why it cannot be read; None where it can."""
        return problem_of(self.info)


def problem_of(info: SessionInfo) -> str | None:
    """Say why a session cannot be read; None where it can."""
    match info.termination:
        case UnknownTermination(type="unreadable", raw=raw):
            return str(raw.get("message"))
        case _:
            return None


async def saved_sessions(limit: int | None = None) -> list[SessionInfo]:
    """Return them, the one in which something happened last first."""
    found = [info async for info in list_sessions(host="local")]
    return sorted(found, key=lambda info: info.updated_at, reverse=True)[:limit]


def looked_at(data: Path, sessions: Iterable[SessionInfo]) -> list[SavedSession]:
    """Return sessions with what their files tell. Ask before they are opened here: that holds them too."""
    files = journals(data)
    return [
        SavedSession(
            info, files.is_held(info.session_id), _expires_at(files, info.session_id) if info.open_callbacks else None
        )
        for info in sessions
    ]


async def find_saved(typed: str, agent_name: str) -> SessionInfo:
    """Return the session whose ID is `typed` or has it in it; `latest` is the one of the agent that was used last."""
    all_of_them = await saved_sessions()
    if typed == LATEST:
        for info in all_of_them:
            if info.agent_name == agent_name and info.status != "terminated":
                return info
        raise Problem(f"No session of {agent_name} is saved that goes on. Start one without --resume.")
    found = [info for info in all_of_them if len(typed) >= _LEAST and typed in info.session_id]
    if len(found) > 1:
        raise Problem(f"{len(found)} saved sessions match {typed!r}. Type more of the ID: agents sessions lists them.")
    if not found:
        raise Problem(f"No session {typed!r} is saved. See those that are with: agents sessions")
    if found[0].status == "terminated" and problem_of(found[0]) is None:
        raise Problem(f"Session {found[0].session_id} has ended and takes no message. Start one without --resume.")
    return found[0]


def _expires_at(files: DirectoryJournals, session_id: str) -> datetime | None:
    try:
        facts = files.read(session_id).facts
    except AgentsError:
        return None  # whoever opens it is told what is wrong with it
    open_until: dict[str, float] = {}
    for fact in facts:
        if isinstance(fact, CallbackOpened):
            open_until[fact.callback_id] = fact.expires_at
        elif isinstance(fact, CallbackSettled):
            open_until.pop(fact.callback_id, None)
    return moment(min(open_until.values())) if open_until else None
