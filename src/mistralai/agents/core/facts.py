"""What a session's log holds: facts, one class a kind of thing that happened. Events are built from them elsewhere."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

type Json = Any
"""JSON data, as decoded: dict, list, str, int, float, bool, None."""
type Content = str | list[dict[str, Json]]
"""A message's content: text, or content blocks as JSON objects."""


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="fact", omit_defaults=True, gc=False):
    """One thing that happened, never changed afterwards. Its position in the log is its index there."""

    at: float
    """Seconds since 1970, never earlier than the fact before it."""

    on_turn: ClassVar[bool] = True
    """Whether the fact belongs to a turn (it then has a `turn_id`)."""

    def width(self) -> int:
        """Return how many events readers get of this fact."""
        return 0


class ErrorData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What a ProtocolError is built from."""

    message: str
    code: str | None = None
    retryable: bool = False
    details: dict[str, Json] | None = None


class UsageData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The tokens of one model call; what a TokenUsage is built from."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: UsageData) -> UsageData:
        return UsageData(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )


class SessionStarted(Fact, frozen=True, kw_only=True, tag="session_started"):
    """The first fact of every log."""

    on_turn: ClassVar[bool] = False
    session_id: str
    agent_name: str
    customization: dict[str, Json] = {}
    """The settings of the agent that this session overrides."""
    inputs: dict[str, Json] = {}
    """Session inputs by input id."""
    history: tuple[ImportedEntry, ...] = ()
    key: str | None = None
    ends_with_turn: bool = False
    """The session ends when its first turn does: `agent.run` outside a block."""

    def width(self) -> int:
        return 2 * len(self.history)


class ImportedEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An entry of the history a session was started with; `data` is the import entry as JSON, in snake case."""

    entry_id: str
    data: dict[str, Json]


class NoticeGiven(Fact, frozen=True, kw_only=True, tag="notice"):
    """Something a person should know of the session as a whole."""

    on_turn: ClassVar[bool] = False
    message: str
    level: str = "warning"
    details: dict[str, Json] = {}
    told: str | None = None
    """What the model is told of it in the system prompt; None for nothing."""

    def width(self) -> int:
        return 1


class TurnAccepted(Fact, frozen=True, kw_only=True, tag="turn_accepted"):
    """A message started a turn."""

    turn_id: str
    entry_id: str
    content: Content
    key: str | None = None

    def width(self) -> int:
        return 4  # SessionUpdated, TurnStarted, EntryAdded, EntryCompleted


class MessageAdded(Fact, frozen=True, kw_only=True, tag="message_added"):
    """A message was added to the running turn."""

    turn_id: str
    entry_id: str
    content: Content
    key: str | None = None

    def width(self) -> int:
        return 2


class TurnPrepared(Fact, frozen=True, kw_only=True, tag="turn_prepared"):
    """The hooks before the turn have run; `content` replaces what the model reads of the message, None keeps it."""

    turn_id: str
    content: Content | None = None


class ModelTold(Fact, frozen=True, kw_only=True, tag="model_told"):
    """The runtime told the model something, after the last tool result."""

    turn_id: str
    text: str


class CompactionNeeded(Fact, frozen=True, kw_only=True, tag="compaction_needed"):
    """The provider refused the history as too large."""

    turn_id: str


class ReplyOpened(Fact, frozen=True, kw_only=True, tag="reply_opened"):
    """The first text of a reply arrived."""

    turn_id: str
    entry_id: str

    def width(self) -> int:
        return 1


class RequestedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A tool call of a reply. `problem` says why it cannot run; None if it may."""

    call_id: str
    name: str
    tool_id: str
    arguments: Json
    """Decoded, or the raw text where it is no JSON."""
    raw: str
    """The arguments as the model wrote them, for the wire."""
    entry_id: str
    problem: str | None = None


class Reasoning(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A block of the model's reasoning, as its provider gave it."""

    entry_id: str
    text: str
    data: dict[str, Json] = {}


