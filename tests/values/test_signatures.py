"""Tests that the public classes take exactly the parameters that the public interface names, with its defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from mistralai.agents.values import callbacks, conflicts, content, history_import, turn_states
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.usage import TokenUsage

TURN = "session_id turn_id cursor text"
OPEN = "id session_id turn_id kind title"
BLOCK = "annotations=None meta=None"

SIGNATURES: list[tuple[Any, str]] = [
    (turn_states.Running, TURN),
    (turn_states.Blocked, f"{TURN} callbacks"),
    (turn_states.Completed, f"{TURN} output stop_reason=None tool_calls=()"),
    (turn_states.Interrupted, f"{TURN} cause"),
    (turn_states.Failed, f"{TURN} error"),
    (turn_states.UnknownOutcome, f"{TURN} outcome raw={{}}"),
    (turn_states.InvalidOutput, "raw error"),
    (ProtocolError, "message code=None retryable=False details=None"),
    (
        TokenUsage,
        "input_tokens output_tokens total_tokens cached_input_tokens=0 cache_write_tokens=0 reasoning_tokens=0",
    ),
    (callbacks.OpenCallback, OPEN),
    (callbacks.OpenApproval, f"{OPEN} request"),
    (callbacks.OpenClientToolCall, f"{OPEN} call"),
    (callbacks.OpenSignIn, f"{OPEN} requests"),
    (callbacks.UnknownOpenCallback, f"{OPEN} raw={{}}"),
    (conflicts.TurnConflict, "session_id expected_turn_id active_turn_id"),
    (history_import.HistoryImportMessage, "role content=[]"),
    (history_import.HistoryImportReasoning, "text"),
    (history_import.HistoryImportToolCall, "tool_call_id tool_kind='local' name arguments=None"),
    (history_import.HistoryImportToolResult, "tool_call_id name=None result=None error=None annotations={}"),
    (history_import.HistoryImportSnapshot, "task_name snapshot_type value=None"),
    (content.TextContentBlock, f"{BLOCK} text=''"),
    (content.ImageContentBlock, f"{BLOCK} uri media_type=None alt_text=None"),
    (content.AudioContentBlock, f"{BLOCK} uri media_type=None"),
    (
        content.ResourceLinkContentBlock,
        f"{BLOCK} uri name=None title=None description=None media_type=None size=None",
    ),
    (content.EmbeddedResourceContentBlock, f"{BLOCK} uri media_type=None text=None blob=None"),
    (content.ContentAnnotations, "audience=None priority=None last_modified=None"),
]


@pytest.mark.parametrize(("cls", "expected"), SIGNATURES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_class_takes_the_parameters_of_the_public_interface(cls: Any, expected: str) -> None:
    parameters = list(inspect.signature(cls).parameters.values())
    shown = " ".join(p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    assert shown == expected
    assert {p.kind for p in parameters} == {inspect.Parameter.KEYWORD_ONLY}


def test_a_tool_call_is_positional() -> None:
    parameters = inspect.signature(ToolCall).parameters.values()
    assert [(p.name, p.kind) for p in parameters] == [
        ("name", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ("arguments", inspect.Parameter.POSITIONAL_OR_KEYWORD),
    ]


def test_an_unknown_block_needs_only_the_type_it_came_with() -> None:
    first, *rest = inspect.signature(content.UnknownContentBlock).parameters.values()
    assert (first.name, first.kind, first.default) == ("original_type", first.KEYWORD_ONLY, first.empty)
    assert all(parameter.kind is parameter.VAR_KEYWORD for parameter in rest)
