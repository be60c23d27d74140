"""The six records of a turn's state at a position of the log, and the record of an output that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from .record import fresh, record

if TYPE_CHECKING:
    from .callbacks import OpenCallback
    from .json_value import JsonValue
    from .protocol_error import ProtocolError
    from .tool_calls import ToolCall

T_co = TypeVar("T_co", covariant=True)
"""Its variance is said: from Python 3.13 on pyright sees a `__replace__` in each record, and would infer invariance."""


@record
class Running:
    """The turn is at work and needs nothing from you. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read."""
    text: str | None
    """The assistant's latest text in this turn; None before the first."""


@record
class Blocked:
    """The turn waits for an answer. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read, at or after the opening of each callback."""
    text: str | None
    """The assistant's latest text in this turn; None before the first."""
    callbacks: tuple[OpenCallback, ...]
    """What the turn and its subagents wait for."""


@record
class Completed(Generic[T_co]):  # noqa: UP046 - a type parameter's variance can only be inferred
    """The turn ended with a result, early if `stop_reason` says so. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read."""
    text: str | None
    """The assistant's last text in this turn; None if it wrote none."""
    output: T_co | InvalidOutput | None
    """The text; with an output type, the parsed value, `InvalidOutput` if unfit, None if the turn ended early."""
    stop_reason: str | None = None
    """Why it ended early, such as `"iteration_limit"`, `"skipped"` or `"output_limit"`; None if it did not."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The turn's own calls, in the order of the history; those of subagents are not among them."""


@record
class Interrupted:
    """The turn stopped before it ended. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read."""
    text: str | None
    """What the model had written when the turn stopped; None if nothing."""
    cause: str
    """`"interrupted"` (a client stopped the turn), `"cancelled"` (its session ended), a limit's name, or newer."""


@record
class Failed:
    """The turn ended with an error. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read."""
    text: str | None
    """The assistant's latest text before the failure; None if there is none."""
    error: ProtocolError
    """What failed."""


@record
class UnknownOutcome:
    """The turn ended in a way that this version of the SDK does not know. Public page: Turn records."""

    session_id: str
    """The turn's session."""
    turn_id: str
    """The turn."""
    cursor: str
    """Position in the session's log at which the record was read."""
    text: str | None
    """The assistant's latest text in this turn; None if there is none."""
    outcome: str
    """The name of the outcome."""
    raw: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """The rest of what was reported, as it came."""


@record
class InvalidOutput:
    """An output that does not fit the type asked for. Public page: Turn records."""

    raw: JsonValue
    """The turn's text."""
    error: str
    """Why it does not fit."""


type TurnState[T] = Running | Blocked | Completed[T] | Interrupted | Failed | UnknownOutcome
"""A turn's state at a position of its session's log."""