class ReplyEnded(Fact, frozen=True, kw_only=True, tag="reply_ended"):
    """A reply of the model is complete, or was given up with what had come of it."""

    turn_id: str
    entry_id: str
    """The entry of its text; `""` if it has none."""
    opened: bool
    """Whether a ReplyOpened came before."""
    text: str
    calls: tuple[RequestedCall, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    finish: str = "stop"
    """The model's reason to finish, or `"interrupted"`, `"failed"`, `"crashed"`, `"dropped"` where it did not;
    `"unused"` for a summary that could not be used."""
    seen: int = -1
    """How many messages of the history the model had read; -1 for all there are."""
    usage: UsageData | None = None
    feedback: str | None = None
    """What a hook answered to a dropped reply: the model reads it next."""

    def width(self) -> int:
        text = (1 if self.opened else 2) if self.entry_id else 0
        return text + 2 * len(self.reasoning) + 2 * len(self.calls) + (self.usage is not None)


class CallPrepared(Fact, frozen=True, kw_only=True, tag="call_prepared"):
    """Hooks have seen the call; `arguments` are what runs where `rewritten`."""

    turn_id: str
    call_id: str
    arguments: Json = None
    rewritten: bool = False


class CallbackOpened(Fact, frozen=True, kw_only=True, tag="callback_opened"):
    """The turn asks a question and waits."""

    turn_id: str
    callback_id: str
    kind: str
    """`"approval"`, `"client_tool"` or `"sign_in"`."""
    expires_at: float
    first: bool
    """Whether no other callback of the turn was open: the turn becomes blocked."""
    call_id: str = ""
    tool: ToolCard | None = None
    arguments: Json = None
    title: str | None = None
    deferred: bool = False
    """Whether hooks see the answer before it becomes the call's result."""
    requests: tuple[dict[str, Json], ...] = ()
    """The sources of a sign-in."""

    def width(self) -> int:
        return 3 if self.first else 1


class ToolCard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What a person is shown of a tool. One object serves all sessions of an agent."""

    id: str
    name: str
    description: str = ""
    annotations: dict[str, Json] = {}
    input_schema: dict[str, Json] = {}


class CallbackSettled(Fact, frozen=True, kw_only=True, tag="callback_settled"):
    """A callback is no longer open."""

    turn_id: str
    callback_id: str
    reason: str
    """`"answered"`, `"expired"` or `"turn_ended"`."""
    last: bool
    """Whether the turn goes on with no callback open."""
    answer: dict[str, Json] | None = None

    def width(self) -> int:
        return 3 if self.last else 1


class CallStarted(Fact, frozen=True, kw_only=True, tag="call_started"):
    """A tool is about to run: from here on its effect may have happened."""

    turn_id: str
    call_id: str
    repeatable: bool = False
    """Whether it may run again after a crash: the tool is `idempotent=True` or only reads."""


class CallResumed(Fact, frozen=True, kw_only=True, tag="call_resumed"):
    """The process stopped while the tool ran, and it runs again: it may be repeated."""

    turn_id: str
    call_id: str


class CallEnded(Fact, frozen=True, kw_only=True, tag="call_ended"):
    """The one result of a call."""

    turn_id: str
    call_id: str
    entry_id: str
    kind: str = "ok"
    """`"ok"`, or why it failed: `"tool_error"`, `"raised"`, `"timed_out"`, `"denied"`, `"rejected"`, `"expired"`,
    `"skipped"`, `"invalid"`, `"output_mismatch"`, `"limit"`, `"interrupted"`, `"unknown_outcome"`."""
    content: Content | None = None
    structured: Json = None
    metadata: dict[str, Json] | None = None
    error: ErrorData | None = None
    fatal: ErrorData | None = None
    """The error that fails the turn, where the agent's tool errors do."""

    def width(self) -> int:
        return 2


class HistoryCompacted(Fact, frozen=True, kw_only=True, tag="history_compacted"):
    """The model's summary stands for the older part of the history."""

    turn_id: str
    entry_id: str
    summary: str
    replaced: int
    """How many messages, from the oldest, the summary replaces."""
    prompt_kept: bool = False
    """Whether the message that started the turn is among them, and follows the summary as it was."""
    usage: UsageData
    """What the summary took."""

    def width(self) -> int:
        return 3


class HookStateSaved(Fact, frozen=True, kw_only=True, tag="hook_state_saved"):
    """The fields of the hooks whose state changed, by the hook's place in the agent."""

    on_turn: ClassVar[bool] = False
    states: dict[str, Json]


class ValueRecorded(Fact, frozen=True, kw_only=True, tag="value_recorded"):
    """A value that a hook drew: `agents.now()`, `agents.random()`, `agents.uuid4()`."""

    turn_id: str
    name: str
    value: Json


class InterruptRequested(Fact, frozen=True, kw_only=True, tag="interrupt_requested"):
    """The turn is to stop."""

    turn_id: str
    cause: str
    """`"interrupted"`, or `"cancelled"` where the session ends with it."""


class TurnEnded(Fact, frozen=True, kw_only=True, tag="turn_ended"):
    """The turn is over."""

    turn_id: str
    outcome: str
    """`"completed"`, `"interrupted"` or `"failed"`."""
    text: str | None = None
    stop_reason: str | None = None
    cause: str | None = None
    error: ErrorData | None = None
    prompt_unseen: bool = False
    """Whether hooks kept the turn's message from the model: it leaves the history, and no later turn sends it."""

    def width(self) -> int:
        return 2  # TurnEnded, SessionUpdated


class SessionEnded(Fact, frozen=True, kw_only=True, tag="session_ended"):
    """The session takes nothing more."""

    on_turn: ClassVar[bool] = False
    termination: str
    """`"completed"`, `"cancelled"` or `"failed"`."""
    error: ErrorData | None = None

    def width(self) -> int:
        return 1


type AnyFact = (
    SessionStarted
    | NoticeGiven
    | TurnAccepted
    | MessageAdded
    | TurnPrepared
    | ModelTold
    | CompactionNeeded
    | ReplyOpened
    | ReplyEnded
    | CallPrepared
    | CallbackOpened
    | CallbackSettled
    | CallStarted
    | CallResumed
    | CallEnded
    | HistoryCompacted
    | HookStateSaved
    | ValueRecorded
    | InterruptRequested
    | TurnEnded
    | SessionEnded
)
