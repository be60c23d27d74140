"""Sources of tools that an agent names and that are not to be had: the session starts without them, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.connectors import Connector
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition


@record
class MissingSource:
    """A source that the session goes without."""

    message: str
    """What a person reads."""
    details: dict[str, Any]
    told: str
    """What the model reads in the system prompt."""


def missing_sources(agent: AgentDefinition[Any]) -> list[MissingSource]:
    """Return the connectors of an agent that no directory names. Public page: Connectors."""
    return [_unsupported(connector.name) for connector in agent.connectors if isinstance(connector, Connector)]


def _unsupported(name: str) -> MissingSource:
    return MissingSource(
        message=f"Connector {name!r} is in no connector directory, so the session runs without its tools. "
        "Name it in connectors.toml, or take it out of connectors=.",
        details={"status": "unsupported", "source": name, "kind": "connector"},
        told=f"The connector {name!r} is not available in this session: you have none of its tools. "
        "Say so if you would need them.",
    )
