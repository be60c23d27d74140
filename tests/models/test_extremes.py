"""Sizes and characters at the edge of what may come, all the way to each provider and back: nothing breaks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

import pytest

from mistralai import agents
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Call
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

type Mode = Literal["mistral", "openai", "anthropic"]
LARGEST_IMAGE = "data:image/png;base64," + "A" * 10_000_000
ODD = "NUL \x00, half \ud83d, other half \udca9, both \ud83d\udca9, é, \U0001f600"
DONE = Answer(text="Done.")


@pytest.fixture(params=["mistral", "openai", "anthropic"])
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[StrictProvider]:
    """A strict server of each provider, which the agents of the test call."""
    mode: Mode = request.param
    async with StrictProvider(mode) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server
        assert server.violations == []


def agent_of(server: StrictProvider, *tools: agents.Tool[..., Any], **options: Any) -> agents.Agent[str]:
    return agents.Agent(model="m", provider=server.mode, tools=tools, **options)


def results(request: dict[str, Any]) -> list[str]:
    """What the model reads of each tool result of a request."""
    found: list[str] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            found.append(message["content"])
        elif isinstance(message["content"], list):
            blocks: Sequence[dict[str, Any]] = message["content"]
            found += [_text(block["content"]) for block in blocks if block["type"] == "tool_result"]
    return found


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def calling(name: str, arguments: Any = None) -> Answer:
    return Answer(calls=(Call(name=name, arguments={} if arguments is None else arguments, id="call00001"),))


class TestSizes:
    async def test_a_result_of_100_000_characters(self, server: StrictProvider) -> None:
        text = "é word " * (100_000 // 7)

        @agents.tool
        def read() -> str:
            """Read."""
            return text

        server.script[:] = [calling("read"), DONE]
        assert completed(await agent_of(server, read).run("Read.")).text == "Done."
        assert results(server.requests[1]) == [text]

    async def test_200_tools(self, server: StrictProvider) -> None:
        def numbered(number: int) -> agents.Tool[..., Any]:
            @agents.tool(name=f"tool_{number}")
            def tool(value: int) -> int:
                """Give a number back."""
                return value + number

            return tool

        server.script[:] = [calling("tool_199", {"value": 1}), DONE]
        assert completed(await agent_of(server, *map(numbered, range(200))).run("Go.")).text == "Done."
        assert len(server.requests[0]["tools"]) == 200
        assert results(server.requests[1]) == ["200"]

    async def test_64_calls_at_once(self, server: StrictProvider) -> None:
        @agents.tool
        def double(value: int) -> int:
            """Double."""
            return 2 * value

        made = tuple(Call(name="double", arguments={"value": n}, id=f"call{n:05}") for n in range(64))
        server.script[:] = [Answer(calls=made), DONE]
        state = completed(await agent_of(server, double).run("Go."))
        assert results(server.requests[1]) == [str(2 * n) for n in range(64)]
        assert len(state.tool_calls) == 64

    async def test_a_reply_of_many_pieces(self, server: StrictProvider) -> None:
        text = "0123456789" * 2000
        server.script[:] = [Answer(text=text, chunks=5000), DONE]
        session = await agent_of(server).start_session()
        assert completed(await session.run("Go.")).text == text
        completed(await session.run("Again."))
        await session.cancel()

    async def test_an_image_of_ten_million_characters_from_the_user(self, server: StrictProvider) -> None:
        server.script[:] = [DONE, DONE]
        session = await agent_of(server).start_session()
        completed(await session.run([agents.ImageContentBlock(uri=LARGEST_IMAGE)]))
        completed(await session.run("What was it?"))
        await session.cancel()
        assert server.bodies[1].count(b"A" * 10_000_000) == 1

    async def test_and_one_from_a_tool(self, server: StrictProvider) -> None:
        @agents.tool
        def draw() -> agents.ImageContentBlock:
            """Draw."""
            return agents.ImageContentBlock(uri=LARGEST_IMAGE)

        server.script[:] = [calling("draw"), DONE]
        completed(await agent_of(server, draw).run("Draw."))
        assert server.bodies[1].count(b"A" * 10_000_000) == 1

    async def test_one_character_more_is_refused(self, server: StrictProvider) -> None:
        with pytest.raises(ValueError, match=r"10[,_ ]?000[,_ ]?000"):
            await agent_of(server).run([{"type": "image", "uri": LARGEST_IMAGE + "A"}])


class TestDepth:
    @pytest.mark.parametrize("depth", [100, 500, 5_000, 100_000])
    async def test_of_arguments(self, server: StrictProvider, depth: int) -> None:
        """What the decoder takes runs; what is too deep for it is a call with invalid arguments, and no crash."""

        @agents.tool
        def count(value: Any) -> str:
            """Count."""
            return "counted"

        deep = '{"value": ' + "[" * depth + "]" * depth + "}"
        server.script[:] = [calling("count", deep), DONE]
        state = completed(await agent_of(server, count).run("Go."))
        assert state.text == "Done."
        (result,) = results(server.requests[1])
        assert result == "counted" or "invalid_tool_call" in result

    @pytest.mark.parametrize("depth", [100, 5_000])
    async def test_of_a_result(self, server: StrictProvider, depth: int) -> None:
        deep: Any = []
        for _ in range(depth):
            deep = [deep]

        @agents.tool
        def dig() -> Any:
            """Dig."""
            return deep

        server.script[:] = [calling("dig"), DONE]
        assert completed(await agent_of(server, dig).run("Go.")).text == "Done."
        (result,) = results(server.requests[1])
        assert result == "[" * (depth + 1) + "]" * (depth + 1) or "cannot be turned into JSON" in result

    async def test_of_arguments_before_a_person_and_hooks(self, server: StrictProvider) -> None:
        class Sees(agents.Hook):
            async def pre_tool_call(
                self, ctx: agents.hook.HookContext, call: agents.hook.ToolCallRequest
            ) -> agents.hook.PreToolCallHookContinue:
                assert isinstance(call.arguments, dict)
                return agents.hook.PreToolCallHookContinue(effective_arguments=call.arguments)

        @agents.tool
        def count(value: Any) -> str:
            """Count."""
            return "counted"

        deep = '{"value": ' + "[" * 200 + "]" * 200 + "}"
        server.script[:] = [calling("count", deep), DONE]
        policy = agents.PermissionPolicy(
            default="ask", rules=[agents.PermissionRule(tools=["*"], decision="allow", allowlist=["value=never"])]
        )
        session = await agent_of(server, count, hooks=[Sees()], permission_policy=policy).start_session()
        turn = await session.send_message("Go.")
        state = await turn.result()
        assert isinstance(state, agents.Blocked)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval(scope="session"))
        assert completed(await turn.result()).text == "Done."
        await session.cancel()


class TestOddCharacters:
    async def test_from_everywhere_at_once(self, server: StrictProvider) -> None:
        """A history that holds them can still be sent, and what a person reads is what was there."""

        @agents.tool
        def echo(text: str) -> str:
            """Echo."""
            return text + ODD

        @agents.tool
        def echo_json(text: str) -> dict[str, str]:
            """Echo as data."""
            return {ODD: text}

        @agents.tool
        def fail(text: str) -> None:
            """Fail."""
            raise agents.ToolError(ODD)

        arguments = json.dumps({"text": ODD})
        made = tuple(
            Call(name=name, arguments=arguments, id=f"call{number:05}")
            for number, name in enumerate(("echo", "echo_json", "fail"))
        )
        server.script[:] = [
            Answer(text="a\x00b", calls=made),
            Answer(text=ODD.replace("\ud83d", "").replace("\udca9", "")),
            DONE,
        ]
        agent = agent_of(server, echo, echo_json, fail, instructions=ODD)
        session = await agent.start_session()
        completed(await session.run(f"Say {ODD}"))
        assert completed(await session.run([agents.TextContentBlock(text=ODD)])).text == "Done."
        await session.history()
        await session.cancel()
        for body in server.bodies:
            body.decode()

    async def test_in_hooks_and_their_state(self, server: StrictProvider) -> None:
        class Keeps(agents.Hook):
            last: str = ""

            async def pre_agent_turn(
                self, ctx: agents.hook.HookContext, request: agents.hook.AgentTurnRequest
            ) -> agents.hook.PreAgentTurnHookContinue:
                self.last = "NUL \x00 and é"
                return agents.hook.PreAgentTurnHookContinue(user_content=ODD)

            async def post_llm_call(
                self, ctx: agents.hook.HookContext, invocation: agents.hook.PostLLMCallInvocation
            ) -> agents.hook.PostLLMCallHookAccept:
                return agents.hook.PostLLMCallHookAccept(content=ODD)

        server.script[:] = [DONE, DONE]
        session = await agent_of(server, hooks=[Keeps()]).start_session()
        for _ in range(2):
            assert completed(await session.run("Hi.")).text == ODD
        await session.cancel()
