"""The port to a language model: what a model object is asked, and what it streams back. No provider lives here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mistralai.agents.values.usage import TokenUsage

type JsonObject = dict[str, Any]


class ModelToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call in a reply of the model. Public page: Models."""

    id: str
    """The provider's id of the call, unique within its reply."""
    name: str
    """The name the model used, without a namespace: `open_case`."""
    arguments: str
    """The arguments as the model wrote them: JSON text, or text that does not parse."""


class UserMessage(msgspec.Struct, frozen=True, kw_only=True, tag="user"):
    """What the user said, verbatim."""

    content: str | list[JsonObject]
    """Text, or content blocks as JSON objects (`{"type": "text", "text": ...}`, `{"type": "image", "uri": ...}`)."""
    context: str | None = None
    """None for the user's own words; for a message of the runtime its kind, such as `"summary"`."""


class AssistantMessage(msgspec.Struct, frozen=True, kw_only=True, tag="assistant"):
    """What the model said."""

    text: str = ""
    """The reply's text; `""` if it only called tools."""
    tool_calls: tuple[ModelToolCall, ...] = ()
    reasoning: tuple[JsonObject, ...] = ()
    """Reasoning blocks as the provider gave them, for providers that need them back."""


class ToolMessage(msgspec.Struct, frozen=True, kw_only=True, tag="tool"):
    """The one result of a tool call."""

    tool_call_id: str
    name: str
    content: str | list[JsonObject]
    """What the model reads: text, or content blocks as JSON objects."""
    is_error: bool = False


class SystemMessage(msgspec.Struct, frozen=True, kw_only=True, tag="system"):
    """A system message of an imported history."""

    text: str


type ModelMessage = UserMessage | AssistantMessage | ToolMessage | SystemMessage


class ModelTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool the model may call."""

    name: str
    description: str
    input_schema: JsonObject


class OutputFormat(msgspec.Struct, frozen=True, kw_only=True):
    """The structured output that is asked of the model."""

    name: str
    schema: JsonObject


class ModelRequest(msgspec.Struct, kw_only=True):
    """One call of a model. Messages are extended between the calls of a session, never rewritten but by compaction."""

    model: str
    """The model's name as the agent gives it; `""` for a model object without one."""
    instructions: str
    """The system prompt; `""` if there is none."""
    messages: Sequence[ModelMessage]
    """The history, oldest first. Read it during the call only: it grows afterwards."""
    tools: Sequence[ModelTool] = ()
    output: OutputFormat | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    first_output_timeout_seconds: float | None = None
    """Longest wait for the first chunk; None leaves it to the provider's own bound."""
    max_output_tokens: int | None = None
    session_id: str = ""
    turn_id: str = ""
    tool_choice: str | None = None
    """None lets the model choose; `"none"` forbids calls (a summary)."""
    wire: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """The session's slot for what a provider has encoded of `messages` so far. Emptied when the history is rewritten."""


class TextChunk(msgspec.Struct, frozen=True):
    """A piece of the reply's text, in order."""

    text: str


class ReasoningBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole block of the model's reasoning."""

    text: str
    data: JsonObject
    """The block as the provider gave it, with what it needs to take the block back."""


class ToolCallBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole tool call of the reply."""

    call: ModelToolCall


class ReplyFinished(msgspec.Struct, frozen=True, kw_only=True):
    """The last event of a stream; without it the reply counts as cut off."""

    reason: str
    """`"stop"`, `"tool_calls"`, `"length"` (the output limit), `"content_filter"`, or the provider's own word."""
    usage: TokenUsage | None
    """The tokens of this call; None if the provider did not say, which fails the call."""


type ModelEvent = TextChunk | ReasoningBlock | ToolCallBlock | ReplyFinished


class ModelError(Exception):
    """A model call failed. `code`, `retryable` and `details` become the ProtocolError of the turn (page: Turn records)."""

    def __init__(self, message: str, *, code: str, retryable: bool = False, details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable
        self.details = details


class Model(Protocol):
    """A language model. Raise ModelError for a call that fails; any other exception fails the turn permanently."""

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Call the model and yield its reply as it comes, ReplyFinished last. Closing the iterator cancels the call."""
        ...
