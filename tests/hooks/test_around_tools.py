"""`pre_tool_call` and `post_tool_call`, and the order in which a call is checked, permitted, asked about and run."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import Gate, ScriptedModel, call, calls, reply
from tests.support.asked import asked
from tests.support.outcomes import blocked, completed, failed, interrupted


class Bank:
    """A tool that pays, and what it paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.tool = agents.tool(self.pay)

    def pay(self, amount: int) -> str:
        """Pay."""
        self.paid.append(amount)
        return f"paid {amount}"


@pytest.fixture
def bank() -> Bank:
    """A bank that has paid nothing."""
    return Bank()


@agents.client_tool
def confirm(text: str) -> str:
    """Confirm."""
    raise AssertionError(text)


class Before(agents.Hook):
    """Gives one decision for every call, and keeps what it was shown."""

    decision: Any = Field(default=None, exclude=True)
    seen: list[hook.ToolCallRequest] = Field(default_factory=list[hook.ToolCallRequest], exclude=True)

    async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> Any:
        self.seen.append(call)
        if isinstance(self.decision, Exception):
            raise self.decision
        return self.decision


class After(agents.Hook):
    """The same after a call."""

    decision: Any = Field(default=None, exclude=True)
    seen: list[hook.ToolCallResult] = Field(default_factory=list[hook.ToolCallResult], exclude=True)

    async def post_tool_call(self, ctx: hook.HookContext, result: hook.ToolCallResult) -> Any:
        self.seen.append(result)
        if isinstance(self.decision, Exception):
            raise self.decision
        return self.decision


def arguments(**given: Any) -> hook.PreToolCallHookContinue:
    return hook.PreToolCallHookContinue(effective_arguments=given)


def paying(bank: Bank, *hooks: agents.Hook, amount: Any = 5, **options: Any) -> agents.Agent[str]:
    model = ScriptedModel([call("pay", {"amount": amount}), reply("Done.")])
    return agents.Agent(model=model, tools=[bank.tool], hooks=hooks, **options)


def model_of(agent: agents.Agent[str]) -> ScriptedModel:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


