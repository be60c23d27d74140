"""The models that stand in for those of agents while an `agent.override` block runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.model import Model

_STANDING_IN: dict[int, list[Model]] = {}
"""By the identity of the agent, which its block keeps alive."""


def stand_in(agent: AgentDefinition[Any]) -> Model | None:
    """Return the model of the innermost open block; None outside of one."""
    models = _STANDING_IN.get(id(agent))
    return models[-1] if models else None


def put(agent: AgentDefinition[Any], model: Model) -> None:
    """Enter a block."""
    _STANDING_IN.setdefault(id(agent), []).append(model)


def take_back(agent: AgentDefinition[Any], model: Model) -> None:
    """Leave a block."""
    models = _STANDING_IN[id(agent)]
    models.remove(model)
    if not models:
        del _STANDING_IN[id(agent)]
