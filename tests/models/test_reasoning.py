"""Reasoning of each provider: an entry that people can read, sent back where the provider needs it, and counted."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

from mistralai import agents
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Stream, chunk, events
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    import pytest

CALL = {"index": 0, "id": "call00001", "function": {"name": "look_up", "arguments": "{}"}}
CHAT_USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 12},
}
ANTHROPIC: tuple[dict[str, Any], ...] = (
    {
        "type": "message_start",
        "message": {
            "id": "m",
            "usage": {
                "input_tokens": 30,
                "cache_read_input_tokens": 64,
                "cache_creation_input_tokens": 6,
                "output_tokens": 1,
            },
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me see."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "signed"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {}},
    },
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}},
    {"type": "message_stop"},
)


@agents.tool
def look_up() -> str:
    """Look something up."""
    return "found"


@asynccontextmanager
async def answered(
    mode: Literal["mistral", "openai", "anthropic"], monkeypatch: pytest.MonkeyPatch, first: bytes
) -> AsyncGenerator[tuple[StrictProvider, agents.Session, agents.Turn]]:
    """A turn whose first reply is the bytes, and whose second is an answer."""
    async with StrictProvider(mode, Stream(pieces=(first,)), Answer(text="Done.")) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        session = await agents.Agent(model="m", provider=mode, tools=[look_up]).start_session()
        turn = await session.send_message("Look.")
        assert completed(await turn.result()).text == "Done."
        yield server, session, turn
        await session.cancel()
        assert server.violations == []


async def reasoning_of(session: agents.Session) -> list[tuple[str, Any]]:
    return [
        (entry.type, entry.raw["text"]) for entry in await session.history() if isinstance(entry, agents.UnknownEntry)
    ]


class TestAnthropic:
    async def test_gets_its_signed_thinking_back_before_the_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with answered("anthropic", monkeypatch, events(*ANTHROPIC)) as (server, session, _):
            assert await reasoning_of(session) == [("reasoning", "Let me see.")]
        thinking, call = server.requests[1]["messages"][1]["content"]
        assert thinking == {"type": "thinking", "thinking": "Let me see.", "signature": "signed"}
        assert call["type"] == "tool_use"

    async def test_counts_what_was_read_from_and_written_to_its_cache(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with answered("anthropic", monkeypatch, events(*ANTHROPIC)) as (_, _, turn):
            used = await turn.usage()
        assert (used.input_tokens, used.output_tokens) == (200, 40)
        assert (used.cached_input_tokens, used.cache_write_tokens) == (64, 6)
        assert used.total_tokens == 240


class TestAnOpenAICompatibleServer:
    async def test_gets_the_reasoning_of_a_calling_reply_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = events(
            chunk(reasoning_content="Let me "),
            chunk(reasoning_content="see."),
            chunk("tool_calls", tool_calls=[CALL]),
            {"choices": [], "usage": CHAT_USAGE},
            "[DONE]",
        )
        async with answered("openai", monkeypatch, first) as (server, session, turn):
            assert await reasoning_of(session) == [("reasoning", "Let me see.")]
            used = await turn.usage()
        assert server.requests[1]["messages"][1]["reasoning_content"] == "Let me see."
        assert (used.cached_input_tokens, used.reasoning_tokens) == (64, 12)


class TestMistral:
    async def test_shows_its_thinking_and_gets_none_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        first = events(
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "Let me see."}]}]),
            chunk("tool_calls", tool_calls=[CALL]),
            {"choices": [], "usage": CHAT_USAGE},
            "[DONE]",
        )
        async with answered("mistral", monkeypatch, first) as (server, session, _):
            assert await reasoning_of(session) == [("reasoning", "Let me see.")]
        assert "Let me see." not in str(server.requests[1]["messages"])
