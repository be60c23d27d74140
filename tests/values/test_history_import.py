"""Tests of histories that seed a session."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.history_import import HistoryImportToolCall, HistoryImportToolResult, parse_history
from mistralai.agents.values.protocol_error import ProtocolError

from .samples import HISTORY, UNKNOWN_BLOCK


class TestAHistory:
    def test_may_be_entries(self) -> None:
        assert parse_history(HISTORY) == tuple(HISTORY)

    def test_may_be_dicts_in_either_spelling(self) -> None:
        wanted = HistoryImportToolCall(tool_call_id="c", tool_kind="mcp", name="n")
        snake = {"type": "tool_call", "tool_call_id": "c", "tool_kind": "mcp", "name": "n"}
        camel = {"type": "tool_call", "toolCallId": "c", "toolKind": "mcp", "name": "n"}
        assert parse_history([snake, camel]) == (wanted, wanted)

    def test_may_hold_an_error_as_a_dict(self) -> None:
        entry: dict[str, Any] = {"type": "tool_result", "toolCallId": "c", "error": {"message": "no"}}
        wanted = HistoryImportToolResult(tool_call_id="c", error=ProtocolError(message="no"))
        assert parse_history([entry]) == (wanted,)

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            (
                {"type": "tool_result", "toolCallId": "c", "result": 0, "error": {"message": "no"}},
                "both result and error",
            ),
            ({"type": "tool_call"}, r"tool_call_id: Field required"),
            ({"type": "dream"}, "dream"),
            ({"role": "user"}, "type"),
            ({"type": "message", "role": "user", "content": [UNKNOWN_BLOCK]}, "'video'"),
            ({"type": "message", "role": "user", "content": [{"type": "video"}]}, "'video'"),
            ("text", "is str"),
            (3, "is int"),
        ],
    )
    def test_names_the_entry_that_it_refuses(self, entry: Any, message: str) -> None:
        with pytest.raises(SdkError, match=rf"history\[1\].*{message}"):
            parse_history([HISTORY[0], entry])

    def test_refuses_a_result_that_is_an_error_too(self) -> None:
        with pytest.raises(ValueError, match="both result and error"):
            HistoryImportToolResult(tool_call_id="c", result=False, error=ProtocolError(message="no"))
