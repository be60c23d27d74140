"""`pre_llm_call` and `post_llm_call`: what may be done about a call of the model and its reply."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import Gate, ScriptedModel, call, calls, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed, failed, interrupted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


@agents.tool
def look_up(name: str = "x") -> str:
    """Look something up."""
    return f"found {name}"


class Answers(agents.Hook):
    """Gives its decisions one after the other, then None, and keeps what it was shown."""

    decisions: list[Any] = Field(exclude=True)
    seen: list[hook.PostLLMCallInvocation] = Field(default_factory=list[hook.PostLLMCallInvocation], exclude=True)

    async def post_llm_call(self, ctx: hook.HookContext, invocation: hook.PostLLMCallInvocation) -> Any:
        self.seen.append(invocation)
        return self.decisions.pop(0) if self.decisions else None


class StopsAt(agents.Hook):
    """Lets so many calls of the model pass."""

    most: int
    made: int = 0

    async def pre_llm_call(self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation) -> hook.Skip | None:
        self.made += 1
        return agents.skip("Enough.") if self.made > self.most else None


def agent_of(model: ScriptedModel, *hooks: agents.Hook, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=model, tools=[look_up], hooks=hooks, **options)


class TestBeforeACall:
    async def test_shows_what_will_be_sent(self) -> None:
        seen: list[hook.PreLLMCallInvocation] = []

        class Sees(agents.Hook):
            async def pre_llm_call(self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation) -> None:
                seen.append(invocation)

        model = ScriptedModel([call("look_up"), reply("Done.")])
        await agent_of(model, Sees(), instructions="Be brief.").run("Hi.")
        assert [len(one.messages) for one in seen] == [1, 3]
        assert {one.instructions for one in seen} == {"Be brief."}
        assert {one.tool_names for one in seen} == {("look_up",)}
        assert list(seen[1].messages) == list(model.requests[1].messages)

    async def test_goes_on(self) -> None:
        class GoesOn(agents.Hook):
            async def pre_llm_call(
                self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation
            ) -> hook.PreLLMCallHookContinue:
                return hook.PreLLMCallHookContinue()

        assert completed(await agent_of(ScriptedModel([reply("Hello.")]), GoesOn()).run("Hi.")).text == "Hello."

    async def test_a_skip_ends_the_turn_with_its_reason(self) -> None:
        model = ScriptedModel([call("look_up")])
        state = completed(await agent_of(model, StopsAt(most=1)).run("Hi."))
        assert (state.text, state.stop_reason) == ("Enough.", "skipped")
        assert state.tool_calls == (agents.ToolCall("client.look_up", {}),)

    async def test_a_skip_of_the_first_call_keeps_the_message_from_later_turns(self) -> None:
        class Refuses(agents.Hook):
            async def pre_llm_call(
                self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation
            ) -> hook.Skip | None:
                return agents.skip("No.") if "secret" in str(invocation.messages[-1]) else None

        model = ScriptedModel([reply("Hello.")])
        session = await agent_of(model, Refuses()).start_session()
        assert completed(await session.run("the secret")).stop_reason == "skipped"
        await session.run("Hi.")
        assert asked(model) == ["user: Hi."]

    async def test_a_skip_in_mid_turn_leaves_a_history_that_can_be_sent(self) -> None:
        model = ScriptedModel([call("look_up"), reply("Hello.")])
        session = await agent_of(model, StopsAt(most=1)).start_session()
        await session.run("Hi.")
        assert completed(await session.run("Again.")).stop_reason == "skipped"
        assert len(model.requests) == 1

    async def test_a_message_that_comes_while_it_runs_is_in_the_call(self) -> None:
        gate = Gate()

        class Holds(agents.Hook):
            async def pre_llm_call(self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation) -> None:
                await gate.hold()

        model = ScriptedModel([reply("Hello.")])
        session = await agent_of(model, Holds()).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.steer("Are you there?")
        gate.open()
        await turn.result()
        assert asked(model) == ["user: Hi.", "user: Are you there?"]


class TestAfterACall:
    async def test_shows_the_reply_with_the_models_own_names(self) -> None:
        sees = Answers(decisions=[])
        model = ScriptedModel(
            [calls(call("look_up", {"name": "a"}), call("look_up", "{broken"), text="Looking."), reply("Done.")],
            usage=tokens(7, 3),
        )
        await agent_of(model, sees).run("Hi.")
        first, last = sees.seen
        assert first.content == "Looking."
        assert first.tool_calls == (agents.ToolCall("look_up", {"name": "a"}), agents.ToolCall("look_up", "{broken"))
        assert first.usage == tokens(7, 3)
        assert (last.content, last.tool_calls) == ("Done.", ())

    async def test_comes_before_the_calls_run(self) -> None:
        order: list[str] = []

        @agents.tool
        def act() -> None:
            """Act."""
            order.append("tool")

        class Sees(agents.Hook):
            async def post_llm_call(self, ctx: hook.HookContext, invocation: hook.PostLLMCallInvocation) -> None:
                order.append("hook")

        await agents.Agent(model=ScriptedModel([call("act"), reply("Done.")]), tools=[act], hooks=[Sees()]).run("Hi.")
        assert order == ["hook", "tool", "hook"]

    async def test_accept_replaces_the_text_everywhere(self) -> None:
        model = ScriptedModel([reply("My number is 12345."), reply("Bye.")])
        session = await agent_of(model, Answers(decisions=[hook.PostLLMCallHookAccept(content="[no]")])).start_session()
        assert completed(await session.run("Hi.")).text == "[no]"
        assert getattr((await session.history())[-1], "text", None) == "[no]"
        await session.run("Bye.")
        assert asked(model) == ["user: Hi.", "assistant: [no]", "user: Bye."]

    async def test_accept_may_leave_nothing_of_the_text(self) -> None:
        model = ScriptedModel([call("look_up", text="Looking."), reply("Ugly words.")])
        hooks = Answers(decisions=[None, hook.PostLLMCallHookAccept(content="")])
        assert completed(await agent_of(model, hooks).run("Hi.")).text == ""

    async def test_accept_may_give_text_to_a_reply_that_only_calls(self) -> None:
        model = ScriptedModel([call("look_up"), reply("Done.")])
        hooks = Answers(decisions=[hook.PostLLMCallHookAccept(content="Looking.")])
        session = await agent_of(model, hooks).start_session()
        turn = await session.send_message("Hi.")
        await turn.result()
        assert asked(model)[1] == "assistant: Looking. look_up({})"
        told = [event async for event in turn.iter_events() if isinstance(event, agents.EntryAdded)]
        assert [getattr(event.entry, "text", None) for event in told] == ["Hi.", "Looking.", None, None, ""]

    async def test_accept_as_it_is(self) -> None:
        model = ScriptedModel([reply("Hello.")])
        hooks = Answers(decisions=[hook.PostLLMCallHookAccept()])
        assert completed(await agent_of(model, hooks).run("Hi.")).text == "Hello."

    async def test_each_hook_sees_the_text_as_the_one_before_left_it(self) -> None:
        first, second = Answers(decisions=[hook.PostLLMCallHookAccept(content="B")]), Answers(decisions=[])
        await agent_of(ScriptedModel([reply("A")]), first, second).run("Hi.")
        assert second.seen[0].content == "B"


class TestARetry:
    async def test_drops_the_reply_and_sends_its_feedback(self) -> None:
        model = ScriptedModel([reply("Bonjour."), reply("Hello.")])
        state = completed(await agent_of(model, Answers(decisions=[agents.retry("Say it in English.")])).run("Hi."))
        assert (state.text, state.stop_reason) == ("Hello.", None)
        assert asked(model) == ["user: Hi.", "context(feedback): Say it in English."]

    async def test_of_a_reply_with_calls_runs_none_of_them(self) -> None:
        ran: list[str] = []

        @agents.tool
        def act() -> None:
            """Act."""
            ran.append("act")

        model = ScriptedModel([call("act"), reply("Done.")])
        agent = agents.Agent(model=model, tools=[act], hooks=[Answers(decisions=[agents.retry("No tools.")])])
        assert completed(await agent.run("Hi.")).tool_calls == ()
        assert ran == []
        assert asked(model) == ["user: Hi.", "context(feedback): No tools."]

    async def test_stops_the_later_hooks(self) -> None:
        last = Answers(decisions=[])
        model = ScriptedModel([reply("A"), reply("B")])
        await agent_of(model, Answers(decisions=[agents.retry("Again.")]), last).run("Hi.")
        assert [one.content for one in last.seen] == ["B"]

    async def test_counts_as_a_model_call_with_its_tokens(self) -> None:
        model = ScriptedModel([reply("A"), reply("B"), reply("C")], usage=tokens(10, 1))
        hooks = Answers(decisions=[agents.retry("Again.")] * 5)
        session = await agent_of(model, hooks, max_iterations=3).start_session()
        turn = await session.send_message("Hi.")
        state = completed(await turn.result())
        assert (state.text, state.stop_reason) == (None, "iteration_limit"), "what was dropped is no answer"
        assert await turn.usage() == tokens(30, 3)

    async def test_is_in_later_turns_as_the_model_saw_it(self) -> None:
        model = ScriptedModel([reply("A"), reply("B"), reply("C")])
        session = await agent_of(model, Answers(decisions=[agents.retry("Again.")])).start_session()
        await session.run("Hi.")
        await session.run("Bye.")
        assert asked(model) == ["user: Hi.", "context(feedback): Again.", "assistant: B", "user: Bye."]

    async def test_with_a_message_that_came_meanwhile_keeps_both(self) -> None:
        gate = Gate()
        model = ScriptedModel([reply("A", gate), reply("B")])
        session = await agent_of(model, Answers(decisions=[agents.retry("Again.")])).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.steer("And in English.")
        gate.open()
        await turn.result()
        assert asked(model) == ["user: Hi.", "context(feedback): Again.", "user: And in English."]


class TestAReject:
    async def test_ends_the_turn_without_the_reply(self) -> None:
        model = ScriptedModel([reply("Ugly words."), reply("Hello.")])
        session = await agent_of(model, Answers(decisions=[agents.reject("Not that.")])).start_session()
        state = completed(await session.run("Hi."))
        assert (state.text, state.output, state.stop_reason) == ("Not that.", "Not that.", "rejected")
        await session.run("Again.")
        assert asked(model) == ["user: Hi.", "user: Again."]

    async def test_leaves_no_output_to_parse(self) -> None:
        model = ScriptedModel([reply("7")])
        agent = agents.Agent(model=model, hooks=[Answers(decisions=[agents.reject("No.")])], output_type=int)
        assert completed(await agent.run("Hi.")).output is None

    async def test_runs_none_of_the_calls_and_counts_the_tokens(self) -> None:
        session = await agent_of(
            ScriptedModel([call("look_up")], usage=tokens(9, 1)), Answers(decisions=[agents.reject("No.")])
        ).start_session()
        turn = await session.send_message("Hi.")
        assert completed(await turn.result()).tool_calls == ()
        assert await turn.usage() == tokens(9, 1)


class TestStopping:
    @pytest.mark.parametrize("point", ["pre_llm_call", "post_llm_call", "post_agent_turn"])
    async def test_an_interruption_stops_a_hook_that_waits(self, point: str) -> None:
        gate = Gate()
        session = await agent_of(ScriptedModel([reply("Hello.")]), holding(point, gate)).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).cause == "interrupted"

    @pytest.mark.parametrize("point", ["pre_agent_turn", "pre_llm_call", "post_llm_call", "post_agent_turn"])
    async def test_a_cancelled_session_stops_it_too(self, point: str) -> None:
        gate = Gate()
        session = await agent_of(ScriptedModel([reply("Hello.")]), holding(point, gate)).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await session.cancel()
        assert interrupted(await turn.result()).cause == "cancelled"

    @pytest.mark.parametrize("point", ["pre_agent_turn", "pre_llm_call"])
    async def test_a_hook_that_goes_on_regardless_calls_no_model_any_more(self, point: str) -> None:
        gate = Gate()
        model = ScriptedModel([reply("Hello.")])
        session = await agent_of(model, holding(point, gate, stubborn=True)).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        stopping = asyncio.ensure_future(turn.interrupt())
        await asyncio.sleep(0)
        gate.open()
        await stopping
        assert interrupted(await turn.result()).text is None
        assert model.requests == []

    async def test_a_reply_that_a_hook_looked_at_keeps_its_text(self) -> None:
        gate = Gate()
        session = await agent_of(ScriptedModel([reply("Hello.")]), holding("post_llm_call", gate)).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text == "Hello."


class TestAModelObjectThatIsStopped:
    async def test_and_streams_on_regardless_writes_into_no_later_turn(self) -> None:
        gate = Gate()

        class Stubborn:
            asked = 0

            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
                self.asked += 1
                if self.asked == 1:
                    try:
                        await gate.hold()
                    except asyncio.CancelledError:
                        yield agents.TextChunk("still here")
                yield agents.TextChunk("Hello.")
                yield agents.ReplyFinished(reason="stop", usage=tokens(1, 1))

        session = await agents.Agent(model=Stubborn()).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        await turn.interrupt()
        assert interrupted(await turn.result()).text is None
        assert completed(await session.run("Again.")).text == "Hello."

    async def test_by_itself_fails_the_turn(self) -> None:
        class GivesUp:
            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
                yield agents.TextChunk("Hel")
                raise asyncio.CancelledError

        error = failed(await agents.Agent(model=GivesUp()).run("Hi."))
        assert (error.code, error.retryable) == ("completion_failed_permanently", False)


def holding(point: str, gate: Gate, *, stubborn: bool = False) -> agents.Hook:
    """A hook that waits at a point; a stubborn one goes on when it is cancelled."""

    async def hold(self: agents.Hook, ctx: hook.HookContext, subject: Any) -> None:
        try:
            await gate.hold()
        except asyncio.CancelledError:
            if not stubborn:
                raise
            await gate.hold()

    made: type[agents.Hook] = type("Holding", (agents.Hook,), {point: hold, "__module__": __name__})
    return made()
