"""Model objects that give what a stream cannot hold: the turn fails and says so, and its journal is read again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.authoring.model import ModelToolCall, ReasoningBlock, ToolCallBlock
from tests.sessions.reading import completed, failed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

USAGE = agents.TokenUsage(input_tokens=1, output_tokens=1, total_tokens=2)
NOTHING: Any = None
FIVE: Any = 5
BYTES: Any = b"abc"
LIST: Any = ["a"]
COUNTS: Any = {"input_tokens": 1}


class Says:
    """Yields what it is told, first; a plain answer in every later call."""

    def __init__(self, *events: Any) -> None:
        self.events = events

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[Any]:
        for event in self.events:
            if isinstance(event, BaseException):
                raise event
            yield event
        self.events = (agents.TextChunk("Fine."), agents.ReplyFinished(reason="stop", usage=USAGE))


def called(**fields: Any) -> ToolCallBlock:
    return ToolCallBlock(call=ModelToolCall(**{"id": "a", "name": "pay", "arguments": "{}", **fields}))


def counted(**fields: Any) -> agents.ReplyFinished:
    counts: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **fields}
    return agents.ReplyFinished(reason="stop", usage=agents.TokenUsage(**counts))


GARBAGE: dict[str, Any] = {
    "text of bytes": agents.TextChunk(BYTES),
    "text of a list": agents.TextChunk(LIST),
    "a plain string": "Hello.",
    "a call without a name": called(name=None),
    "a call without an id": called(id=None),
    "arguments that are decoded": called(arguments={"x": 1}),
    "no call": ToolCallBlock(call=NOTHING),
    "reasoning without data": ReasoningBlock(text="", data=NOTHING),
    "reasoning that is no JSON": ReasoningBlock(text="", data={"it": object()}),
    "no reason": agents.ReplyFinished(reason=NOTHING, usage=USAGE),
    "usage as text": counted(input_tokens="1"),
    "usage without numbers": counted(input_tokens=None),
    "usage in fractions": counted(output_tokens=1.5),
    "usage as a dict": agents.ReplyFinished(reason="stop", usage=COUNTS),
}


@pytest.mark.parametrize("event", GARBAGE.values(), ids=GARBAGE.keys())
async def test_what_no_stream_can_hold_fails_the_turn_and_nothing_else(event: Any, tmp_path: Path) -> None:
    model = Says(agents.TextChunk("So"), event, agents.ReplyFinished(reason="stop", usage=USAGE))
    agent = agents.Agent(model=model)
    journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)
    async with agents.local_runtime(journal_factory=journals):
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        state = failed(await asyncio.wait_for(turn.result(), 10))
        assert state.error.code == "completion_failed_permanently"
        assert state.text == "So"
        model.events = (agents.TextChunk("Fine."), agents.ReplyFinished(reason="stop", usage=USAGE))
        assert completed(await session.run("Again.")).text == "Fine."

    def opened_again() -> int:
        async def read() -> int:
            async with agents.local_runtime(journal_factory=journals):
                return len(await agent.session(session.id).history())

        return asyncio.run(read())

    assert await asyncio.to_thread(opened_again) == 4


async def test_an_empty_chunk_is_not_shown() -> None:
    finish = agents.ReplyFinished(reason="stop", usage=USAGE)
    session = await agents.Agent(model=Says(agents.TextChunk(""), finish)).start_session()
    turn = await session.send_message("Go.")
    assert completed(await turn.result()).text is None
    assert [type(entry).__name__ for entry in await session.history()] == ["MessageEntry"]
    deltas = [event async for event in turn.iter_events() if isinstance(event, agents.TextDelta)]
    assert deltas == []


@pytest.mark.parametrize(
    ("error", "said", "details"),
    [
        (agents.ModelError(NOTHING, code=NOTHING, details=FIVE), "ModelError: None", None),
        (agents.ModelError("Down.", code="x", details={"it": object()}), "Down.", None),
        (agents.ModelError("Down.", code="x", details={"status_code": 503}), "Down.", {"status_code": 503}),
    ],
)
async def test_what_is_no_json_in_an_error_is_left_out(
    error: agents.ModelError, said: str, details: Any, tmp_path: Path
) -> None:
    journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)
    async with agents.local_runtime(journal_factory=journals):
        state = failed(await asyncio.wait_for(agents.Agent(model=Says(error)).run("Go."), 10))
    assert state.error.message == said
    assert state.error.details == details
    assert agents.from_json(agents.Failed, agents.to_json(state)) == state
