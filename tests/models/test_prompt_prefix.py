"""Over a turn with tools, and over the turns after it, each request begins with the messages of the one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from mistralai import agents
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Call
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

type Mode = Literal["mistral", "openai", "anthropic"]
PNG = "data:image/png;base64,iVBORw0KGgo="


@agents.tool
def look_up(name: str) -> dict[str, Any]:
    """Look something up."""
    return {"name": name, "found": [1, 2.5, None, True, "é\x00"]}


@agents.tool
def draw(name: str) -> agents.ToolResult[None]:
    """Draw something."""
    return agents.ToolResult(content=[agents.TextContentBlock(text=name), agents.ImageContentBlock(uri=PNG)])


@agents.tool
def fail() -> None:
    """Fail."""
    raise agents.ToolError("It failed.")


class Watches(agents.Hook):
    """Looks at every point, and asks again once."""

    asked_again: bool = False

    async def pre_llm_call(
        self, ctx: agents.hook.HookContext, invocation: agents.hook.PreLLMCallInvocation
    ) -> agents.hook.PreLLMCallHookContinue:
        return agents.hook.PreLLMCallHookContinue()

    async def post_llm_call(
        self, ctx: agents.hook.HookContext, invocation: agents.hook.PostLLMCallInvocation
    ) -> agents.hook.Retry | None:
        if invocation.content == "Bad words." and not self.asked_again:
            self.asked_again = True
            return agents.retry("Other words, please.")
        return None


SCRIPT = (
    Answer(text="Let me look.", calls=(Call(name="look_up", arguments={"name": "a"}, id="first0001"),)),
    Answer(
        calls=(
            Call(name="look_up", arguments={"name": "b"}, id="an id that is too long for Mistral"),
            Call(name="draw", arguments={"name": "c"}, id="third0001"),
            Call(name="unknown", arguments={}, id="fourth001"),
            Call(name="fail", arguments="{broken", id="fifth0001"),
        )
    ),
    Answer(text="Bad words."),
    Answer(text="Much too long", finish="length"),
    Answer(calls=(Call(name="fail", arguments={}, id="first0001"),)),
    Answer(text="Done."),
    Answer(text="Again."),
    Answer(text="And again."),
)


@pytest.fixture(params=["mistral", "openai", "anthropic"])
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[StrictProvider]:
    """A strict server of each provider, which the agents of the test call."""
    mode: Mode = request.param
    replies = [_for_anthropic(reply) if mode == "anthropic" else reply for reply in SCRIPT]
    async with StrictProvider(mode, *replies) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server
        assert server.violations == []


def _for_anthropic(reply: Answer) -> Answer:
    """Its own word for the output limit, and arguments that are JSON: its API makes sure of that."""
    calls = tuple(
        Call(
            name=call.name,
            arguments=call.arguments if isinstance(call.arguments, dict) else {},
            id=call.id.replace(" ", "_"),
        )
        for call in reply.calls
    )
    return Answer(text=reply.text, calls=calls, finish="max_tokens" if reply.finish == "length" else reply.finish)


class TestThePromptPrefix:
    async def test_is_the_same_byte_for_byte(self, server: StrictProvider) -> None:
        agent = agents.Agent(
            model="m",
            provider=server.mode,
            instructions="Be brief.",
            tools=[look_up, draw, fail],
            hooks=[Watches()],
            limits=agents.UsageLimits(model_calls=7, tool_calls=6),
            connectors=[agents.connector("calendar")],
            auto_compact_threshold=1_000_000,
        )
        session = await agent.start_session()
        for message in ("Look a, b and c up.", "Again.", "And again."):
            completed(await session.run(message))
        await session.cancel()
        assert len(server.bodies) == len(SCRIPT)
        for before, after in zip(server.bodies, server.bodies[1:], strict=False):
            assert before.endswith(b"]}")
            assert after.startswith(before[:-2])

    async def test_holds_no_time_and_no_chance(self, server: StrictProvider) -> None:
        """Two sessions that go the same way send the same bytes, so the second finds the cache of the first."""
        agent = agents.Agent(model="m", provider=server.mode, tools=[look_up], limits=agents.UsageLimits(model_calls=4))
        first, again = SCRIPT[0], Answer(text="Done.")
        script = [first, again, first, again]
        server.script[:] = [_for_anthropic(reply) for reply in script] if server.mode == "anthropic" else script
        for _ in range(2):
            completed(await agent.run("Look a up."))
        assert server.bodies[:2] == server.bodies[2:]
