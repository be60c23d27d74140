"""A model and tools that do what a test says, when it says so."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

from mistralai import agents
from mistralai.agents.models.chat_dialect import MistralDialect
from mistralai.agents.testing.provider_rules import violations

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

USAGE = agents.TokenUsage(input_tokens=10, output_tokens=2, total_tokens=12)
ENVIRONMENT = {"MISTRAL_API_KEY": "none", "MISTRAL_SERVER_URL": "http://127.0.0.1:1"}


class Puppet:
    """The model: each call waits for its instruction. What a strict provider would refuse in it is kept."""

    def __init__(self) -> None:
        self.waiting: asyncio.Future[list[agents.ModelEvent] | agents.ModelError] | None = None
        self.refusals: list[str] = []
        self.read: list[str] = []
        """What the last call was sent of the user's messages."""
        self.dialect = MistralDialect()
        self.endpoint = self.dialect.endpoint(ENVIRONMENT)

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
        self.read = [str(message.content) for message in request.messages if isinstance(message, agents.UserMessage)]
        body = self.dialect.body(request, self.endpoint)
        self.refusals += violations("mistral", json.loads(b"".join(bytes(piece) for piece in body.pieces)))
        self.waiting = asyncio.get_running_loop().create_future()
        try:
            yield agents.TextChunk("Let me see. ")
            told = await self.waiting
        finally:
            self.waiting = None
        if isinstance(told, agents.ModelError):
            raise told
        for event in told:
            yield event
        yield agents.ReplyFinished(reason="stop", usage=USAGE)

    def tell(self, told: list[agents.ModelEvent] | agents.ModelError) -> None:
        assert self.waiting is not None
        self.waiting.set_result(told)


class Bench:
    """The tools: calls of `free` and `guarded` run until they are told to end; a client answers those of `asks`."""

    def __init__(self) -> None:
        self.running: dict[int, asyncio.Future[bool]] = {}
        self.begun: list[int] = []

    async def work(self, number: int) -> str:
        assert number not in self.begun, "a call ran twice"
        self.begun.append(number)
        self.running[number] = asyncio.get_running_loop().create_future()
        try:
            if not await self.running[number]:
                raise ValueError("broken")
        finally:
            del self.running[number]
        return f"done {number}"

    def agent(self, model: agents.Model) -> agents.Agent[str]:
        @agents.tool
        async def free(number: int) -> str:
            """Works without asking."""
            return await self.work(number)

        @agents.tool
        async def guarded(number: int) -> str:
            """Works once it is approved."""
            return await self.work(number)

        @agents.client_tool
        def asks(number: Annotated[int, "which"]) -> str:
            """Is answered by a client."""
            raise AssertionError

        rule = agents.PermissionRule(tools=["client.guarded"], decision="ask")
        return agents.Agent(
            model=model,
            tools=[free, guarded, asks],
            permission_policy=agents.PermissionPolicy(default="allow", rules=[rule]),
        )
