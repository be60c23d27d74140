"""The limits of a turn: its usage limits, and what the model is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mistralai.agents.core.state import CallState, TurnProgress
    from mistralai.agents.values.usage import UsageLimits

CALL_OVER_LIMIT: Final = "This call did not run: the turn has used up its tool calls. Answer with what you have."
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


def warns(turn: TurnProgress, limits: UsageLimits | None) -> bool:
    """Whether the next call of the model is the last but one, and it has not been told."""
    if limits is None or limits.model_calls is None or turn.warned:
        return False
    return turn.model_calls > 0 and turn.model_calls == limits.model_calls - 2
