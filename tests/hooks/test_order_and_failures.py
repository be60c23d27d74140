"""What holds at every point: guardrails first, wrong decisions, hooks that raise, session inputs, tools they bring."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.authoring.hook_points import POINTS
from mistralai.agents.testing import Gate, ScriptedModel, call, reply, tokens
from tests.support.asked import asked
from tests.support.outcomes import blocked, completed, failed

NO_TEXT: Any = 3
TURN_POINTS = ["pre_agent_turn", "pre_llm_call", "post_llm_call", "post_agent_turn"]
DECISIONS: dict[str, hook.HookDecision] = {
    "agents.skip()": agents.skip("r"),
    "agents.retry()": agents.retry("r"),
    "agents.reject()": agents.reject("r"),
    "PreAgentTurnHookContinue": hook.PreAgentTurnHookContinue(),
    "PreLLMCallHookContinue": hook.PreLLMCallHookContinue(),
    "PostLLMCallHookAccept": hook.PostLLMCallHookAccept(),
    "PreToolCallHookContinue": hook.PreToolCallHookContinue(),
    "PostToolCallHookContinue": hook.PostToolCallHookContinue(),
    "PostAgentTurnHookAccept": hook.PostAgentTurnHookAccept(),
}
WRONG = [
    (point, name)
    for point, kinds in POINTS.items()
    for name, decision in DECISIONS.items()
    if not isinstance(decision, kinds)
]


@agents.tool
def look_up() -> str:
    """Look something up."""
    return "found"


def at(point: str, does: Any) -> agents.Hook:
    """A hook that does something at one point: returns what `does` gives, or raises it."""

    async def run(self: agents.Hook, ctx: hook.HookContext, subject: Any) -> Any:
        outcome = does() if callable(does) else does
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    made: type[agents.Hook] = type("Made", (agents.Hook,), {point: run, "__module__": __name__})
    return made()


def model() -> ScriptedModel:
    return ScriptedModel([call("look_up"), reply("Done.")], usage=tokens(10, 1))


class TestGuardrails:
    @pytest.mark.parametrize("point", POINTS)
    async def test_run_before_the_hooks_at_every_point(self, point: str) -> None:
        order: list[str] = []
        agent = agents.Agent(
            model=model(),
            tools=[look_up],
            hooks=[at(point, lambda: order.append("hook 1")), at(point, lambda: order.append("hook 2"))],
            guardrails=[at(point, lambda: order.append("guardrail 1")), at(point, lambda: order.append("guardrail 2"))],
        )
        completed(await agent.run("Hi."))
        assert order[:4] == ["guardrail 1", "guardrail 2", "hook 1", "hook 2"]

    @pytest.mark.parametrize("point", ["pre_agent_turn", "pre_llm_call", "pre_tool_call"])
    async def test_stop_the_later_hooks_with_a_skip(self, point: str) -> None:
        reached: list[str] = []
        agent = agents.Agent(
            model=model(),
            tools=[look_up],
            hooks=[at(point, lambda: reached.append("hook"))],
            guardrails=[at(point, agents.skip("No.")), at(point, lambda: reached.append("guardrail"))],
        )
        completed(await agent.run("Hi."))
        assert reached == []


class TestADecisionThatAPointCannotTake:
    @pytest.mark.parametrize(("point", "name"), WRONG)
    async def test_is_an_error_that_names_both(self, point: str, name: str) -> None:
        scripted = model()
        state = await agents.Agent(model=scripted, tools=[look_up], hooks=[at(point, DECISIONS[name])]).run("Hi.")
        if point in TURN_POINTS:
            error = failed(state)
            assert (error.code, error.retryable) == ("capability_execution_failed", False)
            told = error.message
        else:
            completed(state)
            told = asked(scripted)[-1]
        assert f"Made.{point}" in told
        assert name in told

    @pytest.mark.parametrize("returned", ["no", False, 0, {"reason": "no"}, agents.Hook])
    async def test_nor_is_another_value_one(self, returned: Any) -> None:
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[at("pre_agent_turn", lambda: returned)])
        assert "Made.pre_agent_turn" in failed(await agent.run("Hi.")).message

    @pytest.mark.parametrize(
        ("point", "returned"),
        [
            ("pre_agent_turn", hook.Skip(reason=NO_TEXT)),
            ("post_llm_call", hook.Retry(feedback=NO_TEXT)),
            ("post_llm_call", hook.PostLLMCallHookAccept(content=NO_TEXT)),
            ("post_agent_turn", hook.PostAgentTurnHookAccept(content=NO_TEXT)),
        ],
    )
    async def test_nor_is_one_whose_text_is_none(self, point: str, returned: Any) -> None:
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[at(point, returned)])
        assert f"Made.{point}" in failed(await agent.run("Hi.")).message

    @pytest.mark.parametrize("make", [agents.skip, agents.retry, agents.reject])
    def test_the_short_forms_take_a_string_only(self, make: Any) -> None:
        with pytest.raises(agents.SdkError, match=r"Pass a string"):
            make(3)


class TestAHookThatRaises:
    @pytest.mark.parametrize("point", TURN_POINTS)
    async def test_fails_the_turn_with_its_own_words_last(self, point: str) -> None:
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[at(point, ValueError("the ledger is shut"))])
        error = failed(await agent.run("Hi."))
        assert (error.code, error.retryable) == ("capability_execution_failed", False)
        assert f"Made.{point}" in error.message
        assert error.message.endswith("the ledger is shut")

    @pytest.mark.parametrize("point", POINTS)
    async def test_is_logged_with_its_traceback(self, point: str, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.ERROR, "mistralai.agents"):
            await agents.Agent(model=model(), tools=[look_up], hooks=[at(point, ValueError("shut"))]).run("Hi.")
        assert any(record.exc_info and f"Made.{point}" in record.getMessage() for record in caplog.records)

    @pytest.mark.parametrize("point", TURN_POINTS)
    async def test_by_cancelling_itself_fails_the_turn_too(self, point: str) -> None:
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[at(point, asyncio.CancelledError())])
        assert failed(await agent.run("Hi.", timeout=10)).code == "capability_execution_failed"

    async def test_after_a_reply_leaves_its_tokens_counted(self) -> None:
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[at("post_llm_call", ValueError("shut"))])
        session = await agent.start_session()
        turn = await session.send_message("Hi.")
        failed(await turn.result())
        assert await turn.usage() == tokens(10, 1)

    async def test_leaves_the_session_usable(self) -> None:
        outcomes: list[Any] = [ValueError("shut"), None]
        agent = agents.Agent(model=ScriptedModel([reply("A")]), hooks=[at("pre_llm_call", lambda: outcomes.pop(0))])
        session = await agent.start_session()
        failed(await session.run("Hi."))
        assert completed(await session.run("Again.")).text == "A"


class Org(agents.SessionInput):
    input_id = "org"
    name: str


class TestSessionInputs:
    @pytest.mark.parametrize("point", POINTS)
    async def test_reach_every_point(self, point: str) -> None:
        seen: list[str] = []

        async def run(
            self: agents.Hook, ctx: hook.HookContext, subject: Any, org: Annotated[Org, agents.Depends()]
        ) -> None:
            seen.append(org.name)

        made: type[agents.Hook] = type("Made", (agents.Hook,), {point: run, "__module__": __name__})
        agent = agents.Agent(model=model(), tools=[look_up], hooks=[made()])
        completed(await agent.run("Hi.", session_inputs={"org": Org(name="acme")}))
        assert set(seen) == {"acme"}

    async def test_that_are_missing_fail_what_needs_them(self) -> None:
        class Needs(agents.Hook):
            async def pre_agent_turn(
                self, ctx: hook.HookContext, request: hook.AgentTurnRequest, org: Annotated[Org, agents.Depends()]
            ) -> None: ...

        session = await agents.Agent(model=model(), hooks=[Needs()]).start_session()
        error = failed(await session.run("Hi."))
        assert error.code == "capability_execution_failed"
        assert error.message.startswith("Hook Needs.pre_agent_turn did not run: Session input 'org' was not given.")
        assert (await session.info()).status == "waiting"


@agents.client_tool
def confirm(text: str) -> bool:
    """Confirm something."""
    raise AssertionError(text)


class TestToolsThatAHookBrings:
    @pytest.mark.parametrize("where", ["hooks", "guardrails"])
    async def test_are_offered_and_run(self, where: str) -> None:
        given: dict[str, Any] = {where: [agents.Hook(tools=(look_up,))]}
        scripted = model()
        state = completed(await agents.Agent(model=scripted, **given).run("Hi."))
        assert [tool.name for tool in scripted.requests[0].tools] == ["look_up"]
        assert state.tool_calls == (agents.ToolCall("client.look_up", {}),)

    async def test_pass_the_same_gate(self) -> None:
        agent = agents.Agent(model=model(), hooks=[agents.Hook(tools=(look_up,))], permission_mode="ask")
        session = await agent.start_session()
        (question,) = blocked(await (await session.send_message("Hi.")).result()).callbacks
        assert question.title == "Allow tools.client.look_up?"

    async def test_may_be_client_tools_whose_calls_can_be_run(self) -> None:
        scripted = ScriptedModel([call("confirm", {"text": "Sure?"}), reply("Done.")])
        session = await agents.Agent(model=scripted, hooks=[agents.Hook(tools=(confirm,))]).start_session()
        turn = await session.send_message("Hi.")
        (question,) = blocked(await turn.result()).callbacks
        assert confirm.called(question)
        assert await question.run(lambda text: text == "Sure?") is True
        await turn.answer(question.id, True)
        completed(await turn.result())
        assert asked(scripted)[-1] == "tool: true"

    def test_of_a_name_that_is_taken_are_refused(self) -> None:
        with pytest.raises(agents.SdkError, match="look_up"):
            agents.Agent(model="m", tools=[look_up], hooks=[agents.Hook(tools=(look_up,))])


class TestTheHooksOfTwoSessions:
    async def test_run_side_by_side(self) -> None:
        gate = Gate()

        class Holds(agents.Hook):
            count: int = 0
            seen: list[int] = Field(default_factory=list[int], exclude=True)

            async def pre_llm_call(self, ctx: hook.HookContext, invocation: hook.PreLLMCallInvocation) -> None:
                self.count += 1
                self.seen.append(self.count)
                if len(self.seen) == 2:
                    gate.open()
                await gate.hold()

        holds = Holds()
        agent = agents.Agent(model=ScriptedModel([reply("A"), reply("B")]), hooks=[holds])
        states = await asyncio.gather(agent.run("1", timeout=10), agent.run("2", timeout=10))
        assert {completed(state).text for state in states} == {"A", "B"}
        assert holds.seen == [1, 1]
