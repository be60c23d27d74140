"""An agent as data: its settings, its tools with their schemas and what the policy says of each, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.client_tool import ClientTool
from mistralai.agents.cli.provider_check import check_provider
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.permissions import PermissionPolicy

_LONGEST = 100


def about_agent(agent: AgentDefinition[Any]) -> dict[str, Any]:
    """Return what there is to say of an agent, as JSON."""
    model = agent.model if isinstance(agent.model, str) else None
    return {
        "name": agent.name,
        "description": agent.description,
        "model": f"{model} ({agent.provider})" if model is not None else f"{type(agent.model).__name__} (an object)",
        "instructions": _short(agent.instructions),
        "output": None if agent.output_type is None else getattr(agent.output_type, "__name__", str(agent.output_type)),
        "policy": _policy(agent),
        "unmatched": _unmatched(agent),
        "limits": None if agent.limits is None else repr(agent.limits),
        "hooks": [type(hook).__name__ for hook in (*agent.guardrails, *agent.hooks)] or None,
        "tools": [_tool(agent, tool) for tool in agent.all_tools],
    }


def missing(agent: AgentDefinition[Any]) -> list[str]:
    """Return what keeps the agent from running as it is, in sentences that say what to do."""
    said: list[str] = []
    if isinstance(agent.model, str) and (problem := _provider_problem(agent.provider)) is not None:
        said.append(problem)
    from mistralai.agents.core.sources import missing_sources

    said += [source.message for source in missing_sources(agent)]
    return said


def _provider_problem(name: str) -> str | None:
    try:
        check_provider(name)
    except SdkError as error:
        return str(error)
    return None


def _tool(agent: AgentDefinition[Any], tool: Any) -> dict[str, Any]:
    return {
        "id": tool.id,
        "kind": "client" if isinstance(tool, ClientTool) else "tool",
        "description": tool.description,
        "permission": _permission(agent, tool.id),
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
    }


def _permission(agent: AgentDefinition[Any], tool_id: str) -> str:
    """What is decided of a call of the tool, where that does not depend on its arguments."""
    if agent.permission_mode == "deny":
        return "deny"
    policy = agent.permission_policy
    rule = next((rule for rule in policy.rules if rule.names(tool_id)), None) if policy is not None else None
    if rule is not None and (rule.allowlist or rule.denylist):
        return f"{rule.decision}, depending on its arguments"
    decision = rule.decision if rule is not None else (policy.default if policy is not None else "allow")
    return "ask" if decision == "allow" and agent.permission_mode == "ask" else decision


def _policy(agent: AgentDefinition[Any]) -> str:
    mode = "" if agent.permission_mode == "auto" else f"mode {agent.permission_mode}; "
    return mode + (_rules(agent.permission_policy) if agent.permission_policy is not None else "allow")


def _unmatched(agent: AgentDefinition[Any]) -> list[str] | None:
    """What the policy's rules name, and is no tool of this agent."""
    if agent.permission_policy is None:
        return None
    from mistralai.agents.authoring.policy_checks import unmatched

    return unmatched(agent.permission_policy, agent.all_tools) or None


def _rules(policy: PermissionPolicy) -> str:
    rules = [f"{rule.decision} {', '.join(rule.tools)}" for rule in policy.rules]
    return "; ".join([*rules, f"otherwise {policy.default}"])


def _short(text: str | None) -> str | None:
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
