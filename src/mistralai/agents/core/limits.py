"""The limits of a turn: its usage limits, and what the model is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mistralai.agents.core.facts import UsageData
    from mistralai.agents.core.state import CallState, TurnProgress
    from mistralai.agents.values.usage import UsageLimits

CALL_OVER_LIMIT: Final = "This call did not run: the turn has used up its tool calls."
NO_CALL_LEFT: Final = "The tool calls of this turn are used up, no tool call is left: answer with what you have."
TOKENS_NEARLY_UP: Final = (
    "The tokens of this turn are nearly used up, and at most about one more reply is possible: come to an answer."
)
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
    return usage is not None and _reach(usage.input_tokens, usage.output_tokens, limits)


def _reach(read: int, written: int, limits: UsageLimits) -> bool:
    return any(
        bound is not None and used >= bound
        for used, bound in (
            (read, limits.input_tokens),
            (written, limits.output_tokens),
            (read + written, limits.total_tokens),
        )
    )


def _nearly_up(usage: UsageData, limits: UsageLimits, context_tokens: int, calls: int) -> bool:
    """Whether two more calls would reach a bound."""
    return _reach(
        usage.input_tokens + 2 * context_tokens, usage.output_tokens + 2 * usage.output_tokens // calls, limits
    )


def over_limit(turn: TurnProgress, call: CallState, limits: UsageLimits | None) -> bool:
    """Whether a call is past the turn's tool calls: parallel calls do not overshoot."""
    return limits is not None and limits.tool_calls is not None and call.number > limits.tool_calls


def next_note(turn: TurnProgress, limits: UsageLimits | None, context_tokens: int) -> str | None:
    """Return what the model has to be told before its next call; None if there is nothing it was not told.

    That its calls are used up, and in the last call but one that it must come to an end. Which one that is by tokens
    can only be guessed: a call reads at least `context_tokens`, the last one and its reply, and writes what they did.
    """
    if limits is None or not turn.model_calls:
        return None
    notes: list[str] = []
    if limits.tool_calls is not None and len(turn.calls) == limits.tool_calls:
        notes.append(NO_CALL_LEFT)
    if limits.model_calls is not None and turn.model_calls == limits.model_calls - 2:
        notes.append(LAST_REPLY_NEXT)
    if turn.usage is not None and _nearly_up(turn.usage, limits, context_tokens, turn.model_calls):
        notes.append(TOKENS_NEARLY_UP)
    return next((note for note in notes if note not in turn.told), None)
