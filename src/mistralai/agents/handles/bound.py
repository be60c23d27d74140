"""What the handles of a session and of its turns share: whose session it is, where it lives, and who answers for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.core.place import Place
    from mistralai.agents.handles.handlers import Handlers
    from mistralai.agents.handles.where import Where


class Bound:
    """What a handle was bound to."""

    __slots__ = ("agent", "handlers", "session_id", "where")

    def __init__(self, session_id: str, where: Where, agent: AgentDefinition[Any] | None, handlers: Handlers) -> None:
        self.session_id: str = session_id
        self.where: Where = where
        self.agent: AgentDefinition[Any] | None = agent
        """The agent that the handle came from: its output type and client tools; None without one."""
        self.handlers: Handlers = handlers
        """What answers the session's callbacks while a call on the handle waits."""

    async def place(self) -> Place:
        """Return where the session lives."""
        return await self.where.place(self.session_id, self.agent)