class TestBeforeACall:
    async def test_is_told_the_tool_its_hints_and_the_arguments(self, bank: Bank) -> None:
        before = Before()
        await paying(bank, before).run("Pay.")
        (seen,) = before.seen
        assert (seen.tool_id, seen.name, seen.arguments) == ("client.pay", "pay", {"amount": 5})
        assert seen.annotations == agents.ToolAnnotations()
        assert seen.tool_call_id

    async def test_lets_it_be(self, bank: Bank) -> None:
        await paying(bank, Before(), Before(decision=hook.PreToolCallHookContinue())).run("Pay.")
        assert bank.paid == [5]

    async def test_a_skip_gives_the_model_its_reason_and_runs_nothing(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=agents.skip("Nothing is paid today.")))
        state = completed(await agent.run("Pay."))
        assert bank.paid == []
        assert asked(model_of(agent))[-1] == "tool: Nothing is paid today."
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": 5}),)
        assert state.text == "Done."

    async def test_a_skip_stops_the_later_hooks_and_no_result_hook_sees_it(self, bank: Bank) -> None:
        later, after = Before(), After()
        await paying(bank, Before(decision=agents.skip("No.")), later, after).run("Pay.")
        assert later.seen == []
        assert after.seen == []

    async def test_new_arguments_are_what_runs_and_what_the_record_shows(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=arguments(amount=1)))
        state = completed(await agent.run("Pay."))
        assert bank.paid == [1]
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": 1}),)

    async def test_but_the_model_reads_its_own_call(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=arguments(amount=1)))
        await agent.run("Pay.")
        assert asked(model_of(agent))[1:] == ['assistant: pay({"amount": 5})', "tool: paid 1"]

    async def test_each_hook_sees_the_arguments_as_the_one_before_left_them(self, bank: Bank) -> None:
        last = Before()
        await paying(bank, Before(decision=arguments(amount=1)), last).run("Pay.")
        assert last.seen[0].arguments == {"amount": 1}

    async def test_new_arguments_are_validated(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=arguments(amount="much")))
        state = completed(await agent.run("Pay."))
        assert bank.paid == []
        assert "hook set arguments that do not fit" in asked(model_of(agent))[-1]
        assert "amount" in asked(model_of(agent))[-1]
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": "much"}),)

    @pytest.mark.parametrize("later", [agents.skip("No."), RuntimeError("broken")])
    async def test_new_arguments_are_in_the_record_though_a_later_hook_stops_the_call(
        self, bank: Bank, later: object
    ) -> None:
        state = completed(await paying(bank, Before(decision=arguments(amount=1)), Before(decision=later)).run("Pay."))
        assert bank.paid == []
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": 1}),)

    async def test_new_arguments_that_are_no_json_fail_the_call(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=arguments(amount=object())))
        completed(await agent.run("Pay."))
        assert bank.paid == []
        assert "Before.pre_tool_call" in asked(model_of(agent))[-1]

    @pytest.mark.parametrize("made_up", ['{"amount": "much"}', "{broken", '{"sum": 3}'])
    async def test_is_not_asked_of_a_call_that_cannot_run(self, bank: Bank, made_up: str) -> None:
        before = Before()
        model = ScriptedModel([call("pay", made_up), reply("Done.")])
        await agents.Agent(model=model, tools=[bank.tool], hooks=[before]).run("Pay.")
        assert before.seen == []
        assert "invalid_tool_call" in asked(model)[-1]

    async def test_changing_what_it_is_shown_changes_nothing(self, bank: Bank) -> None:
        class Meddles(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                assert isinstance(call.arguments, dict)
                call.arguments["amount"] = 1_000_000

        state = completed(await paying(bank, Meddles()).run("Pay."))
        assert bank.paid == [5]
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": 5}),)

    async def test_runs_for_the_calls_of_a_step_at_once(self, bank: Bank) -> None:
        arrived: list[int] = []
        gate = Gate()

        class Meets(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                arrived.append(1)
                if len(arrived) == 2:
                    gate.open()
                await gate.hold()

        model = ScriptedModel([calls(call("pay", {"amount": 1}), call("pay", {"amount": 2})), reply("Done.")])
        completed(await agents.Agent(model=model, tools=[bank.tool], hooks=[Meets()]).run("Pay.", timeout=10))
        assert sorted(bank.paid) == [1, 2]


class TestAfterACall:
    async def test_is_told_what_ran_and_what_came_of_it(self, bank: Bank) -> None:
        after = After()
        await paying(bank, Before(decision=arguments(amount=1)), after).run("Pay.")
        (seen,) = after.seen
        assert (seen.tool_id, seen.name, seen.arguments) == ("client.pay", "pay", {"amount": 1})
        assert seen.text == "paid 1"
        assert seen.tool_result.is_error is False

    async def test_lets_the_result_be(self, bank: Bank) -> None:
        agent = paying(bank, After(), After(decision=hook.PostToolCallHookContinue()))
        await agent.run("Pay.")
        assert asked(model_of(agent))[-1] == "tool: paid 5"

    async def test_is_told_of_a_failure(self) -> None:
        @agents.tool
        def fails() -> None:
            """Fail."""
            raise agents.ToolError("Not today.")

        after = After()
        model = ScriptedModel([call("fails"), reply("Done.")])
        await agents.Agent(model=model, tools=[fails], hooks=[after]).run("Try.")
        assert (after.seen[0].text, after.seen[0].tool_result.is_error) == ("Not today.", True)

    @pytest.mark.parametrize(
        ("given", "read"),
        [
            (agents.ToolResult[Any](content="[hidden]"), "[hidden]"),
            (agents.ToolResult[Any](structured={"hidden": True}), '{"hidden":true}'),
            (agents.ToolResult[Any](content=[agents.TextContentBlock(text="[hidden]")]), "[hidden]"),
        ],
    )
    async def test_a_new_result_is_what_the_model_reads_and_the_log_keeps(
        self, bank: Bank, given: agents.ToolResult[Any], read: str
    ) -> None:
        agent = paying(bank, After(decision=hook.PostToolCallHookContinue(tool_result=given)))
        session = await agent.start_session()
        completed(await session.run("Pay."))
        assert asked(model_of(agent))[-1] == f"tool: {read}"
        entry = next(entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry))
        assert "paid" not in str(entry)
        assert entry.structured == given.structured

    async def test_may_make_a_failure_of_it(self, bank: Bank) -> None:
        given = agents.ToolResult[None](content="Not for you.", is_error=True)
        agent = paying(bank, After(decision=hook.PostToolCallHookContinue(tool_result=given)))
        session = await agent.start_session()
        await session.run("Pay.")
        entry = next(entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry))
        assert entry.error is not None
        assert entry.error.message == "Not for you."

    async def test_each_hook_sees_the_result_as_the_one_before_left_it(self, bank: Bank) -> None:
        last = After()
        changed = hook.PostToolCallHookContinue(tool_result=agents.ToolResult(content="less"))
        await paying(bank, After(decision=changed), last).run("Pay.")
        assert last.seen[0].text == "less"

    async def test_a_result_that_is_no_json_fails_the_call_and_shows_nothing_of_it(self, bank: Bank) -> None:
        given = agents.ToolResult[Any](structured=object())
        agent = paying(bank, After(decision=hook.PostToolCallHookContinue(tool_result=given)))
        completed(await agent.run("Pay."))
        line = asked(model_of(agent))[-1]
        assert "After.post_tool_call" in line
        assert "paid 5" not in line

    async def test_sees_what_a_client_answered(self) -> None:
        after = After(decision=hook.PostToolCallHookContinue(tool_result=agents.ToolResult(content="checked yes")))
        model = ScriptedModel([call("confirm", {"text": "Sure?"}), reply("Done.")])
        session = await agents.Agent(model=model, tools=[confirm], hooks=[after]).start_session()
        turn = await session.send_message("Ask.")
        (question,) = blocked(await turn.result()).callbacks
        await turn.answer(question.id, "yes")
        completed(await turn.result())
        assert (after.seen[0].text, after.seen[0].arguments) == ("yes", {"text": "Sure?"})
        assert asked(model)[-1] == "tool: checked yes"

    async def test_a_clients_answer_is_not_lost_where_a_call_beside_it_fails_the_turn(self) -> None:
        broken, looked_at = Gate(), Gate()

        @agents.tool
        async def breaks() -> None:
            """Break."""
            await broken.hold()
            raise RuntimeError("broken")

        class Holds(agents.Hook):
            async def post_tool_call(self, ctx: hook.HookContext, result: hook.ToolCallResult) -> None:
                if result.name == "confirm":
                    await looked_at.hold()

        model = ScriptedModel([calls(call("confirm", {"text": "Sure?"}), call("breaks"))])
        agent = agents.Agent(model=model, tools=[confirm, breaks], hooks=[Holds()], tool_errors="raise")
        session = await agent.start_session()
        turn = await session.send_message("Ask.")
        (question,) = blocked(await turn.result()).callbacks
        await turn.answer(question.id, "yes")
        await looked_at.reached()
        broken.open()
        async for event in session.iter_events():
            if isinstance(event, agents.EntryCompleted) and isinstance(event.entry, agents.ToolResultEntry):
                break  # the other call has failed
        looked_at.open()
        assert failed(await turn.result()).code == "tool_raised"
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert [entry.error is None for entry in results] == [False, True]


