"""The limits of a turn: its usage limits, and what the model is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mistralai.agents.core.state import CallState, TurnProgress
    from mistralai.agents.values.usage import UsageLimits

CALL_OVER_LIMIT: Final = "This call did not run: the turn has used up its tool calls."
NO_CALL_LEFT: Final = "The tool calls of this turn are used up, no tool call is left: answer with what you have."
LAST_REPLY_NEXT: Final = "After this reply only one more is possible in this turn: come to an answer."


def described(limits: UsageLimits | None) -> str | None:
    """Return what the system prompt says of the limits; the same for every call, so that its prefix can be cached."""
    if limits is None:
        return None
    parts: list[str] = []
    if limits.model_calls is not None:
        parts.append(f"{limits.model_calls} replies")
    if limits.tool_calls is not None:
        parts.append(f"{limits.tool_calls} tool calls")
    return f"You have at most {' and '.join(parts)} to answer a message." if parts else None


def used_up(turn: TurnProgress, limits: UsageLimits | None) -> bool:
    """Whether the turn may not call its model again."""
    if limits is None:
        return False
    if limits.model_calls is not None and turn.model_calls >= limits.model_calls:
        return True
    if limits.tool_calls is not None and len(turn.calls) > limits.tool_calls:
        return True
    usage = turn.usage
    if usage is None:
        return False
    total = usage.input_tokens + usage.output_tokens
    return any(
        bound is not None and used >= bound
        for used, bound in (
            (usage.input_tokens, limits.input_tokens),
            (usage.output_tokens, limits.output_tokens),
            (total, limits.total_tokens),
        )
    )


def over_limit(turn: TurnProgress, call: CallState, limits: UsageLimits | None) -> bool:
    """Whether a call is past the turn's tool calls: parallel calls do not overshoot."""
    return limits is not None and limits.tool_calls is not None and call.number > limits.tool_calls


def next_note(turn: TurnProgress, limits: UsageLimits | None) -> str | None:
    """Return what the model has to be told before its next call; None if there is nothing it was not told.

    That its calls are used up, and in the last call but one that it must come to an end.
    """
    if limits is None or not turn.model_calls:
        return None
    notes: list[str] = []
    if limits.tool_calls is not None and len(turn.calls) == limits.tool_calls:
        notes.append(NO_CALL_LEFT)
    if limits.model_calls is not None and turn.model_calls == limits.model_calls - 2:
        notes.append(LAST_REPLY_NEXT)
    return next((note for note in notes if note not in turn.told), None)
