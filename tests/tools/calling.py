"""Running an agent whose model calls tools, and reading what the model, the record and the history say of the calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, Step, reply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


@dataclass(frozen=True)
class Called:
    """A turn with one step of tool calls, and what is told of them."""

    state: agents.TurnState[Any]
    read: list[agents.ToolMessage]
    """What the model read, a message a call."""
    entries: list[agents.ToolResultEntry]

    @property
    def text(self) -> str:
        """What the model read of the only call."""
        (message,) = self.read
        assert isinstance(message.content, str)
        return message.content

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """What the model read of the only call, in blocks."""
        (message,) = self.read
        assert isinstance(message.content, list)
        return message.content

    @property
    def entry(self) -> agents.ToolResultEntry:
        """The only result in the history."""
        (entry,) = self.entries
        return entry

    @property
    def tool_calls(self) -> tuple[agents.ToolCall, ...]:
        """The record's calls."""
        assert isinstance(self.state, agents.Completed), self.state
        return self.state.tool_calls

    @property
    def error(self) -> agents.ProtocolError:
        """Why the turn failed."""
        assert isinstance(self.state, agents.Failed), self.state
        return self.state.error


async def called(step: Step, *tools: Any, session_inputs: Any = None, **options: Any) -> Called:
    """Let the model make this step, then answer; return what came of it."""
    model = ScriptedModel([step, reply("Done.")])
    agent = agents.Agent(model=model, tools=tools, **options)
    async with agents.local_runtime():
        session = await agent.start_session(session_inputs=session_inputs)
        state = await session.run("go")
        assert not isinstance(state, agents.Busy)
        entries = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
    return Called(state, results(model.requests[1]) if len(model.requests) > 1 else [], entries)


def results(request: agents.ModelRequest) -> list[agents.ToolMessage]:
    """The results in a request."""
    return [message for message in request.messages if isinstance(message, agents.ToolMessage)]


class CarelessModel:
    """Calls tools whether they are offered or not, then answers."""

    def __init__(self, *calls: tuple[str, str]) -> None:
        self.calls = calls
        """Names, and arguments as text."""
        self.requests: list[list[agents.ModelMessage]] = []

    async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
        self.requests.append(list(request.messages))
        usage = agents.TokenUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        if len(self.requests) > 1:
            yield agents.TextChunk("Done.")
            yield agents.ReplyFinished(reason="stop", usage=usage)
            return
        for number, (name, arguments) in enumerate(self.calls):
            yield agents.ToolCallBlock(
                call=agents.ModelToolCall(id=f"call0000{number}", name=name, arguments=arguments)
            )
        yield agents.ReplyFinished(reason="tool_calls", usage=usage)
