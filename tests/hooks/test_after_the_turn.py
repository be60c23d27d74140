"""`post_agent_turn`: what may be done about an answer before the turn ends with it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import Gate, ScriptedModel, call, calls, reply
from tests.support.asked import asked
from tests.support.outcomes import completed, failed


@agents.tool
def look_up(name: str = "x") -> str:
    """Look something up."""
    return f"found {name}"


class Answers(agents.Hook):
    """Gives its decisions one after the other, then None, and keeps what it was shown."""

    decisions: list[Any] = Field(default_factory=list[Any], exclude=True)
    seen: list[hook.AgentTurnResult] = Field(default_factory=list[hook.AgentTurnResult], exclude=True)
    gates: list[Gate] = Field(default_factory=list[Gate], exclude=True)

    async def post_agent_turn(self, ctx: hook.HookContext, result: hook.AgentTurnResult) -> Any:
        self.seen.append(result)
        if self.gates:
            await self.gates.pop(0).hold()
        return self.decisions.pop(0) if self.decisions else None


ACCEPTED = hook.PostAgentTurnHookAccept(content="The better answer.")


class TestTheAnswer:
    async def test_is_shown_with_the_calls_by_the_models_names(self) -> None:
        class Rewrites(agents.Hook):
            async def pre_tool_call(
                self, ctx: hook.HookContext, call: hook.ToolCallRequest
            ) -> hook.PreToolCallHookContinue:
                return hook.PreToolCallHookContinue(effective_arguments={"name": "b"})

        sees = Answers()
        model = ScriptedModel([calls(call("look_up", {"name": "a"}), call("look_up", "{broken")), reply("Done.")])
        await agents.Agent(model=model, tools=[look_up], hooks=[Rewrites(), sees]).run("Hi.")
        assert sees.seen == [
            hook.AgentTurnResult(
                content="Done.",
                tool_calls=(agents.ToolCall("look_up", {"name": "a"}), agents.ToolCall("look_up", "{broken")),
            )
        ]

    async def test_stays_as_it_is(self) -> None:
        hooks = [Answers(), Answers(decisions=[hook.PostAgentTurnHookAccept()])]
        assert completed(await agents.Agent(model=ScriptedModel([reply("A")]), hooks=hooks).run("Hi.")).text == "A"

    async def test_is_replaced_in_the_record_and_in_what_later_turns_send(self) -> None:
        model = ScriptedModel([reply("An answer."), reply("Bye.")])
        session = await agents.Agent(model=model, hooks=[Answers(decisions=[ACCEPTED])]).start_session()
        state = completed(await session.run("Hi."))
        assert (state.text, state.output, state.stop_reason) == ("The better answer.", "The better answer.", None)
        await session.run("Bye.")
        assert asked(model) == ["user: Hi.", "assistant: The better answer.", "user: Bye."]

    async def test_in_place_of_an_empty_one_is_sent_by_later_turns_too(self) -> None:
        model = ScriptedModel([reply(""), reply("Bye.")])
        session = await agents.Agent(model=model, hooks=[Answers(decisions=[ACCEPTED])]).start_session()
        assert completed(await session.run("Hi.")).text == "The better answer."
        await session.run("Bye.")
        assert asked(model) == ["user: Hi.", "assistant: The better answer.", "user: Bye."]

    async def test_is_parsed_as_it_was_replaced(self) -> None:
        hooks = [Answers(decisions=[hook.PostAgentTurnHookAccept(content="7")])]
        agent = agents.Agent(model=ScriptedModel([reply("seven")]), hooks=hooks, output_type=int)
        assert completed(await agent.run("Hi.")).output == 7

    async def test_is_seen_by_each_hook_as_the_one_before_left_it(self) -> None:
        last = Answers()
        hooks = [Answers(decisions=[ACCEPTED]), last]
        await agents.Agent(model=ScriptedModel([reply("A")]), hooks=hooks).run("Hi.")
        assert last.seen[0].content == "The better answer."

    async def test_of_a_turn_that_reached_its_limit_is_seen_and_replaced_too(self) -> None:
        model = ScriptedModel([call("look_up", text="Looking.")])
        hooks = [Answers(decisions=[ACCEPTED])]
        agent = agents.Agent(model=model, tools=[look_up], hooks=hooks, max_iterations=1)
        state = completed(await agent.run("Hi."))
        assert (state.text, state.stop_reason) == ("The better answer.", "iteration_limit")

    async def test_of_a_turn_whose_last_call_a_person_refused_is_seen_and_replaced_too(self) -> None:
        model = ScriptedModel([call("look_up", text="Looking.")])
        hooks = [Answers(decisions=[ACCEPTED])]
        agent = agents.Agent(model=model, tools=[look_up], hooks=hooks, max_iterations=1, permission_mode="ask")
        state = completed(await agent.run("Hi.", on_approval=lambda ctx, request: agents.DenyApproval()))
        assert (state.text, state.stop_reason) == ("The better answer.", "iteration_limit")

    async def test_of_a_skipped_turn_is_none(self) -> None:
        class Refuses(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> hook.Skip:
                return agents.skip("No.")

        sees = Answers()
        await agents.Agent(model=ScriptedModel([]), guardrails=[Refuses()], hooks=[sees]).run("Hi.")
        assert sees.seen == []


class TestAMessageThatArrivesWhileAHookLooksAtTheAnswer:
    async def test_is_answered_before_the_turn_ends(self) -> None:
        gate = Gate()
        hooks = Answers(decisions=[ACCEPTED], gates=[gate])
        model = ScriptedModel([reply("First."), reply("Second.")])
        session = await agents.Agent(model=model, hooks=[hooks]).start_session()
        turn = await session.send_message("Hi.")
        await gate.reached()
        assert isinstance(await turn.steer("And now?"), agents.Turn)
        gate.open()
        state = completed(await turn.result())
        assert state.text == "Second."
        assert asked(model) == ["user: Hi.", "assistant: First.", "user: And now?"]
        assert [one.content for one in hooks.seen] == ["First.", "Second."]

    async def test_is_answered_once_even_where_its_answer_is_there_before_the_hook_is_done(self) -> None:
        first, second = Gate(), Gate()
        hooks = Answers(gates=[first, second])
        model = ScriptedModel([reply("First."), reply("Second.")])
        session = await agents.Agent(model=model, hooks=[hooks]).start_session()
        turn = await session.send_message("Hi.")
        await first.reached()
        await turn.steer("And now?")
        async for event in session.iter_events():
            if isinstance(event, agents.EntryCompleted) and getattr(event.entry, "text", "") == "Second.":
                break
        first.open()
        await second.reached()
        second.open()
        assert completed(await turn.result()).text == "Second."
        model.assert_consumed()


class TestAHookThatRaises:
    async def test_fails_the_turn_and_keeps_the_answer_as_its_text(self) -> None:
        class Raises(agents.Hook):
            async def post_agent_turn(self, ctx: hook.HookContext, result: hook.AgentTurnResult) -> None:
                raise ValueError("cannot file it")

        state = await agents.Agent(model=ScriptedModel([reply("A")]), hooks=[Raises()]).run("Hi.")
        assert failed(state).message == "Hook Raises.post_agent_turn raised ValueError: cannot file it"
        assert isinstance(state, agents.Failed)
        assert state.text == "A"
