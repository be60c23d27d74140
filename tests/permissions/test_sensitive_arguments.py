"""Arguments that a policy calls sensitive: whole in the request that a person judges, nowhere in logs and titles."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.support.outcomes import blocked, completed, failed

SECRET = "hunter2-of-the-test"
POLICY = agents.PermissionPolicy(
    default="allow",
    rules=[agents.PermissionRule(tools=["client.log_in"], decision="ask", sensitive=["password", "extra"])],
)


@agents.tool
def log_in(user: str, password: str, extra: dict[str, Any] | None = None) -> str:
    """Log in."""
    raise ValueError(f"{user} cannot log in with {password!r} and {extra}")


def agent_of(arguments: dict[str, Any], **options: Any) -> agents.Agent[str]:
    model = ScriptedModel([call("log_in", arguments), reply("Done.")])
    return agents.Agent(model=model, tools=[log_in], permission_policy=POLICY, **options)


async def approve(agent: agents.Agent[str]) -> tuple[agents.OpenApproval, object]:
    session = await agent.start_session()
    turn = await session.send_message("Go.")
    (question,) = blocked(await turn.result()).callbacks
    assert isinstance(question, agents.OpenApproval)
    await turn.answer(question.id, agents.AllowApproval())
    return question, await turn.result()


class TestASensitiveArgument:
    async def test_is_in_the_request_and_not_in_the_title(self) -> None:
        question, _ = await approve(agent_of({"user": "ada", "password": SECRET}))
        assert question.request.arguments == {"user": "ada", "password": SECRET}
        assert question.title is not None
        assert SECRET not in question.title

    async def test_is_masked_in_the_log_of_a_tool_that_raises(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.DEBUG):
            _, state = await approve(agent_of({"user": "ada", "password": SECRET}))
        completed(state)
        assert SECRET not in caplog.text
        assert "ada cannot log in with '***'" in caplog.text
        assert "Traceback" in caplog.text

    @pytest.mark.parametrize("held", [{"token": SECRET}, {"list": ["a", SECRET]}, {SECRET: 1}])
    async def test_is_masked_in_all_its_parts(self, held: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.DEBUG):
            await approve(agent_of({"user": "ada", "password": "x" * 9, "extra": held}))
        assert SECRET not in caplog.text

    async def test_is_masked_where_a_person_edited_it(self, caplog: pytest.LogCaptureFixture) -> None:
        session = await agent_of({"user": "ada", "password": "first one"}).start_session()
        turn = await session.send_message("Go.")
        (question,) = blocked(await turn.result()).callbacks
        edited = agents.AllowApproval(arguments={"user": "ada", "password": SECRET})
        with caplog.at_level(logging.DEBUG):
            await turn.answer(question.id, edited)
            completed(await turn.result())
        assert SECRET not in caplog.text

    async def test_is_masked_where_tool_errors_fail_the_turn(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.DEBUG):
            _, state = await approve(agent_of({"user": "ada", "password": SECRET}, tool_errors="raise"))
        assert failed(state).code == "tool_raised"
        assert SECRET not in caplog.text

    async def test_is_in_no_log_where_a_hook_raises_over_it(self, caplog: pytest.LogCaptureFixture) -> None:
        class Quotes(agents.Hook):
            async def pre_tool_call(
                self, ctx: agents.hook.HookContext, call: agents.hook.ToolCallRequest
            ) -> agents.hook.Skip | None:
                raise ValueError(f"not with {call.arguments}")

        with caplog.at_level(logging.DEBUG):
            completed(await agent_of({"user": "ada", "password": SECRET}, hooks=[Quotes()]).run("Go."))
        assert SECRET not in caplog.text
        assert "Quotes.pre_tool_call" in caplog.text

    async def test_is_in_no_log_where_a_hook_raises_over_the_reply_that_has_it(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Quotes(agents.Hook):
            async def post_llm_call(
                self, ctx: agents.hook.HookContext, invocation: agents.hook.PostLLMCallInvocation
            ) -> None:
                raise ValueError(f"not with {invocation.tool_calls}")

        with caplog.at_level(logging.DEBUG):
            failed(await agent_of({"user": "ada", "password": SECRET}, hooks=[Quotes()]).run("Go."))
        assert SECRET not in caplog.text
        assert "Quotes.post_llm_call" in caplog.text

    async def test_of_another_tool_is_logged_as_it_is(self, caplog: pytest.LogCaptureFixture) -> None:
        @agents.tool
        def other(password: str) -> None:
            """Do something else."""
            raise ValueError(password)

        model = ScriptedModel([call("other", {"password": "plain"}), reply("Done.")])
        with caplog.at_level(logging.DEBUG):
            await agents.Agent(model=model, tools=[other], permission_policy=POLICY).run("Go.")
        assert "ValueError: plain" in caplog.text
