"""`pre_agent_turn`: what may be done with a message before any model sees it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import Gate, ScriptedModel, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed, failed, interrupted

LONG = "word " * 400
LARGE = tokens(5000, 5)


class Refuses(agents.Hook):
    """Refuses messages that speak of secrets."""

    async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> hook.Skip | None:
        return agents.skip("We do not speak of this.") if "secret" in request.text else None


class Rewrites(agents.Hook):
    content: Any = None

    async def pre_agent_turn(
        self, ctx: hook.HookContext, request: hook.AgentTurnRequest
    ) -> hook.PreAgentTurnHookContinue:
        return hook.PreAgentTurnHookContinue(user_content=self.content)


class Holds(agents.Hook):
    """Looks at a message until the test lets it pass."""

    gate: Any = Field(exclude=True)

    async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
        if "secret" in request.text:
            await self.gate.hold()


class TestASkippedTurn:
    async def test_completes_with_the_reason_and_calls_no_model(self) -> None:
        model = ScriptedModel([])
        agent = agents.Agent(model=model, guardrails=[Refuses()])
        state = completed(await agent.run("the secret"))
        assert (state.text, state.output, state.stop_reason) == ("We do not speak of this.",) * 2 + ("skipped",)
        assert state.tool_calls == ()
        assert model.requests == []

    async def test_leaves_no_output_to_parse(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]), guardrails=[Refuses()], output_type=int)
        assert completed(await agent.run("the secret")).output is None

    async def test_is_in_nothing_that_later_turns_send(self) -> None:
        model = ScriptedModel([reply("Hello."), reply("Bye.")])
        session = await agents.Agent(model=model, guardrails=[Refuses()]).start_session()
        for message in ("Hi.", "the secret", "See you."):
            await session.run(message)
        assert asked(model) == ["user: Hi.", "assistant: Hello.", "user: See you."]

    async def test_stays_in_the_transcript_that_people_read(self) -> None:
        session = await agents.Agent(model=ScriptedModel([]), guardrails=[Refuses()]).start_session()
        await session.run("the secret")
        assert [entry.text for entry in await session.history() if isinstance(entry, agents.MessageEntry)] == [
            "the secret"
        ]

    async def test_comes_before_a_compaction_so_that_no_summary_holds_it(self) -> None:
        model = ScriptedModel([reply("One.", usage=LARGE), reply("<summary>Before.</summary>"), reply("Two.")])
        agent = agents.Agent(model=model, guardrails=[Refuses()], auto_compact_threshold=1000)
        session = await agent.start_session()
        await session.run(LONG)
        assert completed(await session.run(f"secret {LONG}")).stop_reason == "skipped"
        assert len(model.requests) == 1, "a skipped turn calls no model, not for a summary either"
        await session.run("Go on.")
        assert not any("secret" in line for call in range(3) for line in asked(model, call))

    async def test_takes_with_it_what_was_said_while_the_hook_looked(self) -> None:
        gate = Gate()

        class RefusesLate(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> hook.Skip | None:
                if "secret" not in request.text:
                    return None
                await gate.hold()
                return agents.skip("No.")

        model = ScriptedModel([reply("Hello.")])
        session = await agents.Agent(model=model, guardrails=[RefusesLate()]).start_session()
        turn = await session.send_message("secret")
        await gate.reached()
        await turn.steer("and more of it")
        gate.open()
        assert completed(await turn.result()).stop_reason == "skipped"
        await session.run("Hi.")
        assert asked(model) == ["user: Hi."]


class TestATurnThatEndsWhileAHookLooksAtIt:
    """What no hook has let pass is not sent later either, or stopping a guardrail would be a way around it."""

    async def test_interrupted(self) -> None:
        gate = Gate()
        model = ScriptedModel([reply("Hello.")])
        session = await agents.Agent(model=model, guardrails=[Holds(gate=gate)]).start_session()
        turn = await session.send_message("secret")
        await gate.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text is None
        await session.run("Hi.")
        assert asked(model) == ["user: Hi."]

    async def test_failed_by_the_hook(self) -> None:
        class Raises(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                if "secret" in request.text:
                    raise RuntimeError("the checker is down")

        model = ScriptedModel([reply("Hello.")])
        session = await agents.Agent(model=model, guardrails=[Raises()]).start_session()
        assert failed(await session.run("secret")).message.endswith("the checker is down")
        await session.run("Hi.")
        assert asked(model) == ["user: Hi."]


class TestARewrittenMessage:
    async def test_is_what_the_model_reads_now_and_later(self) -> None:
        model = ScriptedModel([reply("Hello."), reply("Bye.")])
        session = await agents.Agent(model=model, hooks=[Rewrites(content="Hi from the hook.")]).start_session()
        await session.run("Hi.")
        await session.run("See you.")
        assert asked(model, 0) == ["user: Hi from the hook."]
        assert asked(model)[:2] == ["user: Hi from the hook.", "assistant: Hello."]

    async def test_is_what_the_next_hook_sees(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]), hooks=[Rewrites(content="a secret"), Refuses()])
        assert completed(await agent.run("Hi.")).stop_reason == "skipped"

    async def test_may_be_content_blocks(self) -> None:
        model = ScriptedModel([reply("Hello.")])
        blocks = [agents.TextContentBlock(text="one"), {"type": "text", "text": "two"}]
        await agents.Agent(model=model, hooks=[Rewrites(content=blocks)]).run("Hi.")
        (message,) = model.requests[0].messages
        assert isinstance(message, agents.UserMessage)
        assert message.content == [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]

    async def test_that_is_no_content_fails_the_turn(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]), hooks=[Rewrites(content=[3])])
        error = failed(await agent.run("Hi."))
        assert error.code == "capability_execution_failed"
        assert "Rewrites.pre_agent_turn" in error.message

    async def test_leaves_the_transcript_as_the_user_wrote_it(self) -> None:
        session = await agents.Agent(
            model=ScriptedModel([reply("Hello.")]), hooks=[Rewrites(content="X")]
        ).start_session()
        await session.run("Hi.")
        first = (await session.history())[0]
        assert isinstance(first, agents.MessageEntry)
        assert first.text == "Hi."


class TestThePoint:
    @pytest.mark.parametrize("returned", [None, hook.PreAgentTurnHookContinue()])
    async def test_lets_a_message_be(self, returned: Any) -> None:
        class LetsBe(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> Any:
                return returned

        model = ScriptedModel([reply("Hello.")])
        assert completed(await agents.Agent(model=model, hooks=[LetsBe()]).run("Hi.")).stop_reason is None
        assert asked(model) == ["user: Hi."]

    async def test_runs_once_a_turn_and_not_for_steering(self) -> None:
        seen: list[str] = []
        gate = Gate()

        class Sees(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                seen.append(request.text)

        model = ScriptedModel([reply("Hel", gate, "lo."), reply("Yes.")])
        session = await agents.Agent(model=model, hooks=[Sees()]).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.steer("Are you there?")
        gate.open()
        assert completed(await turn.result()).text == "Yes."
        assert seen == ["Hi."]

    async def test_is_told_where_it_runs(self) -> None:
        told: list[hook.HookContext] = []

        class Told(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                told.append(ctx)

        session = await agents.Agent(model=ScriptedModel([reply("Hi.")]), name="desk", hooks=[Told()]).start_session()
        turn = await session.send_message("Hi.")
        await turn.result()
        assert told == [
            hook.HookContext(session_id=session.id, turn_id=turn.id, agent_name="desk", root_session_id=session.id)
        ]

    async def test_cannot_change_the_log_by_changing_what_it_is_shown(self) -> None:
        class Meddles(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                assert not isinstance(request.user_content, str)
                for block in request.user_content:
                    block["text"] = "changed"  # type: ignore[index]  # pyright: ignore[reportIndexIssue]  # it is the point

        model = ScriptedModel([reply("Hello.")])
        session = await agents.Agent(model=model, hooks=[Meddles()]).start_session()
        await session.run([agents.TextContentBlock(text="Hi.")])
        assert asked(model) == ["user: [{'type': 'text', 'text': 'Hi.'}]"]
        assert getattr((await session.history())[0], "text", None) == "Hi."
