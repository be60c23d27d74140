"""`AgentDefinition`: what an agent is. It runs nothing; the public Agent adds the methods that talk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, Unpack, cast, overload

from mistralai.agents.authoring import agent_checks as checks
from mistralai.agents.authoring.builtins import Builtins
from mistralai.agents.authoring.environment import Environment, NoSandbox
from mistralai.agents.authoring.json_kinds import is_object
from mistralai.agents.authoring.permissions import PermissionPolicy
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record
from mistralai.agents.values.usage import UsageLimits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.authoring.agent_options import (
        AgentOptions,
        PermissionMode,
        Provider,
        ReasoningEffort,
        ToolErrors,
    )
    from mistralai.agents.authoring.connectors import AllConnectors, Connector, RemoteMCP, StdioMCP
    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.authoring.model import Model
    from mistralai.agents.authoring.output import OutputType
    from mistralai.agents.authoring.secrets import MistralSecret
    from mistralai.agents.authoring.subagent import Subagent, SubagentPolicy


class AgentDefinition[T]:
    """An agent's settings, checked and frozen. Generic in the type of its output. Public page: Configure the agent."""

    model: str | Model
    """A model's name, or a model object."""
    name: str
    """Unique on a server; `"default_agent"` unless given."""
    instructions: str | None
    """The system prompt; None for none."""
    description: str | None
    """What other agents and the command line show; None for nothing."""
    tools: tuple[ToolDeclaration, ...]
    """Its own tools and client tools; hooks bring more, see `all_tools`."""
    output_type: Any
    """The type its answers are read as; None for text."""
    permission_mode: PermissionMode
    """`"auto"` goes by the policy, `"ask"` asks for every call the policy allows, `"deny"` refuses every call."""
    permission_policy: PermissionPolicy | None
    """Ordered rules; None allows."""
    tool_errors: ToolErrors
    """`"model"`: the model reads a tool's failure; `"raise"`: the turn fails."""
    max_iterations: int | None
    """The most model calls in one turn; None for no bound."""
    temperature: float | None
    """From 0 to 2; None leaves it to the provider."""
    reasoning_effort: ReasoningEffort | None
    """How much the model thinks; None leaves it to the provider."""
    provider: Provider
    """Where a model of that name is called. A model object does not need it."""
    first_output_timeout_seconds: float | None
    """The longest wait for the first chunk of a reply; None leaves it to the provider's bound."""
    auto_compact_threshold: int | None
    """Tokens of context above which the history is compacted; None for 80 % of the model's window where it is known."""
    hooks: tuple[Hook, ...]
    """Its hooks, in the order they run."""
    guardrails: tuple[Hook, ...]
    """Hooks that run before the others at every point."""
    subagents: tuple[Subagent, ...]
    """The agents that its model may start."""
    subagent_policy: SubagentPolicy | None
    """The bounds of what they may do; None for the usual ones."""
    builtins: Builtins
    """The runtime's own tools that it offers."""
    environment: Environment
    """Where its files and processes live."""
    skills: tuple[Any, ...]
    """What it can read up on."""
    connectors: tuple[Connector | AllConnectors, ...]
    """Sources of tools by name."""
    mcps: Mapping[str, RemoteMCP | StdioMCP]
    """MCP servers, by the name that its tools carry."""
    secrets: Mapping[str, MistralSecret]
    """Environment variables of a deployed agent, and the secret that each is filled from."""
    limits: UsageLimits | None
    """The most one turn may use; None for no bound."""

    @overload
    def __init__(
        self: AgentDefinition[str], *, model: str | Model, output_type: None = None, **options: Unpack[AgentOptions]
    ) -> None: ...
    @overload
    def __init__(self, *, model: str | Model, output_type: type[T], **options: Unpack[AgentOptions]) -> None: ...
    @overload
    def __init__(
        self: AgentDefinition[Any], *, model: str | Model, output_type: Any, **options: Unpack[AgentOptions]
    ) -> None: ...
    def __init__(
        self,
        *,
        model: str | Model,
        name: str = "default_agent",
        instructions: str | None = None,
        description: str | None = None,
        tools: Sequence[ToolDeclaration] = (),
        output_type: Any = None,
        permission_mode: PermissionMode = "auto",
        permission_policy: PermissionPolicy | None = None,
        tool_errors: ToolErrors = "model",
        max_iterations: int | None = None,
        temperature: float | None = None,
        reasoning_effort: ReasoningEffort | None = None,
        provider: Provider = "mistral",
        first_output_timeout_seconds: float | None = None,
        auto_compact_threshold: int | None = None,
        hooks: Sequence[Hook] = (),
        guardrails: Sequence[Hook] = (),
        subagents: Sequence[Subagent] = (),
        subagent_policy: SubagentPolicy | None = None,
        builtins: Builtins | None = None,
        environment: Environment | None = None,
        skills: Sequence[Any] = (),
        connectors: Sequence[Connector | AllConnectors] = (),
        mcps: Mapping[str, RemoteMCP | StdioMCP] | None = None,
        secrets: Mapping[str, MistralSecret] | None = None,
        limits: UsageLimits | None = None,
    ) -> None:
        checks.check_name("Agent", name)
        owner = f"Agent {name!r}"
        checks.check_model(owner, model)
        checks.check_text(owner, "instructions", instructions)
        checks.check_text(owner, "description", description)
        checks.check_choice(owner, "permission_mode", permission_mode)
        checks.check_instance(owner, "permission_policy", permission_policy, PermissionPolicy, optional=True)
        checks.check_choice(owner, "tool_errors", tool_errors)
        checks.check_count(owner, "max_iterations", max_iterations)
        checks.check_choice(owner, "provider", provider)
        checks.check_temperature(owner, temperature, provider if isinstance(model, str) else "")
        checks.check_choice(owner, "reasoning_effort", reasoning_effort, optional=True)
        checks.check_seconds(owner, "first_output_timeout_seconds", first_output_timeout_seconds)
        checks.check_count(owner, "auto_compact_threshold", auto_compact_threshold)
        builtins = Builtins() if builtins is None else builtins
        environment = NoSandbox() if environment is None else environment
        checks.check_instance(owner, "builtins", builtins, Builtins)
        checks.check_instance(owner, "limits", limits, UsageLimits, optional=True)
        checks.refuse_unbuilt(
            owner,
            {
                "subagents": subagents,
                "subagent_policy": subagent_policy is not None,
                "builtins": not isinstance(builtins.programmatic_tool_calling, bool) or builtins.background_processes,
                "environment": not isinstance(environment, NoSandbox),
                "skills": skills,
                "mcps": mcps,
                "secrets": secrets,
            },
        )
        held: dict[str, Any] = {
            "model": model,
            "name": name,
            "instructions": instructions,
            "description": description,
            "tools": checks.checked_tools(owner, tools),
            "output_type": output_type,
            "permission_mode": permission_mode,
            "permission_policy": permission_policy,
            "tool_errors": tool_errors,
            "max_iterations": max_iterations,
            "temperature": temperature,
            "reasoning_effort": reasoning_effort,
            "provider": provider,
            "first_output_timeout_seconds": first_output_timeout_seconds,
            "auto_compact_threshold": auto_compact_threshold,
            "hooks": checks.checked_hooks(owner, "hooks", hooks),
            "guardrails": checks.checked_hooks(owner, "guardrails", guardrails),
            "subagents": (),
            "subagent_policy": subagent_policy,
            "builtins": builtins,
            "environment": environment,
            "skills": (),
            "connectors": checks.checked_connectors(owner, connectors) if connectors else (),
            "mcps": {},
            "secrets": {},
            "limits": limits,
        }
        for key, value in held.items():
            object.__setattr__(self, key, value)
        checks.check_unique_tools(owner, self.all_tools)
        if permission_policy is not None and permission_policy.rules:
            from mistralai.agents.authoring.policy_checks import check_policy

            check_policy(owner, permission_policy, self.all_tools)
        if output_type is not None:
            _ = self.output

    __init__.__qualname__ = "Agent"  # what Python says of wrong arguments names what was called

    @property
    def all_tools(self) -> tuple[ToolDeclaration, ...]:
        """Its tools and those its guardrails and hooks bring."""
        brought = [tool for hook in (*self.guardrails, *self.hooks) for tool in hook.tools]
        return (*self.tools, *brought)

    @property
    def output(self) -> OutputType[T] | None:
        """How its answers are asked for and read; None for text."""
        if self.output_type is None:
            return None
        from mistralai.agents.authoring.output import output_type_of

        try:
            return cast("OutputType[T]", output_type_of(self.output_type))
        except SdkError as error:
            raise SdkError(f"Agent {self.name!r}: {error}") from error.__cause__

    def __setattr__(self, name: str, value: object) -> Never:
        raise _frozen(self.name, "set", name)

    def __delattr__(self, name: str) -> Never:
        raise _frozen(self.name, "delete", name)

    def __repr__(self) -> str:
        model = self.model if isinstance(self.model, str) else type(self.model).__name__
        return f"{type(self).__name__}(name={self.name!r}, model={model!r})"


