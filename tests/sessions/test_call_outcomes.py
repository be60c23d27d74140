"""`ToolCall.outcome`: whether a call of a turn's record ran. One test a way in which a call can end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import ScriptedModel, Step, call, calls, reply
from tests.support.outcomes import blocked, completed


@agents.tool
def pay(amount: int) -> str:
    """Pay."""
    if amount == 13:
        raise agents.ToolError("The bank refuses 13.")
    if amount < 0:
        raise ValueError("negative")
    return f"paid {amount}"


@agents.tool(timeout_seconds=0.01)
async def dawdle() -> str:
    """Never end."""
    await asyncio.Event().wait()
    return "never"


@agents.tool(output_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
def measure() -> dict[str, str]:
    """Measure."""
    return {"n": "many"}


@agents.client_tool
def confirm(text: str) -> bool:
    """Confirm."""
    raise AssertionError(text)


class AtCalls(agents.Hook):
    """Gives one decision before and one after every call."""

    before: Any = Field(default=None, exclude=True)
    after: Any = Field(default=None, exclude=True)

    async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> Any:
        return _given(self.before)

    async def post_tool_call(self, ctx: hook.HookContext, result: hook.ToolCallResult) -> Any:
        return _given(self.after)


def _given(decision: Any) -> Any:
    if isinstance(decision, Exception):
        raise decision
    return decision


def agent_of(*steps: Step, **options: Any) -> agents.Agent[str]:
    model = ScriptedModel([*steps, reply("Done.")])
    return agents.Agent(model=model, tools=[pay, dawdle, measure, confirm], **options)


def outcomes(state: object) -> list[str | None]:
    return [made.outcome for made in completed(state).tool_calls]


async def of(step: Step, **options: Any) -> str | None:
    (only,) = outcomes(await agent_of(step, **options).run("Go."))
    return only


async def answered(step: Step, answer: object, **options: Any) -> str | None:
    session = await agent_of(step, **options).start_session()
    turn = await session.send_message("Go.")
    state = blocked(await turn.result())
    await turn.answer(state.callbacks[0].id, answer)
    (only,) = outcomes(await turn.result(after=state))
    return only


NO = agents.ToolResult[Any](content="No.", is_error=True)
PAY = call("pay", {"amount": 1})
CONFIRM = call("confirm", {"text": "Sure?"})


class TestACallThatRan:
    async def test_and_gave_a_result_succeeded(self) -> None:
        assert await of(PAY) == "succeeded"
        assert await answered(PAY, agents.AllowApproval(), permission_mode="ask") == "succeeded"

    @pytest.mark.parametrize("amount", [13, -1])
    async def test_and_raised_failed(self, amount: int) -> None:
        assert await of(call("pay", {"amount": amount})) == "failed"

    async def test_and_gave_what_does_not_fit_its_schema_failed(self) -> None:
        assert await of(call("measure", {})) == "failed"

    async def test_and_whose_result_a_hook_made_an_error_or_could_not_look_at_failed(self) -> None:
        bad = hook.PostToolCallHookContinue(tool_result=NO)
        assert await of(PAY, hooks=[AtCalls(after=bad)]) == "failed"
        assert await of(PAY, hooks=[AtCalls(after=RuntimeError("broken"))]) == "failed"

    async def test_on_the_client_is_what_the_client_said(self) -> None:
        assert await answered(CONFIRM, True) == "succeeded"
        assert await answered(CONFIRM, NO) == "failed"


class TestACallThatDidNotRun:
    async def test_because_the_policy_or_the_mode_denied_it(self) -> None:
        rule = agents.PermissionRule(tools=["client.pay"], decision="deny")
        assert await of(PAY, permission_policy=agents.PermissionPolicy(rules=[rule])) == "not_run"
        assert await of(PAY, permission_mode="deny") == "not_run"

    async def test_because_a_person_denied_it(self) -> None:
        assert await answered(PAY, agents.DenyApproval(), permission_mode="ask") == "not_run"
        assert await answered(CONFIRM, agents.DenyApproval(), permission_mode="ask") == "not_run"

    async def test_because_nobody_approved_it_in_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.02")
        session = await agent_of(PAY, permission_mode="ask").start_session()
        turn = await session.send_message("Go.")
        assert outcomes(await turn.result(after=blocked(await turn.result()))) == ["not_run"]

    async def test_because_a_hook_skipped_it_or_failed(self) -> None:
        misfit = hook.PreToolCallHookContinue(effective_arguments={"amount": "x"})
        for decision in (agents.skip("No."), RuntimeError("broken"), misfit):
            assert await of(PAY, hooks=[AtCalls(before=decision)]) == "not_run"

    async def test_because_its_arguments_do_not_fit(self) -> None:
        assert await of(call("pay", {"euros": 1})) == "not_run"
        assert await of(call("pay", "{broken")) == "not_run"

    async def test_because_the_turn_had_used_up_its_calls(self) -> None:
        state = await agent_of(calls(PAY, PAY), limits=agents.UsageLimits(tool_calls=1)).run("Go.")
        assert outcomes(state) == ["succeeded", "not_run"]


class TestACallThatNobodyCanTellOf:
    async def test_had_started_when_its_time_was_over(self) -> None:
        assert await of(call("dawdle", {})) == "unknown"

    async def test_stays_so_whatever_hooks_say_of_its_failure(self) -> None:
        bad = hook.PostToolCallHookContinue(tool_result=NO)
        for decision in (bad, RuntimeError("broken")):
            assert await of(call("dawdle", {}), hooks=[AtCalls(after=decision)]) == "unknown"

    async def test_was_on_a_client_that_did_not_answer_in_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.02")
        session = await agent_of(CONFIRM).start_session()
        turn = await session.send_message("Go.")
        assert outcomes(await turn.result(after=blocked(await turn.result()))) == ["unknown"]


class TestWhatAHookIsTold:
    async def test_is_nothing_before_the_calls_and_how_they_went_after_the_turn(self) -> None:
        told: list[list[str | None]] = []

        class Look(agents.Hook):
            async def post_llm_call(self, ctx: hook.HookContext, invocation: hook.PostLLMCallInvocation) -> None:
                told.append([made.outcome for made in invocation.tool_calls])

            async def post_agent_turn(self, ctx: hook.HookContext, result: hook.AgentTurnResult) -> None:
                told.append([made.outcome for made in result.tool_calls])

        await agent_of(calls(PAY, call("pay", {"amount": 13})), hooks=[Look()]).run("Go.")
        assert told == [[None, None], [], ["succeeded", "failed"]]


class TestTheOutcome:
    def test_says_more_of_a_call_and_is_no_part_of_which_call_it_is(self) -> None:
        ran, plain = agents.ToolCall("client.g", 1, outcome="succeeded"), agents.ToolCall("client.g", 1)
        assert ran == plain
        assert hash(ran) == hash(plain)
        assert plain.outcome is None
        match ran:
            case agents.ToolCall(name, arguments):
                assert (name, arguments) == ("client.g", 1)
        match ran:
            case agents.ToolCall(outcome="succeeded"):
                assert repr(ran) == "ToolCall(name='client.g', arguments=1, outcome='succeeded')"
            case _:
                pytest.fail("it matches by keyword")

    def test_is_given_by_keyword_only(self) -> None:
        by_position: Any = agents.ToolCall
        with pytest.raises(TypeError):
            by_position("client.g", 1, "succeeded")

    def test_is_in_the_json_and_may_be_missing_there(self) -> None:
        ran = agents.ToolCall("client.g", 1, outcome="succeeded")
        assert agents.from_json(agents.ToolCall, agents.to_json(ran)).outcome == "succeeded"
        assert agents.from_json(agents.ToolCall, {"name": "client.g", "arguments": 1}).outcome is None
        assert agents.from_json(agents.ToolCall, {"name": "g", "arguments": 1, "outcome": "later"}).outcome == "later"
