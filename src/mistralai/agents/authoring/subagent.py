"""Subagents, as an agent's definition names them. Starting and directing them is core's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.authoring.builtins import Builtins
    from mistralai.agents.authoring.connectors import AllConnectors, Connector, RemoteMCP, StdioMCP
    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.authoring.model import Model


@record
class Subagent:
    """An agent that the model may start beside itself. Public page: Subagents.

    What is None is the parent's; an empty list or dict clears the parent's. Permissions, environment and subagent
    policy are always the root's.
    """

    name: str
    """The name the model starts it by."""
    description: str
    """What the model reads about when to start it."""
    instructions: str
    """Its system prompt."""
    model: str | Model | None = None
    """A model's name, or a model object."""
    tools: Sequence[ToolDeclaration] | None = None
    """Its tools and client tools."""
    hooks: Sequence[Hook] | None = None
    """Its hooks, in the order they run."""
    guardrails: Sequence[Hook] | None = None
    """Hooks that run before the others at every point."""
    skills: Sequence[Any] | None = None
    """Its skills."""
    connectors: Sequence[Connector | AllConnectors] | None = None
    """Its connectors, by name."""
    mcps: Mapping[str, RemoteMCP | StdioMCP] | None = None
    """Its MCP servers."""
    builtins: Builtins | None = None
    """Merged with the parent's, field by field."""
    max_iterations: int | None = None
    """The most model calls in one of its turns."""
    temperature: float | None = None
    """From 0 to 2."""
    reasoning_effort: str | None = None
    """How much its model thinks."""

    def __post_init__(self) -> None:
        for name in ("name", "description", "instructions"):
            value: object = getattr(self, name)
            if not isinstance(value, str) or not value:
                raise SdkError(f"Subagent: {name} is {value!r}. Pass a string.")


@record
class SubagentPolicy:
    """The bounds of a tree of subagents. Public page: Subagents."""

    concurrent_child_turn_limit: int = 10
    """The most turns of subagents that run at one time."""
    max_depth: int = 2
    """How many levels of subagents there may be below the root."""
    idle_message_starts: Literal["direct_children", "none"] = "direct_children"
    """Whether a message to an idle subagent starts a turn of it."""

    def __post_init__(self) -> None:
        for name in ("concurrent_child_turn_limit", "max_depth"):
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise SdkError(f"SubagentPolicy: {name} is {value!r}. Pass a whole number from 0 up.")
        if self.idle_message_starts not in ("direct_children", "none"):
            raise SdkError(
                f"SubagentPolicy: idle_message_starts is {self.idle_message_starts!r}. "
                'Pass "direct_children" or "none".'
            )
