"""What a tool may learn about the call it serves. The model sees none of it."""

from __future__ import annotations

from typing import Any

from mistralai.agents.values.record import record


@record
class ToolContext:
    """The call a tool serves; a parameter of this type receives it, whatever its name. Public page: Tools."""

    session_id: str
    """The session that calls: a subagent's own, where one calls."""
    turn_id: str
    """The turn that calls."""
    tool_call_id: str
    """The call, as the events and entries of the session name it."""
    idempotency_key: str
    """The same for every attempt at this call, also after a crash: hand it to a service that must not act twice."""
    sandbox: Any = None
    """The session's sandbox; None without an environment."""
