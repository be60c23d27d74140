"""What a hook's points may return. Which point takes which is in hook_points.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.values.content import ContentBlock
    from mistralai.agents.values.json_value import JsonValue
    from mistralai.agents.values.tool_result import ToolResult


@record
class HookDecision:
    """Base of what a hook's points return. Public page: Hooks."""


@record
class Skip(HookDecision):
    """Leave out what comes next: the turn, the model call or the tool call. Made by `agents.skip`."""

    reason: str
    """What the user reads instead of an answer, or the model instead of a result."""


@record
class Retry(HookDecision):
    """Ask the model for another reply. Made by `agents.retry`."""

    feedback: str
    """What the model reads about the reply that is dropped."""


@record
class Reject(HookDecision):
    """End the turn without this reply. Made by `agents.reject`."""

    reason: str
    """What the user reads instead of it."""


@record
class PreAgentTurnHookContinue(HookDecision):
    """Go on with the turn."""

    user_content: str | Sequence[ContentBlock | Mapping[str, Any]] | None = None
    """What the model reads as the user's message; None leaves it as it is."""


@record
class PreLLMCallHookContinue(HookDecision):
    """Go on with the model call."""


@record
class PostLLMCallHookAccept(HookDecision):
    """Take the model's reply."""

    content: str | None = None
    """The text to take in its place; None leaves it as it is."""


@record
class PreToolCallHookContinue(HookDecision):
    """Go on with the tool call."""

    effective_arguments: Mapping[str, JsonValue] | None = None
    """The arguments to run it with; None leaves them as they are."""


@record
class PostToolCallHookContinue(HookDecision):
    """Go on with the tool's result."""

    tool_result: ToolResult[Any] | None = None
    """The result to take in its place; None leaves it as it is."""


@record
class PostAgentTurnHookAccept(HookDecision):
    """Take the turn's answer."""

    content: str | None = None
    """The text to answer in its place; None leaves it as it is."""


def skip(reason: str) -> Skip:
    """Leave out the turn, model call or tool call that a `pre_` point stands before."""
    return Skip(reason=_text("skip", "reason", reason))


def retry(feedback: str) -> Retry:
    """From `post_llm_call`: drop the reply and ask the model for another."""
    return Retry(feedback=_text("retry", "feedback", feedback))


def reject(reason: str) -> Reject:
    """From `post_llm_call`: end the turn without the reply."""
    return Reject(reason=_text("reject", "reason", reason))


def _text(function: str, argument: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    raise SdkError(f"agents.{function}: {argument} is {value!r}. Pass a string.")
