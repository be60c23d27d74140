"""A session's state: what its log comes to. Only the fold changes it; everybody else reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelMessage
    from mistralai.agents.core.facts import (
        CallbackOpened,
        CallbackSettled,
        CallEnded,
        Content,
        Json,
        RequestedCall,
        SessionEnded,
        SessionStarted,
        TurnEnded,
        UsageData,
    )

REQUESTED: Final = "requested"
"""Neither hooks nor the gate have seen the call."""
PREPARED: Final = "prepared"
"""Hooks have seen it."""
WAITING: Final = "waiting"
"""A callback of it is open."""
ANSWERED: Final = "answered"
"""A client has answered it, and hooks have yet to see the answer."""
APPROVED: Final = "approved"
"""It may run, with the arguments it has."""
STARTED: Final = "started"
"""Its tool was started: its effect may have happened."""
ENDED: Final = "ended"


class CallState:
    """A tool call of a turn."""

    __slots__ = ("answer", "arguments", "call", "ended", "number", "phase", "repeatable", "started", "turn_id")

    def __init__(self, call: RequestedCall, turn_id: str, number: int) -> None:
        self.call: RequestedCall = call
        self.turn_id: str = turn_id
        self.number: int = number
        """Its place among the calls of its turn, from 1."""
        self.answer: dict[str, Json] | None = None
        """What a client answered, until it is the result."""
        self.arguments: Json = call.arguments
        """What runs, or ran: the model's, or those a hook or a person put in their place."""
        self.phase: str = REQUESTED
        self.started: bool = False
        self.repeatable: bool = False
        self.ended: CallEnded | None = None
        """Its result, until it is in the history."""


class CallbackState:
    """A question of a turn."""

    __slots__ = ("opened", "position", "settled")

    def __init__(self, opened: CallbackOpened, position: int) -> None:
        self.opened: CallbackOpened = opened
        self.position: int = position
        """The log's position at which it opened."""
        self.settled: CallbackSettled | None = None


class TurnProgress:
    """A turn, running or over. What only a running turn needs is dropped at its end."""

    __slots__ = (
        "answered",
        "calls",
        "compacted",
        "content",
        "drawn",
        "end",
        "end_position",
        "entry_id",
        "fatal",
        "finish",
        "interrupting",
        "model_calls",
        "open_callbacks",
        "open_calls",
        "prepared",
        "prompt_index",
        "shortened",
        "start_position",
        "text",
        "told",
        "too_large",
        "tool_calls",
        "turn_id",
        "unended",
        "usage",
    )

    def __init__(self, turn_id: str, content: Content, entry_id: str, position: int, prompt_index: int) -> None:
        self.turn_id: str = turn_id
        self.content: Content = content
        self.entry_id: str = entry_id
        self.start_position: int = position
        self.prompt_index: int = prompt_index
        """Where the turn's messages begin in the history."""
        self.calls: list[CallState] = []
        """Every call of the turn, in the order of the log."""
        self.open_calls: dict[str, CallState] = {}
        """The calls of the last reply, until all of them have a result."""
        self.unended: int = 0
        """How many of them have none."""
        self.open_callbacks: dict[str, CallbackState] = {}
        self.prepared: bool = False
        self.answered: bool = False
        """Whether the last reply is the answer: it calls nothing and has seen every message."""
        self.finish: str = ""
        """Why the last reply finished."""
        self.model_calls: int = 0
        self.tool_calls: int = 0
        self.shortened: int = 0
        """How many times a shorter reply was asked for in a row."""
        self.text: str | None = None
        self.usage: UsageData | None = None
        self.too_large: bool = False
        """Whether the provider refused the history as too large, and it was not compacted since."""
        self.compacted: bool = False
        """Whether the history was compacted and no reply came since."""
        self.told: set[str] = set()
        """What the runtime told the model of its limits."""
        self.drawn: dict[str, Json] = {}
        """The values that hooks drew."""
        self.fatal: CallEnded | None = None
        self.interrupting: str | None = None
        self.end: TurnEnded | None = None
        self.end_position: int = -1


class SessionState:
    """What the log of one session comes to at `next_position`."""

    __slots__ = (
        "active",
        "call_ids",
        "callbacks",
        "context_length",
        "context_tokens",
        "ended",
        "generation",
        "grants",
        "history",
        "hook_states",
        "keys",
        "last_at",
        "last_event",
        "next_position",
        "notes",
        "pending",
        "started",
        "turns",
        "usage",
    )

    def __init__(self) -> None:
        self.started: SessionStarted | None = None
        self.ended: SessionEnded | None = None
        self.turns: dict[str, TurnProgress] = {}
        self.active: TurnProgress | None = None
        self.callbacks: dict[str, CallbackState] = {}
        self.history: list[ModelMessage] = []
        """What the model is sent."""
        self.pending: list[ModelMessage] = []
        """Messages that came while calls were open: they follow the results."""
        self.generation: int = 0
        """Counts the times the history was rewritten, not just extended."""
        self.call_ids: set[str] = set()
        self.keys: dict[str, tuple[str, Content, bool]] = {}
        """Idempotency key -> the turn it named, the message, and whether it started the turn."""
        self.grants: set[tuple[str, str]] = set()
        """Tool id and canonical arguments that a person allowed for the rest of the session."""
        self.notes: list[str] = []
        """What the system prompt adds to the agent's instructions."""
        self.hook_states: dict[str, Any] = {}
        self.usage: UsageData | None = None
        self.context_tokens: int = 0
        """Tokens of the last model call, input and output; 0 after the history was cut."""
        self.context_length: int = 0
        """How many messages of the history those tokens are about."""
        self.next_position: int = 0
        self.last_event: tuple[int, int] = (0, 0)
        """Position and place within its fact of the last event a reader can get."""
        self.last_at: float = 0.0

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.started.session_id if self.started else ""

    @property
    def status(self) -> str:
        """`"running"`, `"waiting"` or `"terminated"`."""
        if self.ended:
            return "terminated"
        return "running" if self.active and not self.active.open_callbacks else "waiting"

    @property
    def ending(self) -> bool:
        """Whether the session is over, or is being cancelled."""
        return self.ended is not None or (self.active is not None and self.active.interrupting == "cancelled")

    def turn(self, turn_id: str) -> TurnProgress:
        """Return a turn that the log has accepted."""
        return self.turns[turn_id]
