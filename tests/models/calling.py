"""Calling a provider in a test: a client that is closed, a clock that does not wait, requests in one line."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.model import ModelError, ModelRequest, TextChunk, ToolCallBlock, UserMessage
from mistralai.agents.models.client import ModelClient
from mistralai.agents.models.providers import provider
from mistralai.agents.testing.strict_provider import StrictProvider

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mistralai.agents.authoring.model import Model, ModelEvent
    from mistralai.agents.testing.strict_replies import Mode, Reply


class FakeClock:
    """A clock on which only waiting takes time."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.waits: list[float] = []

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float, /) -> None:
        self.waits.append(seconds)
        self.now += seconds


class Caller:
    """A server, the provider that leads to it, and the clock its retries wait on."""

    def __init__(self, server: StrictProvider, client: ModelClient, clock: FakeClock, model: Model) -> None:
        self.server = server
        self.client = client
        self.clock = clock
        self.model = model

    async def call(self, **changes: Any) -> list[ModelEvent]:
        """Every event of one call."""
        return [event async for event in self.model.stream(request(**changes))]

    async def failure(self, **changes: Any) -> ModelError:
        """The error of a call that must fail."""
        try:
            events = await self.call(**changes)
        except ModelError as error:
            return error
        raise AssertionError(f"the call did not fail: {events}")


@asynccontextmanager
async def calling(mode: Mode, *script: Reply, environ: dict[str, str] | None = None) -> AsyncGenerator[Caller]:
    """A caller of a scripted server."""
    client, clock = ModelClient(), FakeClock()
    async with StrictProvider(mode, *script) as server:
        try:
            variables = server.environ | (environ or {})
            yield Caller(server, client, clock, provider(mode, client, variables, clock=clock))
        finally:
            await client.close()


def request(**changes: Any) -> ModelRequest:
    """A request with one user message, changed where the test says so."""
    fields: dict[str, Any] = {"model": "m", "instructions": "Be brief.", "messages": [UserMessage(content="hi")]}
    return ModelRequest(**(fields | changes))


def text_of(events: list[ModelEvent]) -> str:
    """The text of a reply."""
    return "".join(event.text for event in events if isinstance(event, TextChunk))


def calls_of(events: list[ModelEvent]) -> list[tuple[str, str, str]]:
    """Id, name and arguments of each call of a reply."""
    blocks = [event.call for event in events if isinstance(event, ToolCallBlock)]
    return [(call.id, call.name, call.arguments) for call in blocks]
