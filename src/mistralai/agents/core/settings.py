"""The settings of a session: the agent's, with what the session overrides."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.model import OutputFormat
from mistralai.agents.core.hooks import HookSet
from mistralai.agents.core.limits import described
from mistralai.agents.core.steps import Bounds
from mistralai.agents.core.toolbox import Toolbox
from mistralai.agents.core.windows import known_window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.model import Model
    from mistralai.agents.authoring.output import OutputType

SHARE_OF_WINDOW: Final = 0.8
"""How full a model's window gets before the history is compacted, unless the agent says."""
_OVERRIDABLE = ("model", "instructions", "temperature", "reasoning_effort", "max_iterations")


class Settings:
    """What the loop reads of an agent. One object serves every session that overrides nothing."""

    __slots__ = (
        "bounds",
        "definition",
        "hooks",
        "instructions",
        "model",
        "output",
        "reasoning_effort",
        "temperature",
        "toolbox",
    )

    def __init__(
        self,
        definition: AgentDefinition[Any],
        toolbox: Toolbox | None = None,
        overrides: Mapping[str, Any] | None = None,
    ) -> None:
        chosen = {name: getattr(definition, name) for name in _OVERRIDABLE} | dict(overrides or {})
        self.definition: AgentDefinition[Any] = definition
        self.toolbox: Toolbox = toolbox or Toolbox(definition.all_tools)
        self.model: str | Model = chosen["model"]
        told = described(definition.limits)
        self.instructions: str = "\n\n".join(part for part in (chosen["instructions"], told) if part)
        """The system prompt, as long as nothing is noted in the session."""
        self.temperature: float | None = chosen["temperature"]
        self.reasoning_effort: str | None = chosen["reasoning_effort"]
        self.bounds: Bounds = Bounds(
            max_iterations=chosen["max_iterations"],
            limits=definition.limits,
            compact_above=definition.auto_compact_threshold or _share_of_window(self.model),
        )
        self.hooks: HookSet = HookSet(definition.guardrails, definition.hooks)
        self.output: OutputFormat | None = output_format(definition.output)
        """The structured output that the model is asked for."""

    def overridden(self, overrides: Mapping[str, Any]) -> Settings:
        """Return these settings with a session's own."""
        if not overrides:
            return self
        settings = Settings(self.definition, self.toolbox, overrides)
        settings.output = self.output
        return settings

    def asking_for(self, output: OutputFormat | None) -> Settings:
        """Return these settings with another output asked of the model."""
        settings = copy(self)
        settings.output = output
        return settings


def _share_of_window(model: str | Model) -> int | None:
    window = known_window(model) if isinstance(model, str) else getattr(model, "context_window", None)
    return int(window * SHARE_OF_WINDOW) if window else None


def output_format(output: OutputType[Any] | None) -> OutputFormat | None:
    """Return what the model is asked for, for answers of a type; None for text."""
    return None if output is None else OutputFormat(name=output.name, schema=output.schema)
