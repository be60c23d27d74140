"""`Hook`: code that runs at set points of a turn. Its fields are its state; this module is also `agents.hook`."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mistralai.agents.authoring.declaration import ToolDeclaration
from mistralai.agents.authoring.hook_decisions import (
    HookDecision,
    PostAgentTurnHookAccept,
    PostLLMCallHookAccept,
    PostToolCallHookContinue,
    PreAgentTurnHookContinue,
    PreLLMCallHookContinue,
    PreToolCallHookContinue,
    Reject,
    Retry,
    Skip,
    reject,
    retry,
    skip,
)
from mistralai.agents.authoring.hook_points import Point, points_of
from mistralai.agents.authoring.hook_subjects import (
    AgentTurnRequest,
    AgentTurnResult,
    HookContext,
    PostLLMCallInvocation,
    PreLLMCallInvocation,
    ToolCallRequest,
    ToolCallResult,
)
from mistralai.agents.authoring.signature import caller

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.values.json_value import JsonValue

__all__ = [
    "AgentTurnRequest",
    "AgentTurnResult",
    "Hook",
    "HookContext",
    "HookDecision",
    "PostAgentTurnHookAccept",
    "PostLLMCallHookAccept",
    "PostLLMCallInvocation",
    "PostToolCallHookContinue",
    "PreAgentTurnHookContinue",
    "PreLLMCallHookContinue",
    "PreLLMCallInvocation",
    "PreToolCallHookContinue",
    "Reject",
    "Retry",
    "Skip",
    "ToolCallRequest",
    "ToolCallResult",
    "reject",
    "retry",
    "skip",
]


class Hook(BaseModel):
    """Code that runs at set points of every turn, of subagents too. Subclass it and override points.

    Its fields are its state: each session has its own, which starts as the hook was given to the agent and is saved
    as JSON after each point. A field declared with `Field(exclude=True)`, and a private attribute, is shared and not
    saved. A point returns None to let things be, or one of its decisions. An override may take session inputs after
    its two arguments: `org: Annotated[Org, agents.Depends()]`. Public page: Hooks.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        arbitrary_types_allowed=True, extra="forbid", validate_assignment=False
    )

    tools: tuple[Any, ...] = Field(default=(), exclude=True, repr=False)
    """Tools that the hook brings to its agent."""

    _points: ClassVar[dict[str, Point]] = {}

    if not TYPE_CHECKING:

        @classmethod
        def __pydantic_init_subclass__(cls, **options: Any) -> None:
            super().__pydantic_init_subclass__(**options)
            cls._points = points_of(cls, Hook, caller(2))

    @field_validator("tools", mode="before")
    @classmethod
    def _are_tools(cls, given: Any) -> Any:
        for one in cast("tuple[Any, ...]", given):
            if not isinstance(one, ToolDeclaration):
                raise ValueError(f"{one!r} is not a tool: decorate the function with @agents.tool")
            one.check_declared()
        return given

    async def pre_agent_turn(
        self, ctx: HookContext, request: AgentTurnRequest, /, *inputs: Any, **named: Any
    ) -> PreAgentTurnHookContinue | Skip | None:
        """Before a turn's first model call. A skip answers with its reason and calls no model."""
        return None

    async def pre_llm_call(
        self, ctx: HookContext, invocation: PreLLMCallInvocation, /, *inputs: Any, **named: Any
    ) -> PreLLMCallHookContinue | Skip | None:
        """Before each model call. A skip ends the turn."""
        return None

    async def post_llm_call(
        self, ctx: HookContext, invocation: PostLLMCallInvocation, /, *inputs: Any, **named: Any
    ) -> PostLLMCallHookAccept | Retry | Reject | None:
        """After each reply, before its tools run."""
        return None

    async def pre_tool_call(
        self, ctx: HookContext, call: ToolCallRequest, /, *inputs: Any, **named: Any
    ) -> PreToolCallHookContinue | Skip | None:
        """Before each tool call, and before anybody is asked to approve it. A skip's reason is the result."""
        return None

    async def post_tool_call(
        self, ctx: HookContext, result: ToolCallResult, /, *inputs: Any, **named: Any
    ) -> PostToolCallHookContinue | None:
        """After each tool call."""
        return None

    async def post_agent_turn(
        self, ctx: HookContext, result: AgentTurnResult, /, *inputs: Any, **named: Any
    ) -> PostAgentTurnHookAccept | None:
        """Before a turn ends with an answer."""
        return None

    @classmethod
    def points(cls) -> Mapping[str, Point]:
        """The points this class overrides, by name. The others need not be called."""
        return cls._points

    def dump_state(self) -> dict[str, JsonValue]:
        """The state as JSON: every field but `tools` and those that are excluded."""
        return self.model_dump(mode="json", by_alias=True, round_trip=True)

    def with_state(self, state: Mapping[str, JsonValue] | None) -> Self:
        """A hook for one session: this one, with a saved state. None gives a fresh one with this hook's own values.

        Fields that the saved state lacks start from this hook's values; what it has beside them is passed over.
        Raises pydantic's ValidationError for a saved value that a field no longer takes.
        """
        made: Any = self.model_copy()
        kept = {name: getattr(self, name) for name, field in type(self).model_fields.items() if field.exclude}
        own = {name: copy.deepcopy(value) for name, value in self.__dict__.items() if name not in kept}
        made.__dict__.update(own)
        if state:
            names = {field.alias or name: name for name, field in type(self).model_fields.items()}
            for key, value in state.items():
                if (name := names.get(key)) is not None and name not in kept:
                    type(self).__pydantic_validator__.validate_assignment(made, name, value)
        mine: Self = made
        return mine
