"""Exceptions that derive from BaseException alone, as libraries raise them: in hooks and models, errors like others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.authoring.hook_points import POINTS
from mistralai.agents.testing import ScriptedModel, Step, call, calls, reply
from tests.regressions.test_model_objects import Says
from tests.support.outcomes import completed, failed

if TYPE_CHECKING:
    from mistralai.agents import hook


class Panic(BaseException):
    """What a library written in another language raises."""


RAISED = [Panic("b"), BaseExceptionGroup("many", [Panic("b")]), GeneratorExit()]
OF_A_CALL = ["pre_tool_call", "post_tool_call"]


@agents.tool
def pay(n: int) -> str:
    """Pay."""
    return f"paid {n}"


def raising(point: str, error: BaseException) -> agents.Hook:
    async def run(self: agents.Hook, ctx: hook.HookContext, subject: Any) -> None:
        if getattr(subject, "arguments", {"n": 1}) == {"n": 1}:
            raise error

    made: type[agents.Hook] = type("Made", (agents.Hook,), {point: run, "__module__": __name__})
    return made()


class TestAHookThatRaisesOne:
    @pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
    @pytest.mark.parametrize("point", [point for point in POINTS if point not in OF_A_CALL])
    async def test_fails_the_turn_and_is_named(self, point: str, error: BaseException) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("Done.")]), hooks=[raising(point, error)])
        problem = failed(await agent.run("x"))
        assert problem.code == "capability_execution_failed"
        assert f"{point} raised {type(error).__name__}" in problem.message

    @pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
    @pytest.mark.parametrize("point", OF_A_CALL)
    async def test_at_a_call_fails_that_call_alone(self, point: str, error: BaseException) -> None:
        model = ScriptedModel([calls(call("pay", {"n": 1}), call("pay", {"n": 2})), reply("Done.")])
        agent = agents.Agent(model=model, tools=[pay], hooks=[raising(point, error)])
        completed(await agent.run("x"))
        first, second = (m.content for m in model.requests[1].messages if isinstance(m, agents.ToolMessage))
        assert f"{point} raised {type(error).__name__}" in str(first)
        assert second == "paid 2"


class TestAModelThatRaisesOne:
    @pytest.mark.parametrize("error", [Panic("b"), BaseExceptionGroup("many", [Panic("b")])], ids=repr)
    async def test_fails_the_turn(self, error: BaseException) -> None:
        problem = failed(await agents.Agent(model=Says(error)).run("x"))
        assert str(problem.code).startswith("completion_failed")
        assert type(error).__name__ in problem.message


class TestOneThatEndsTheProgram:
    """It goes through to whoever runs the loop, who may go on with it: the step is taken again."""

    @pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
    @pytest.mark.parametrize("where", ["model", *POINTS])
    def test_is_left_to_the_loops_owner(self, where: str, error: BaseException) -> None:
        raised: list[str] = []
        begun = asyncio.Event()

        async def once() -> None:
            await begun.wait()
            if not raised:
                raised.append(where)
                raise error

        async def at_point(self: agents.Hook, ctx: hook.HookContext, subject: Any) -> None:
            await once()

        async def leave(request: agents.ModelRequest) -> Step:
            await once()
            return reply("Done.")

        if where == "model":
            model, hooks = ScriptedModel([leave, reply("Done.")]), list[agents.Hook]()
        else:
            made: type[agents.Hook] = type("Made", (agents.Hook,), {where: at_point, "__module__": __name__})
            model, hooks = ScriptedModel([call("pay", {"n": 1}), *[reply("Done.")] * 3]), [made()]
        agent = agents.Agent(model=model, tools=[pay], hooks=hooks)

        async def start() -> agents.Turn:
            return await (await agent.start_session()).send_message("x")

        async def end(turn: agents.Turn) -> object:
            begun.set()
            state = await turn.result()
            await turn.session.cancel()
            return state

        with asyncio.Runner() as runner:
            turn = runner.run(start())
            with pytest.raises(type(error)):
                runner.run(end(turn))
            assert completed(runner.run(end(turn))).text == "Done."
        assert raised == [where]