class TestAHookThatFailsACall:
    """At the two tool points a hook's failure is the call's: the model reads it and the turn goes on."""

    @pytest.mark.parametrize("tool_errors", ["model", "raise"])
    async def test_before_it(self, bank: Bank, tool_errors: Any) -> None:
        agent = paying(bank, Before(decision=ValueError("no such account")), tool_errors=tool_errors)
        assert completed(await agent.run("Pay.")).text == "Done."
        assert bank.paid == []
        assert asked(model_of(agent))[-1].endswith("Before.pre_tool_call raised ValueError: no such account")

    async def test_after_it(self, bank: Bank) -> None:
        agent = paying(bank, After(decision=ValueError("cannot read it")))
        assert completed(await agent.run("Pay.")).text == "Done."
        assert bank.paid == [5]
        assert asked(model_of(agent))[-1].endswith("After.post_tool_call raised ValueError: cannot read it")

    async def test_spares_the_calls_beside_it(self, bank: Bank) -> None:
        class Picky(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                if call.arguments == {"amount": 1}:
                    raise ValueError("one is unlucky")

        model = ScriptedModel([calls(call("pay", {"amount": 1}), call("pay", {"amount": 2})), reply("Done.")])
        await agents.Agent(model=model, tools=[bank.tool], hooks=[Picky()]).run("Pay.")
        assert bank.paid == [2]
        assert [line.startswith("tool: paid") for line in asked(model)[2:]] == [False, True]

    async def test_by_cancelling_itself(self, bank: Bank) -> None:
        class GivesUp(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                raise asyncio.CancelledError

        assert completed(await paying(bank, GivesUp()).run("Pay.", timeout=10)).text == "Done."
        assert bank.paid == []

    async def test_by_a_decision_that_the_point_cannot_take(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=agents.retry("again")))
        assert completed(await agent.run("Pay.")).text == "Done."
        assert bank.paid == []
        line = asked(model_of(agent))[-1]
        assert "Before.pre_tool_call" in line
        assert "agents.retry()" in line


class TestTheOrderOfACall:
    """Validation, guardrails and hooks, policy and mode, the approval, the tool."""

    async def test_nobody_is_asked_about_a_call_that_a_guardrail_refuses(self, bank: Bank) -> None:
        agent = paying(bank, guardrails=[Before(decision=agents.skip("No."))], permission_mode="ask")
        assert completed(await agent.run("Pay.")).text == "Done."

    async def test_nor_about_one_that_is_not_valid(self, bank: Bank) -> None:
        assert completed(await paying(bank, amount="much", permission_mode="ask").run("Pay.")).text == "Done."

    async def test_nor_about_one_that_a_hook_made_invalid(self, bank: Bank) -> None:
        agent = paying(bank, Before(decision=arguments(amount="much")), permission_mode="ask")
        assert completed(await agent.run("Pay.")).text == "Done."

    async def test_the_policy_judges_the_arguments_that_would_run(self, bank: Bank) -> None:
        rule = agents.PermissionRule(tools=["client.pay"], decision="allow", denylist=["amount=1"])
        policy = agents.PermissionPolicy(default="allow", rules=[rule])
        agent = paying(bank, Before(decision=arguments(amount=1)), permission_policy=policy)
        await agent.run("Pay.")
        assert bank.paid == []
        assert asked(model_of(agent))[-1] == "tool: Tool call denied by permission policy"

    async def test_a_hook_may_bring_a_call_within_the_policy(self, bank: Bank) -> None:
        rule = agents.PermissionRule(tools=["client.pay"], decision="allow", denylist=["amount=5"])
        policy = agents.PermissionPolicy(default="allow", rules=[rule])
        await paying(bank, Before(decision=arguments(amount=1)), permission_policy=policy).run("Pay.")
        assert bank.paid == [1]

    async def test_the_person_is_shown_the_arguments_that_a_hook_set(self, bank: Bank) -> None:
        session = await paying(bank, Before(decision=arguments(amount=1)), permission_mode="ask").start_session()
        turn = await session.send_message("Pay.")
        (question,) = blocked(await turn.result()).callbacks
        assert isinstance(question, agents.OpenApproval)
        assert question.request.arguments == {"amount": 1}
        await turn.answer(question.id, agents.AllowApproval())
        completed(await turn.result())
        assert bank.paid == [1]

    async def test_no_hook_sees_the_call_again_once_it_is_approved(self, bank: Bank) -> None:
        before = Before()
        session = await paying(bank, before, permission_mode="ask").start_session()
        turn = await session.send_message("Pay.")
        (question,) = blocked(await turn.result()).callbacks
        before.decision = arguments(amount=1_000_000)
        await turn.answer(question.id, agents.AllowApproval())
        completed(await turn.result())
        assert (bank.paid, len(before.seen)) == ([5], 1)

    async def test_what_a_person_edits_runs_and_the_result_hook_is_told(self, bank: Bank) -> None:
        after = After()
        session = await paying(bank, after, permission_mode="ask").start_session()
        turn = await session.send_message("Pay.")
        (question,) = blocked(await turn.result()).callbacks
        await turn.answer(question.id, agents.AllowApproval(arguments={"amount": 2}))
        state = completed(await turn.result())
        assert bank.paid == [2]
        assert after.seen[0].arguments == {"amount": 2}
        assert state.tool_calls == (agents.ToolCall("client.pay", {"amount": 2}),)

    async def test_a_client_tool_is_seen_by_the_hook_then_approved_then_answered(self) -> None:
        order: list[str] = []

        class Sees(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                order.append("hook")

        model = ScriptedModel([call("confirm", {"text": "Sure?"}), reply("Done.")])
        agent = agents.Agent(model=model, tools=[confirm], hooks=[Sees()], permission_mode="ask")
        session = await agent.start_session()
        turn = await session.send_message("Ask.")
        (question,) = blocked(await turn.result()).callbacks
        order.append(question.kind)
        await turn.answer(question.id, agents.AllowApproval())
        (question,) = blocked(await turn.result()).callbacks
        order.append(question.kind)
        await turn.answer(question.id, "yes")
        completed(await turn.result())
        assert order == ["hook", "approval", "client_tool"]

    async def test_a_denied_call_was_seen_by_the_hooks_and_by_no_result_hook(self, bank: Bank) -> None:
        before, after = Before(), After()
        await paying(bank, before, after, permission_mode="deny").run("Pay.")
        assert (len(before.seen), after.seen) == (1, [])


class TestStopping:
    @pytest.mark.parametrize("point", ["pre_tool_call", "post_tool_call"])
    async def test_an_interruption_stops_a_hook_and_every_call_has_a_result(self, bank: Bank, point: str) -> None:
        gate = Gate()

        async def hold(self: agents.Hook, ctx: hook.HookContext, subject: Any) -> None:
            await gate.hold()

        @agents.tool
        async def pay(amount: int) -> str:
            """Pay."""
            return f"paid {amount}"

        holding: type[agents.Hook] = type("Holding", (agents.Hook,), {point: hold, "__module__": __name__})
        model = ScriptedModel([call("pay", {"amount": 5}), reply("Done.")])
        session = await agents.Agent(model=model, tools=[pay], hooks=[holding()]).start_session()
        turn = await session.send_message("Pay.")
        await gate.reached()
        await turn.interrupt()
        interrupted(await turn.result())
        completed(await session.run("Go on."))
        assert [line.partition(":")[0] for line in asked(model)] == ["user", "assistant", "tool", "user"]
        assert "interrupted" in asked(model)[2]

    async def test_a_call_does_not_run_where_its_hook_goes_on_through_an_interruption(self, bank: Bank) -> None:
        gate = Gate()

        class GoesOn(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                with contextlib.suppress(asyncio.CancelledError):
                    await gate.hold()

        agent = paying(bank, GoesOn())
        session = await agent.start_session()
        turn = await session.send_message("Pay.")
        await gate.reached()
        await turn.interrupt()
        interrupted(await turn.result())
        completed(await session.run("Go on."))
        assert bank.paid == []
        assert "interrupted before it ran" in asked(model_of(agent))[2]

    async def test_a_call_that_fails_the_turn_stops_the_hooks_of_its_siblings(self, bank: Bank) -> None:
        gate, stopped = Gate(), asyncio.Event()

        class HoldsPayments(agents.Hook):
            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
                if call.name == "pay":
                    try:
                        await gate.hold()
                    finally:
                        stopped.set()

        @agents.tool
        async def breaks() -> None:
            """Break."""
            await gate.reached()
            raise RuntimeError("broken")

        model = ScriptedModel([calls(call("pay", {"amount": 5}), call("breaks")), reply("Done.")])
        agent = agents.Agent(model=model, tools=[bank.tool, breaks], hooks=[HoldsPayments()], tool_errors="raise")
        session = await agent.start_session()
        assert failed(await session.run("Pay.")).code == "tool_raised"
        await stopped.wait()
        completed(await session.run("Go on."))
        assert bank.paid == []
