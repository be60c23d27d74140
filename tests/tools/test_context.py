"""What a tool is given besides the model's arguments: its context, and the session's inputs."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.support.outcomes import completed
from tests.tools.calling import called


class Customer(agents.SessionInput):
    """Who is talking."""

    input_id = "customer"
    name: str
    limit: int = Field(default=10, le=100)


class TestToolContext:
    async def test_names_the_call_and_has_a_key_of_its_own_for_each(self) -> None:
        seen: list[agents.ToolContext] = []

        @agents.tool
        async def look(ctx: agents.ToolContext, number: int) -> int:
            """Look."""
            seen.append(ctx)
            return number

        @agents.tool
        def peek(number: int, context: agents.ToolContext) -> int:
            """Peek."""
            seen.append(context)
            return number

        model = ScriptedModel([calls(call("look", {"number": 1}), call("peek", {"number": 1})), reply("Done.")])
        session = await agents.Agent(model=model, tools=[look, peek]).start_session()
        state = completed(await session.run("go"))
        made = [entry for entry in await session.history() if isinstance(entry, agents.ToolCallEntry)]
        assert {context.tool_call_id for context in seen} == {entry.tool_call_id for entry in made}
        assert {(context.session_id, context.turn_id) for context in seen} == {(session.id, state.turn_id)}
        assert len({context.idempotency_key for context in seen}) == 2
        assert all(context.sandbox is None for context in seen)
        assert state.tool_calls[0] == agents.ToolCall("client.look", {"number": 1})
        assert "ctx" not in str(model.requests[0].tools)
        await session.cancel()

    async def test_has_a_key_that_no_other_session_has(self) -> None:
        keys: list[str] = []

        @agents.tool
        def look(ctx: agents.ToolContext) -> str:
            """Look."""
            keys.append(ctx.idempotency_key)
            return "seen"

        for _ in range(2):
            await called(call("look", id="same00001"), look)
        assert len(set(keys)) == 2


class TestSessionInputs:
    async def test_arrive_as_their_class_and_the_model_sees_nothing_of_them(self) -> None:
        seen: list[Any] = []

        @agents.tool
        def greet(customer: Annotated[Customer, agents.Depends()], word: str = "Hello") -> str:
            """Greet."""
            seen.append(customer)
            return f"{word}, {customer.name}"

        result = await called(call("greet"), greet, session_inputs={"customer": Customer(name="Ada")})
        assert result.text == "Hello, Ada"
        assert seen == [Customer(name="Ada")]
        assert result.tool_calls == (agents.ToolCall("client.greet", {}),)
        assert "customer" not in greet.input_schema["properties"]

    async def test_cannot_be_given_by_the_model(self) -> None:
        @agents.tool
        def greet(customer: Annotated[Customer, agents.Depends()]) -> str:
            """Greet."""
            return customer.name

        step = call("greet", {"customer": {"name": "Eve"}})
        result = await called(step, greet, session_inputs={"customer": Customer(name="Ada")})
        assert "Eve" not in str([message for message in result.read if not message.is_error])

    async def test_that_are_missing_fail_the_call_and_not_the_session(self) -> None:
        @agents.tool
        def greet(customer: Annotated[Customer, agents.Depends()]) -> str:
            """Greet."""
            return customer.name

        result = await called(call("greet"), greet)
        assert completed(result.state).text == "Done."
        assert result.read[0].is_error
        assert "customer" in result.text

    async def test_of_one_session_are_not_those_of_another(self) -> None:
        @agents.tool
        def greet(customer: Annotated[Customer, agents.Depends()]) -> str:
            """Greet."""
            return customer.name

        for name in ("Ada", "Bob"):
            result = await called(call("greet"), greet, session_inputs={"customer": Customer(name=name)})
            assert result.text == name


class TestPermissions:
    @pytest.fixture
    def ran(self) -> list[str]:
        return []

    @pytest.fixture
    def pay(self, ran: list[str]) -> Any:
        @agents.tool
        def pay(to: str) -> str:
            """Pay."""
            ran.append(to)
            return "paid"

        return pay

    async def test_that_deny_are_read_by_the_model_in_fixed_words(self, pay: Any, ran: list[str]) -> None:
        policy = agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.pay"], decision="deny")]
        )
        result = await called(call("pay", {"to": "Eve"}), pay, permission_policy=policy)
        assert result.text == "Tool call denied by permission policy"
        assert ran == []
        assert result.tool_calls == (agents.ToolCall("client.pay", {"to": "Eve"}),)
        assert completed(result.state).text == "Done."

    async def test_go_by_the_arguments(self, pay: Any, ran: list[str]) -> None:
        policy = agents.PermissionPolicy(
            default="deny", rules=[agents.PermissionRule(tools=["client.*"], decision="allow", allowlist=["to=A*"])]
        )
        step = calls(call("pay", {"to": "Ada"}), call("pay", {"to": "Eve"}))
        result = await called(step, pay, permission_policy=policy)
        assert [message.content for message in result.read] == ["paid", "Tool call denied by permission policy"]
        assert ran == ["Ada"]

    async def test_of_mode_deny_refuse_every_call(self, pay: Any, ran: list[str]) -> None:
        result = await called(call("pay", {"to": "Ada"}), pay, permission_mode="deny")
        assert result.text == "Tool call denied by permission policy"
        assert ran == []

    async def test_that_deny_do_not_fail_a_turn_even_where_errors_do(self, pay: Any) -> None:
        result = await called(call("pay", {"to": "Ada"}), pay, permission_mode="deny", tool_errors="raise")
        assert completed(result.state).text == "Done."
