"""The gate: may this call run, with these arguments? Every tool of every source passes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mistralai.agents.authoring.permissions import canonical

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.core.toolbox import AnyTool

type Verdict = Literal["allow", "ask", "deny"]


def judge(
    agent: AgentDefinition[Any], tool: AnyTool, arguments: dict[str, Any], grants: AbstractSet[tuple[str, str]]
) -> Verdict:
    """Decide on the arguments that would run. Public pages: Callbacks, Permissions."""
    mode, policy = agent.permission_mode, agent.permission_policy
    if mode == "deny":
        return "deny"
    verdict: Verdict = "allow"
    if policy is not None:
        # As the function gets them: another spelling of a value, or a default left out, is no way around a rule.
        judged = tool.canonical_arguments(arguments) if policy.reads_arguments(tool.id) else arguments
        verdict = policy.decide(tool.id, judged)
    if verdict == "allow" and mode == "ask":
        verdict = "ask"
    if verdict == "ask" and grants and (tool.id, canonical(arguments)) in grants:
        return "allow"
    return verdict
