"""One or more values of every class that the wire carries. Tests of all classes run over them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.answers import (
    AllowApproval,
    AlreadySettled,
    Answered,
    DenyApproval,
    KeepCallbackOpen,
    NotFound,
    SignInAnswer,
)
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall, OpenSignIn, UnknownOpenCallback
from mistralai.agents.values.conflicts import TurnConflict
from mistralai.agents.values.content import (
    AudioContentBlock,
    ContentAnnotations,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceLinkContentBlock,
    TextContentBlock,
    UnknownContentBlock,
)
from mistralai.agents.values.entries import ContextMessage, MessageEntry, ToolCallEntry, ToolResultEntry, UnknownEntry
from mistralai.agents.values.events import (
    CallbackOpened,
    CallbackResolved,
    EntryAdded,
    EntryCompleted,
    Notice,
    SessionUpdated,
    TextDelta,
    TurnEnded,
    TurnStarted,
    TurnUpdated,
    UnknownEvent,
    UsageReported,
)
from mistralai.agents.values.history_import import (
    HistoryImportMessage,
    HistoryImportReasoning,
    HistoryImportSnapshot,
    HistoryImportToolCall,
    HistoryImportToolResult,
)
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.requests import ApprovalRequest, ApprovalTool, ClientToolCall, SignInRequest
from mistralai.agents.values.sessions import (
    CancelledTermination,
    CompletedTermination,
    FailedTermination,
    SessionInfo,
    UnknownTermination,
)
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.tool_result import ToolResult
from mistralai.agents.values.turn_states import (
    Blocked,
    Completed,
    Failed,
    Interrupted,
    InvalidOutput,
    Running,
    UnknownOutcome,
)
from mistralai.agents.values.usage import TokenUsage, UsageLimits

NOW = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
AT: Any = {"session_id": "s1", "turn_id": "t1"}
TURN: Any = {**AT, "cursor": "k-3", "text": None}
OPEN: Any = {"id": "c1", **AT, "title": None}
EVENT: Any = {"id": "k-1", **AT, "created_at": NOW}
ENTRY: Any = {"id": "e1", "turn_id": None, "created_at": NOW}

ERROR = ProtocolError(message="no", code="completion_rejected", details={"status_code": 422, "reason": None})
TOOL = ApprovalTool(
    id="client.open_case",
    name="open_case",
    description=None,
    annotations=ToolAnnotations(read_only_hint=True),
    input_schema={"type": "object"},
)
REQUEST = ApprovalRequest(
    tool=TOOL, arguments={"id": 4711}, tool_call_id="call", **AT, agent_name="default_agent", expires_at=NOW
)
CALL = ClientToolCall(
    tool_id="client.where", name="where", arguments="{", tool_call_id="call", **AT, callback_id="c1", agent_name=None
)
APPROVAL = OpenApproval(**OPEN, kind="approval", request=REQUEST)
UNKNOWN_CALLBACK = UnknownOpenCallback(**OPEN, kind="vote", raw={"id": 1, "raw": 2, "choices": ["a"]})
TEXT = TextContentBlock(text="hé", meta={"a": None}, annotations=ContentAnnotations(audience=["user"], priority=0.5))
IMAGE = ImageContentBlock(uri="https://example.com/a.png", media_type="image/png", alt_text="A")
UNKNOWN_BLOCK = UnknownContentBlock.model_validate({"type": "video", "frames": [1, None]})
MESSAGE = MessageEntry(**ENTRY, role="user", content=(TEXT, IMAGE, UNKNOWN_BLOCK), text="hé")
USAGE = TokenUsage(input_tokens=3, output_tokens=4, total_tokens=7, cached_input_tokens=1)

TURN_STATES: list[Any] = [
    Running(**TURN),
    Blocked(**TURN, callbacks=(APPROVAL, UNKNOWN_CALLBACK)),
    Completed(**TURN, output="", stop_reason="skipped", tool_calls=(ToolCall("client.where", {"a": [1, None]}),)),
    Completed[str](**TURN, output=InvalidOutput(raw="x", error="not JSON")),
    Completed(**TURN, output={"type": "invalid_output", "raw": "x", "error": "mine"}),
    Interrupted(**TURN, cause="cancelled"),
    Failed(**TURN, error=ERROR),
    UnknownOutcome(**TURN, outcome="future_outcome", raw={"text": 1, "type": "x", "more": {"a": 1}}),
]
CALLBACKS: list[Any] = [
    APPROVAL,
    OpenClientToolCall[..., Any](**OPEN, kind="client_tool", call=CALL),
    OpenSignIn(**OPEN, kind="sign_in", requests=(SignInRequest(id="gmail", name="Gmail", url="https://example.com"),)),
    UNKNOWN_CALLBACK,
]
ENTRIES: list[Any] = [
    MESSAGE,
    ContextMessage(**ENTRY, kind="summary", source=None, text="so far", content=(TEXT,)),
    ToolCallEntry(**ENTRY, tool_call_id="call", tool_id="client.where", name="where", arguments=[1.5, True, None]),
    ToolResultEntry(
        **ENTRY, tool_call_id="call", content=(TEXT,), structured={"a": 1}, error=ERROR, metadata={"rows": 3}
    ),
    UnknownEntry(**ENTRY, type="checkpoint", raw={"message": "task:kind", "details": {"a": [1]}}),
]
EVENTS: list[Any] = [
    TurnStarted(**EVENT),
    TurnUpdated(**EVENT, status="blocked"),
    CallbackOpened(**EVENT, callback=APPROVAL),
    CallbackResolved(**EVENT, callback_id="c1", reason="expired"),
    TurnEnded(**EVENT, state=Interrupted(**TURN, cause="interrupted")),
    SessionUpdated(**EVENT, title="Trip"),
    Notice(**EVENT, message="gone", level="warning", details={"status": "unavailable"}),
    EntryAdded(**EVENT, entry=MESSAGE),
    EntryCompleted(**EVENT, entry=MESSAGE),
    TextDelta(**EVENT, entry_id="e1", text="Lis"),
    UsageReported(**EVENT, usage=USAGE),
    UnknownEvent(**EVENT, type="fanfare", raw={"loud": True}),
]
TERMINATIONS: list[Any] = [
    CompletedTermination(),
    CancelledTermination(),
    FailedTermination(error=ERROR),
    UnknownTermination(type="evaporated", raw={"error": "heat"}),
]
ANSWERS: list[Any] = [
    AllowApproval(scope="session", arguments={"a": 1}),
    DenyApproval(message="no"),
    KeepCallbackOpen(),
    SignInAnswer(connected=["gmail"], denied=["drive"]),
]
BLOCKS: list[Any] = [
    TEXT,
    IMAGE,
    AudioContentBlock(uri="https://example.com/a.wav"),
    ResourceLinkContentBlock(uri="file:///a", name="a", size=3),
    EmbeddedResourceContentBlock(uri="file:///a", text="a"),
    UNKNOWN_BLOCK,
]
HISTORY: list[Any] = [
    HistoryImportMessage(role="user", content=[TEXT]),
    HistoryImportReasoning(text="hm"),
    HistoryImportToolCall(tool_call_id="call", name="where", arguments={"a": None}),
    HistoryImportToolResult(tool_call_id="call", error=ERROR),
    HistoryImportSnapshot(task_name="task", snapshot_type="kind", value=[1]),
]
ALONE: list[Any] = [
    ERROR,
    ToolCall("client.where", "{"),
    USAGE,
    UsageLimits(model_calls=3),
    REQUEST,
    TOOL,
    CALL,
    SignInRequest(id="gmail", name="Gmail"),
    ToolAnnotations(title="Open", open_world_hint=False),
    InvalidOutput(raw=[1], error="no"),
    ToolResult[Any](content="seen", structured={"a": 1}, metadata={"b": None}),
    TurnConflict(session_id="s1", expected_turn_id="t1", active_turn_id=None),
    Answered(session_id="s1", callback_id="c1", answer=AllowApproval()),
    Answered(session_id="s1", callback_id="c1", answer=None),
    AlreadySettled(session_id="s1", callback_id="c1"),
    NotFound(session_id="s1", callback_id="c1"),
    SessionInfo(
        session_id="s1",
        agent_name="a",
        parent_id=None,
        root_id="s1",
        status="terminated",
        title=None,
        created_at=NOW,
        updated_at=NOW,
        termination=CancelledTermination(),
        open_callbacks=2,
    ),
]
RECORDS = [*TURN_STATES, *CALLBACKS, *ENTRIES, *EVENTS, *TERMINATIONS, *ANSWERS, *ALONE]
ALL = [*RECORDS, *BLOCKS, *HISTORY]
