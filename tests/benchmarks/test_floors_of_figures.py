"""Tests of the benchmarks: what is compared is alike, and a figure over its bar is called so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from benchmarks import bare_loop, subject
from benchmarks.figures import Figure, line
from benchmarks.model_server import Connection
from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class RecordingConnection(Connection):
    """Answers as the benchmarks' server, and keeps what it was sent."""

    def __init__(self, bodies: list[bytes]) -> None:
        super().__init__()
        self.bodies = bodies

    def reply(self, body: bytes) -> None:
        self.bodies.append(body)
        super().reply(body)


@pytest.fixture
def bodies() -> list[bytes]:
    """The bodies that the server received."""
    return []


@pytest.fixture
async def url(bodies: list[bytes], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A server that agents of this test call."""
    server = await asyncio.get_running_loop().create_server(lambda: RecordingConnection(bodies), "127.0.0.1", 0)
    async with server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        monkeypatch.setenv("MISTRAL_SERVER_URL", address)
        monkeypatch.setenv("MISTRAL_API_KEY", "key")
        yield address


class TestTheFloorOfATurn:
    @pytest.mark.parametrize("kind", ["async", "sync"])
    async def test_sends_what_the_agent_sends_to_the_byte_and_reads_the_same_answer(
        self, kind: str, url: str, bodies: list[bytes]
    ) -> None:
        async with agents.local_runtime():
            answered = await subject.agent(tools=[subject.TOOLS[kind]]).run(subject.QUESTION)
        sent = bodies.copy()
        bodies.clear()
        async with bare_loop.open_client() as client:
            text = await bare_loop.turn(client, f"{url}/v1/chat/completions", subject.bodies_of_a_turn())
        assert bodies == sent
        assert isinstance(answered, agents.Completed)
        assert answered.text == text


class TestAFigure:
    def test_over_its_bar_says_so(self) -> None:
        assert line(Figure(name="memory", value=13.0, unit="KB", most=12.0)).endswith("12 KB  over")
        assert line(Figure(name="memory", value=12.0, unit="KB", most=12.0)).endswith("12 KB  ok")

    def test_is_measured_from_its_floor_where_the_bar_is(self) -> None:
        assert not Figure(name="import", value=38.0, unit="ms", floor=13.0, most_above=25.0).over
        assert Figure(name="import", value=38.1, unit="ms", floor=13.0, most_above=25.0).over

    def test_has_the_ratio_of_its_rounds_where_that_is_given(self) -> None:
        assert Figure(name="turn", value=2.0, unit="ms", floor=1.0, most_times=1.5).over
        assert not Figure(name="turn", value=2.0, unit="ms", floor=1.0, ratio=1.4, most_times=1.5).over
