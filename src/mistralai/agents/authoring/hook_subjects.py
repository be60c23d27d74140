"""What a hook's points are handed: where they run, and what they may look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.authoring.model import ModelMessage
    from mistralai.agents.values.annotations import ToolAnnotations
    from mistralai.agents.values.json_value import JsonValue
    from mistralai.agents.values.tool_calls import ToolCall
    from mistralai.agents.values.tool_result import ToolResult
    from mistralai.agents.values.usage import TokenUsage


@record
class HookContext:
    """Where a hook runs. Public page: Hooks."""

    session_id: str
    """The session: a subagent's own, where a subagent runs."""
    turn_id: str
    agent_name: str
    """The agent that runs: a subagent's own name, where a subagent runs."""
    root_session_id: str
    """The session at the top of the tree; `session_id` where there are no subagents."""


@record
class AgentTurnRequest:
    """What `pre_agent_turn` sees: the message that starts the turn."""

    user_content: str | tuple[Mapping[str, Any], ...]
    """Text, or content blocks as JSON objects."""

    @property
    def text(self) -> str:
        """The text of the message, without its other blocks."""
        if isinstance(self.user_content, str):
            return self.user_content
        return "\n".join(block["text"] for block in self.user_content if block.get("type") == "text")


@record
class PreLLMCallInvocation:
    """What `pre_llm_call` sees: the call about to be made."""

    model: str
    """The model's name; `""` for a model object without one."""
    instructions: str
    """The system prompt; `""` for none."""
    messages: Sequence[ModelMessage]
    """The history that will be sent, oldest first."""
    tool_names: tuple[str, ...] = ()
    """The tools that are offered, by the names the model sees."""


@record
class PostLLMCallInvocation:
    """What `post_llm_call` sees: the model's reply."""

    model: str
    content: str
    """The reply's text; `""` if it only calls tools."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls it makes, with the model's own names and arguments."""
    usage: TokenUsage | None = None


@record
class ToolCallRequest:
    """What `pre_tool_call` sees: a call whose arguments fit, before it is permitted and run."""

    tool_id: str
    """The full ID, such as `client.open_case`."""
    name: str
    """The name the model calls it by."""
    arguments: JsonValue
    """The arguments, as the model gave them or an earlier hook set them."""
    tool_call_id: str
    annotations: ToolAnnotations
    """The tool's hints."""


@record
class ToolCallResult:
    """What `post_tool_call` sees: a call that ran, and its result."""

    tool_id: str
    name: str
    arguments: JsonValue
    """The arguments it ran with."""
    tool_call_id: str
    tool_result: ToolResult[Any]
    """Its result, its content as JSON objects; `is_error` says whether it failed."""

    @property
    def text(self) -> str:
        """What the model reads of it, without images."""
        from mistralai.agents.authoring.results import model_text

        read = model_text(self.tool_result)
        return read if isinstance(read, str) else "\n".join(block["text"] for block in read if block["type"] == "text")


@record
class AgentTurnResult:
    """What `post_agent_turn` sees: the answer the turn is about to end with."""

    content: str
    """The answer's text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls of the turn, with the model's own names and arguments."""
