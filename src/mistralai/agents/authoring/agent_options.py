"""The keyword arguments of an agent beside `model` and `output_type`, for type checkers and editors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.authoring.builtins import Builtins
    from mistralai.agents.authoring.connectors import AllConnectors, Connector, RemoteMCP, StdioMCP
    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.environment import Environment
    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.authoring.permissions import PermissionPolicy
    from mistralai.agents.authoring.secrets import MistralSecret
    from mistralai.agents.authoring.subagent import Subagent, SubagentPolicy
    from mistralai.agents.values.usage import UsageLimits

type PermissionMode = Literal["auto", "ask", "deny"]
type ToolErrors = Literal["model", "raise"]
type ReasoningEffort = Literal["off", "minimal", "low", "medium", "high", "max"]
type Provider = Literal["mistral", "openai", "anthropic"]


class AgentOptions(TypedDict, total=False):
    """What each means, and its default, is said at the attribute of AgentDefinition with its name."""

    name: str
    instructions: str | None
    description: str | None
    tools: Sequence[ToolDeclaration]
    permission_mode: PermissionMode
    permission_policy: PermissionPolicy | None
    tool_errors: ToolErrors
    max_iterations: int | None
    temperature: float | None
    reasoning_effort: ReasoningEffort | None
    provider: Provider
    first_output_timeout_seconds: float | None
    auto_compact_threshold: int | None
    hooks: Sequence[Hook]
    guardrails: Sequence[Hook]
    subagents: Sequence[Subagent]
    subagent_policy: SubagentPolicy | None
    builtins: Builtins
    environment: Environment
    skills: Sequence[Any]
    connectors: Sequence[Connector | AllConnectors]
    mcps: Mapping[str, RemoteMCP | StdioMCP]
    secrets: Mapping[str, MistralSecret]
    limits: UsageLimits | None
