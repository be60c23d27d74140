"""Starting a session with a history: its entries, how they read back, what the model is sent. Public page: Sessions."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed, sent

HELLO = agents.HistoryImportMessage(role="user", content=[agents.TextContentBlock(text="My name is Ada.")])
HI = agents.HistoryImportMessage(role="assistant", content=[agents.TextContentBlock(text="Hello, Ada.")])


async def seeded(history: Any, *steps: Any, **options: Any) -> tuple[ScriptedModel, agents.Session]:
    model = ScriptedModel(steps or [reply("Ada.")])
    return model, await agents.Agent(model=model, **options).start_session(history=history)


class TestAnImportedHistory:
    """It seeds the session: the model reads it before the first message."""

    async def test_is_sent_before_the_first_message(self) -> None:
        model, session = await seeded([HELLO, HI])
        assert completed(await session.run("What is my name?")).text == "Ada."
        assert [line.split(":")[0] for line in sent(model)] == ["user", "assistant", "user"]
        assert sent(model)[1] == "assistant: Hello, Ada."

    async def test_reads_back_as_entries_outside_of_any_turn(self) -> None:
        _, session = await seeded([HELLO, HI])
        first, second = await session.history()
        assert isinstance(first, agents.MessageEntry)
        assert isinstance(second, agents.MessageEntry)
        assert [(entry.role, entry.text, entry.turn_id) for entry in (first, second)] == [
            ("user", "My name is Ada.", None),
            ("assistant", "Hello, Ada.", None),
        ]

    async def test_is_told_as_events_once_each(self) -> None:
        _, session = await seeded([HELLO, HI])
        await session.cancel()
        events = [event async for event in session.iter_events()]
        added = [event.entry.id for event in events if isinstance(event, agents.EntryAdded)]
        done = [event.entry.id for event in events if isinstance(event, agents.EntryCompleted)]
        assert added == done
        assert len(set(added)) == 2

    async def test_belongs_to_no_turn(self) -> None:
        _, session = await seeded([HELLO, HI])
        turn = await session.send_message("What is my name?")
        first = await anext(turn.iter_events())
        assert isinstance(first, agents.TurnStarted)
        await turn.result()
        assert completed(await turn.get()).tool_calls == ()

    async def test_may_be_any_iterable_and_empty(self) -> None:
        model, session = await seeded(entry for entry in (HELLO, HI))
        await session.run("What is my name?")
        assert len(sent(model)) == 3
        _, bare = await seeded([])
        assert await bare.history() == ()

    async def test_may_have_system_messages(self) -> None:
        system = agents.HistoryImportMessage(role="system", content=[agents.TextContentBlock(text="Be brief.")])
        model, session = await seeded([system, HELLO, HI])
        await session.run("What is my name?")
        assert sent(model)[0] == "system: Be brief."

    async def test_may_be_dicts_in_snake_case_or_camel_case(self) -> None:
        snake: list[dict[str, Any]] = [
            {"type": "message", "role": "user", "content": [{"type": "text", "text": "Look."}]},
            {"type": "tool_call", "tool_call_id": "aaaaaaaaa", "tool_kind": "client", "name": "look", "arguments": {}},
            {"type": "tool_result", "tool_call_id": "aaaaaaaaa", "result": {"found": 1}},
        ]
        camel: list[dict[str, Any]] = [
            {"type": "message", "role": "user", "content": [{"type": "text", "text": "Look."}]},
            {"type": "tool_call", "toolCallId": "aaaaaaaaa", "toolKind": "client", "name": "look", "arguments": {}},
            {"type": "tool_result", "toolCallId": "aaaaaaaaa", "result": {"found": 1}},
        ]
        lines: list[list[str]] = []
        for history in (snake, camel):
            model, session = await seeded(history)
            await session.run("What is there?")
            lines.append(sent(model))
        assert lines[0] == lines[1]
        assert lines[0][1:3] == ["assistant: look({})", 'tool: {"found":1}']

    async def test_with_a_call_without_a_result_can_still_be_sent(self) -> None:
        history = [HELLO, agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look", arguments={"a": 1})]
        model, session = await seeded(history)
        await session.run("Well?")
        assert [type(message).__name__ for message in model.requests[0].messages] == [
            "UserMessage",
            "AssistantMessage",
            "ToolMessage",
            "UserMessage",
        ]

    async def test_with_a_failed_call_tells_the_model_of_the_failure(self) -> None:
        history: list[agents.HistoryImportEntry] = [
            HELLO,
            agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look"),
            agents.HistoryImportToolResult(tool_call_id="aaaaaaaaa", error=agents.ProtocolError(message="no signal")),
        ]
        model, session = await seeded(history)
        await session.run("Well?")
        message = model.requests[0].messages[2]
        assert isinstance(message, agents.ToolMessage)
        assert (message.content, message.is_error) == ("no signal", True)
        entry = (await session.history())[2]
        assert isinstance(entry, agents.ToolResultEntry)
        assert entry.error == agents.ProtocolError(message="no signal")

    async def test_whose_calls_have_one_id_is_sent_with_one_for_each(self) -> None:
        history = [
            HELLO,
            agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look", arguments={"a": 1}),
            agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look", arguments={"a": 2}),
            agents.HistoryImportToolResult(tool_call_id="aaaaaaaaa", result="the second"),
            agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look", arguments={"a": 3}),
        ]
        model, session = await seeded(history)
        await session.run("Well?")
        assert sent(model)[1:-1] == [
            'assistant: look({"a":1})',
            "tool: The history that was imported has no result of this call.",
            'assistant: look({"a":2})',
            "tool: the second",
            'assistant: look({"a":3})',
            "tool: The history that was imported has no result of this call.",
        ]
        made = [m.tool_calls[0].id for m in model.requests[0].messages if isinstance(m, agents.AssistantMessage)]
        read = [m.tool_call_id for m in model.requests[0].messages if isinstance(m, agents.ToolMessage)]
        assert made == read
        assert len(set(made)) == 3

    async def test_with_a_result_of_no_call_is_sent_without_it(self) -> None:
        model, session = await seeded([HELLO, agents.HistoryImportToolResult(tool_call_id="bbbbbbbbb", result=1), HI])
        await session.run("Well?")
        assert [line.split(":")[0] for line in sent(model)] == ["user", "assistant", "user"]

    async def test_with_two_answers_in_a_row_is_sent_with_both(self) -> None:
        again = agents.HistoryImportMessage(role="assistant", content=[agents.TextContentBlock(text="Are you there?")])
        model, session = await seeded([HELLO, HI, again])
        await session.run("Yes.")
        assert sent(model)[1:3] == ["assistant: Hello, Ada.", "assistant: Are you there?"]

    async def test_with_text_of_half_a_character_is_sent_with_it(self) -> None:
        """A lone surrogate, as other languages have them in their strings, is no text that UTF-8 can hold."""
        call_of_it = agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look", arguments={"for": "\ud83d"})
        model, session = await seeded([HELLO, call_of_it])
        await session.run("Well?")
        assert sent(model)[1] == 'assistant: look({"for":"\\ud83d"})'

    async def test_with_a_snapshot_reads_back_as_a_checkpoint_that_the_model_does_not_see(self) -> None:
        snapshot = agents.HistoryImportSnapshot(task_name="plan", snapshot_type="v1", value={"step": 3})
        model, session = await seeded([HELLO, snapshot, HI])
        await session.run("What is my name?")
        entry = (await session.history())[1]
        assert isinstance(entry, agents.UnknownEntry)
        assert entry.type == "checkpoint"
        assert (entry.raw["message"], entry.raw["details"]) == ("plan:v1", {"step": 3})
        assert len(sent(model)) == 3

    async def test_with_reasoning_reads_back_as_such(self) -> None:
        _, session = await seeded([HELLO, agents.HistoryImportReasoning(text="A name."), HI])
        entry = (await session.history())[1]
        assert isinstance(entry, agents.UnknownEntry)
        assert (entry.type, entry.raw["text"]) == ("reasoning", "A name.")

    async def test_keeps_its_call_ids_from_being_used_again(self) -> None:
        @agents.tool
        def look() -> str:
            """Look."""
            return "seen"

        history: list[agents.HistoryImportEntry] = [
            HELLO,
            agents.HistoryImportToolCall(tool_call_id="aaaaaaaaa", name="look"),
            agents.HistoryImportToolResult(tool_call_id="aaaaaaaaa", result="before"),
        ]
        model, session = await seeded(history, call("look", id="aaaaaaaaa"), reply("Done."), tools=[look])
        await session.run("Look again.")
        ids = [entry.tool_call_id for entry in await session.history() if isinstance(entry, agents.ToolCallEntry)]
        assert len(set(ids)) == 2
        assert sent(model)[2] == "tool: before"
        assert sent(model)[-1] == "tool: seen"


class TestAHistoryThatIsNone:
    """It is refused, and the error names the entry."""

    @pytest.mark.parametrize(
        "entry",
        [
            {"type": "message", "role": "narrator", "content": []},
            {"type": "message"},
            {"role": "user", "content": []},
            {"type": "tool_result", "tool_call_id": "a", "result": 1, "error": {"message": "no"}},
            {"type": "tool_call", "name": "look"},
            {"type": "snapshot", "task_name": "plan"},
            {"type": "surprise"},
            {"type": "message", "role": "user", "content": [{"type": "hologram"}]},
            "hello",
            17,
        ],
    )
    async def test_with_an_entry_that_is_none(self, entry: Any) -> None:
        with pytest.raises(agents.SdkError, match=r"history\[1\]"):
            await seeded([HELLO, entry])
        assert [info async for info in agents.list_sessions(host="local")] == []

    def test_with_a_result_that_has_an_error_too(self) -> None:
        with pytest.raises(ValueError, match="both"):
            agents.HistoryImportToolResult(tool_call_id="a", result=1, error=agents.ProtocolError(message="no"))