def _frozen(agent: str, verb: str, name: str) -> AttributeError:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(f"Cannot {verb} {name!r} of Agent {agent!r}: make another agent instead.")


@record
class SessionAgentCustomization:
    """What one session changes of its agent; None keeps the agent's. Public page: Sessions."""

    model: str | Model | None = None
    """A model's name, or a model object."""
    instructions: str | None = None
    """The system prompt."""
    temperature: float | None = None
    """From 0 to 2."""
    reasoning_effort: ReasoningEffort | None = None
    """How much the model thinks."""
    max_iterations: int | None = None
    """The most model calls in one turn."""

    def __post_init__(self) -> None:
        owner = "SessionAgentCustomization"
        if self.model is not None:
            checks.check_model(owner, self.model)
        checks.check_text(owner, "instructions", self.instructions)
        checks.check_temperature(owner, self.temperature, "")
        checks.check_choice(owner, "reasoning_effort", self.reasoning_effort, optional=True)
        checks.check_count(owner, "max_iterations", self.max_iterations)

    @classmethod
    def of(cls, given: SessionAgentCustomization | Mapping[str, Any] | None) -> SessionAgentCustomization:
        """What `agent=` of `start_session` stands for. Raises SdkError that names the key at fault."""
        if given is None:
            return cls()
        if isinstance(given, SessionAgentCustomization):
            return given
        if not is_object(given):
            raise SdkError(f"agent is {given!r}. Pass a dict or a SessionAgentCustomization.")
        known = ("model", "instructions", "temperature", "reasoning_effort", "max_iterations")
        for key in given:
            if key not in known:
                raise SdkError(f"agent has the key {key!r}. A session may change {', '.join(known)}.")
        return cls(**given)
