"""The port to a language model: what a model object is asked, and what it streams back. No provider lives here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

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
    """The calls it made, in their order."""
    reasoning: tuple[JsonObject, ...] = ()
    """Reasoning blocks as the provider gave them, for providers that need them back."""


class ToolMessage(msgspec.Struct, frozen=True, kw_only=True, tag="tool"):
    """The one result of a tool call."""

    tool_call_id: str
    """The `id` of the call it answers."""
    name: str
    """The name the model used for the call."""
    content: str | list[JsonObject]
    """What the model reads: text, or content blocks as JSON objects."""
    is_error: bool = False
    """True if the call failed and the content says why."""


class SystemMessage(msgspec.Struct, frozen=True, kw_only=True, tag="system"):
    """A system message of an imported history."""

    text: str
    """What it says."""


type ModelMessage = UserMessage | AssistantMessage | ToolMessage | SystemMessage


class ModelTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool the model may call."""

    name: str
    """The name the model calls it by."""
    description: str
    """What it does; `""` if it does not say."""
    input_schema: JsonObject
    """The JSON schema of its arguments, an object."""


class OutputFormat(msgspec.Struct, frozen=True, kw_only=True):
    """The structured output that is asked of the model."""

    name: str
    """A name for the format that providers accept."""
    schema: JsonObject
    """The JSON schema the reply has to fit."""


class ModelRequest(msgspec.Struct, kw_only=True):
    """One call of a model. Messages are extended between the calls of a session, never rewritten but by compaction."""

    model: str
    """The model's name as the agent gives it; `""` for a model object without one."""
    instructions: str
    """The system prompt; `""` if there is none."""
    messages: Sequence[ModelMessage]
    """The history, oldest first, as it is at this call."""
    tools: Sequence[ModelTool] = ()
    """What the model may call."""
    output: OutputFormat | None = None
    """The format of the answer; None for text."""
    temperature: float | None = None
    """From 0 to 2; None leaves it to the provider."""
    reasoning_effort: str | None = None
    """How much the model thinks, as the agent says it; None leaves it to the provider."""
    first_output_timeout_seconds: float | None = None
    """Longest wait for the first chunk; None leaves it to the provider's own bound."""
    max_output_tokens: int | None = None
    """The most tokens of the reply; None leaves it to the provider."""
    session_id: str = ""
    """The session that calls, for logs and traces."""
    turn_id: str = ""
    """The turn that calls."""
    tool_choice: str | None = None
    """None lets the model choose; `"none"` forbids calls (a summary)."""
    on_retry: Callable[[ModelError, float], None] | None = None
    """Called before a call is made again by itself: with the failure, and the seconds it waits. None tells nobody."""
    wire: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    """The session's slot for what a provider has encoded of `messages` so far. Emptied when these are rewritten."""


class TextChunk(msgspec.Struct, frozen=True):
    """A piece of the reply's text, in order."""

    text: str
    """The piece; the pieces joined are the text."""


class ReasoningBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole block of the model's reasoning."""

    text: str
    """What a person may read of it; `""` where the provider keeps it hidden."""
    data: JsonObject
    """The block as the provider gave it, with what it needs to take the block back."""


class ToolCallBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A whole tool call of the reply."""

    call: ModelToolCall
    """The call."""


class ReplyFinished(msgspec.Struct, frozen=True, kw_only=True):
    """The last event of a stream; without it the reply counts as cut off."""

    reason: str
    """`"stop"`, `"tool_calls"`, `"length"` (the output limit), `"content_filter"`, or the provider's own word."""
    usage: TokenUsage | None
    """The tokens of this call; None if the provider did not say, which fails the call."""


type ModelEvent = TextChunk | ReasoningBlock | ToolCallBlock | ReplyFinished


class ModelError(Exception):
    """A model call failed. `code`, `retryable` and `details` become the turn's ProtocolError (page: Turn records)."""

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
