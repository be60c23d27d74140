"""The words for what happens in a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.clean import one_row, shown_json
from mistralai.agents.values.entries import ToolCallEntry, ToolResultEntry
from mistralai.agents.values.turn_states import Completed, Interrupted, InvalidOutput, UnknownOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Notice
    from mistralai.agents.values.protocol_error import ProtocolError
    from mistralai.agents.values.turn_states import TurnState
    from mistralai.agents.values.usage import TokenUsage

_EARLY = {
    "iteration_limit": "it made as many model calls as its max_iterations allows",
    "output_limit": "the model's output limit cut every try",
    "usage_limit": "it used what its limits allow",
    "skipped": "a hook skipped it",
}

_LONGEST_VALUE = 40

_REFUSED = {"rejected", "denied"}


def called(entry: ToolCallEntry) -> str:
    """Say that a tool is called."""
    return f"  → {one_row(entry.name)} {shown_json(entry.arguments)}"


def which(call: ToolCallEntry, same_tool: Iterable[ToolCallEntry]) -> str:
    """Name a call: its tool, and of its arguments those that other calls of the tool do not share."""
    own = call.arguments
    others = [other.arguments for other in same_tool if other.tool_call_id != call.tool_call_id]
    if not isinstance(own, dict):
        shown = shown_json(own) if any(other != own for other in others) else ""
        return f"{one_row(call.name)} {_short(shown)}".rstrip()
    differ = {
        name: value
        for name, value in own.items()
        if any(not isinstance(other, dict) or name not in other or other[name] != value for other in others)
    }
    return " ".join(
        [one_row(call.name), *(f"{one_row(name)}={_short(shown_json(value))}" for name, value in differ.items())]
    )


def came_back(call: str, entry: ToolResultEntry, seconds: float) -> str:
    """Say what came of a call, and how long it took."""
    if entry.error is None:
        return f"  ← {call} done ({seconds:.1f} s)"
    if was_refused(entry):
        return f"  ← {call} refused: {one_row(entry.error.message)}"
    return f"  ← {call} failed ({seconds:.1f} s): {one_row(entry.error.message)}"


def was_refused(entry: ToolResultEntry) -> bool:
    """Whether a call did not run because a person or the policy said no."""
    return entry.error is not None and entry.error.code in _REFUSED


def _short(shown: str) -> str:
    """A value with its middle left out where it is long: what tells two apart is often at the end."""
    return shown if len(shown) <= _LONGEST_VALUE else f"{shown[: _LONGEST_VALUE // 3]}…{shown[-_LONGEST_VALUE // 2 :]}"


def failure(error: ProtocolError) -> str:
    """Say what failed, with its code and what to do."""
    said = one_row(error.message)
    code = f" [{error.code}]" if error.code else ""
    again = " Send it again to try once more." if error.retryable and "again" not in said.lower() else ""
    return f"{said}{code}{again}"


def noticed(notice: Notice) -> str:
    """Say what the runtime has to say, with how bad it is where somebody may have to do something about it."""
    plain = notice.level == "info" or is_retry(notice)
    return one_row(notice.message if plain else f"{notice.level}: {notice.message}")


def is_retry(notice: Notice) -> bool:
    """Whether it says that a model call is made again, which may come several times."""
    return notice.details.get("status") == "retrying"


def ended_early(state: TurnState[Any]) -> str | None:
    """Say why a turn stopped before it was done; None if it was done, or failed."""
    match state:
        case Completed(stop_reason=str(reason)):
            return f"The turn ended early: {_EARLY.get(reason, reason)}."
        case Completed(output=InvalidOutput(error=error)):
            return f"The answer does not fit the agent's output type: {one_row(error)}"
        case Interrupted(cause="interrupted"):
            return "Interrupted. The session goes on with your next message."
        case Interrupted(cause=cause):
            return f"Stopped: {cause}."
        case UnknownOutcome(outcome=outcome):
            return f"The turn ended as {outcome!r}, which this version does not know."
        case _:
            return None


def succeeded(state: TurnState[Any] | None) -> bool:
    """Whether a command that asked for this turn did what it was asked."""
    return isinstance(state, Completed)


def expires_in(at: datetime, now: datetime) -> str:
    """Say how long a question stays open."""
    return f"expires in {_span(at, now)}" if at > now else "expired"


def time_left(at: datetime, now: datetime) -> str:
    """Say the same in fewer words."""
    return f"{_span(at, now)} left" if at > now else "expired"


def _span(until: datetime, since: datetime) -> str:
    seconds = (until - since).total_seconds()
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 1.5 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def spent(usage: TokenUsage, seconds: float | None = None) -> str:
    """Say what model calls used, and how long it took."""
    cached = f", {usage.cached_input_tokens:,} cached" if usage.cached_input_tokens else ""
    tokens = f"{usage.total_tokens:,} tokens ({usage.input_tokens:,} in{cached}, {usage.output_tokens:,} out)"
    return tokens if seconds is None else f"{tokens} · {seconds:.1f} s"


def raised_by(entries: Sequence[Entry], error: BaseException) -> str | None:
    """Return the tool of the latest call that failed with such an error; None where none did."""
    kind = type(error).__name__
    for entry in reversed(entries):
        if isinstance(entry, ToolResultEntry) and entry.error is not None and kind in entry.error.message:
            called = (call for call in entries if isinstance(call, ToolCallEntry))
            return next((call.name for call in called if call.tool_call_id == entry.tool_call_id), None)
    return None
