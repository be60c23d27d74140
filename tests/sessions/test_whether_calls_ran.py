"""Whether a call ran, as the history tells: one test a way in which a call can end."""

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


async def outcomes(session: agents.Session, state: object) -> list[str]:
    """Return of each call of the session's turns "done", or whether it ran although it failed."""
    completed(state)
    results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
    return ["done" if each.error is None else str((each.error.details or {})["ran"]) for each in results]


async def of(step: Step, **options: Any) -> str:
    session = await agent_of(step, **options).start_session()
    (only,) = await outcomes(session, await session.run("Go."))
    return only


async def answered(step: Step, answer: object, **options: Any) -> str:
    session = await agent_of(step, **options).start_session()
    turn = await session.send_message("Go.")
    state = blocked(await turn.result())
    await turn.answer(state.callbacks[0].id, answer)
    (only,) = await outcomes(session, await turn.result(after=state))
    return only


NO = agents.ToolResult[Any](content="No.", is_error=True)
PAY = call("pay", {"amount": 1})
CONFIRM = call("confirm", {"text": "Sure?"})


class TestACallThatRan:
    async def test_and_gave_a_result_succeeded(self) -> None:
        assert await of(PAY) == "done"
        assert await answered(PAY, agents.AllowApproval(), permission_mode="ask") == "done"

    @pytest.mark.parametrize("amount", [13, -1])
    async def test_and_raised_failed(self, amount: int) -> None:
        assert await of(call("pay", {"amount": amount})) == "yes"

    async def test_and_gave_what_does_not_fit_its_schema_failed(self) -> None:
        assert await of(call("measure", {})) == "yes"

    async def test_and_whose_result_a_hook_made_an_error_or_could_not_look_at_failed(self) -> None:
        bad = hook.PostToolCallHookContinue(tool_result=NO)
        assert await of(PAY, hooks=[AtCalls(after=bad)]) == "yes"
        assert await of(PAY, hooks=[AtCalls(after=RuntimeError("broken"))]) == "yes"

    async def test_on_the_client_is_what_the_client_said(self) -> None:
        assert await answered(CONFIRM, True) == "done"
        assert await answered(CONFIRM, NO) == "yes"


class TestACallThatDidNotRun:
    async def test_because_the_policy_or_the_mode_denied_it(self) -> None:
        rule = agents.PermissionRule(tools=["client.pay"], decision="deny")
        assert await of(PAY, permission_policy=agents.PermissionPolicy(rules=[rule])) == "no"
        assert await of(PAY, permission_mode="deny") == "no"

    async def test_because_a_person_denied_it(self) -> None:
        assert await answered(PAY, agents.DenyApproval(), permission_mode="ask") == "no"
        assert await answered(CONFIRM, agents.DenyApproval(), permission_mode="ask") == "no"

    async def test_because_nobody_approved_it_in_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.02")
        session = await agent_of(PAY, permission_mode="ask").start_session()
        turn = await session.send_message("Go.")
        assert await outcomes(session, await turn.result(after=blocked(await turn.result()))) == ["no"]

    async def test_because_a_hook_skipped_it_or_failed(self) -> None:
        misfit = hook.PreToolCallHookContinue(effective_arguments={"amount": "x"})
        for decision in (agents.skip("No."), RuntimeError("broken"), misfit):
            assert await of(PAY, hooks=[AtCalls(before=decision)]) == "no"

    async def test_because_its_arguments_do_not_fit(self) -> None:
        assert await of(call("pay", {"euros": 1})) == "no"
        assert await of(call("pay", "{broken")) == "no"

    async def test_because_the_turn_had_used_up_its_calls(self) -> None:
        session = await agent_of(calls(PAY, PAY), limits=agents.UsageLimits(tool_calls=1)).start_session()
        assert sorted(await outcomes(session, await session.run("Go."))) == ["done", "no"]


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
        assert await outcomes(session, await turn.result(after=blocked(await turn.result()))) == ["unknown"]
