"""The gate: may this call run, with these arguments? Every tool of every source passes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mistralai.agents.core.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mistralai.agents.authoring.permissions import PermissionPolicy

type Verdict = Literal["allow", "ask", "deny"]


def judge(
    mode: str,
    policy: PermissionPolicy | None,
    tool_id: str,
    arguments: dict[str, Any],
    grants: AbstractSet[tuple[str, str]],
) -> Verdict:
    """Decide on the arguments that would run. Public page: Callbacks, Permissions."""
    if mode == "deny":
        return "deny"
    verdict: Verdict = "allow"
    if policy is not None:
        verdict = policy.decide(tool_id, arguments) or "allow"
    if verdict == "allow" and mode == "ask":
        verdict = "ask"
    if verdict == "ask" and grants and (tool_id, canonical(arguments)) in grants:
        return "allow"
    return verdict
