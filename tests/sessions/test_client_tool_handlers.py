"""Functions that answer client tool calls while a call waits. Public pages: Callbacks; Session and Turn."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, call, gate, reply
from tests.sessions.reading import completed, failed, only_callback, sent

if TYPE_CHECKING:
    from mistralai.agents.testing import Step


@agents.client_tool
def locate() -> str:
    """Where the user is."""
    raise AssertionError("answered by the client")


def locating(*steps: Step, **options: Any) -> tuple[ScriptedModel, agents.Agent[str]]:
    model = ScriptedModel(steps)
    return model, agents.Agent(model=model, tools=[locate], **options)


def allow(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
    return agents.AllowApproval()


class TestAClientToolHandler:
    """ClientToolAnswers, or a function of a ClientToolCall: the wait does not return Blocked on what it answers."""

    async def test_of_a_stub_answers_its_calls(self) -> None:
        model, agent = locating(call("locate"), reply("Done."))
        answers = agents.ClientToolAnswers(locate.answer(lambda: "Lyon"))
        assert completed(await agent.run("Go.", on_client_tool=answers)).text == "Done."
        assert sent(model)[-1] == "tool: Lyon"

    async def test_may_be_async(self) -> None:
        async def find() -> str:
            await asyncio.sleep(0)
            return "Lyon"

        model, agent = locating(call("locate"), reply("Done."))
        await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(find)))
        assert sent(model)[-1] == "tool: Lyon"

    async def test_that_is_sync_runs_beside_the_loop(self) -> None:
        ran: list[int] = []

        def find() -> str:
            ran.append(threading.get_ident())
            return "Lyon"

        _, agent = locating(call("locate"), reply("Done."))
        await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(find)))
        assert ran != [threading.get_ident()]

    async def test_of_every_call_gets_the_call(self) -> None:
        model, agent = locating(call("locate"), reply("Done."))
        got: list[agents.ClientToolCall] = []

        def answer(made: agents.ClientToolCall) -> object:
            got.append(made)
            return {"city": "Lyon"} if made.name != "locate" else "Lyon"

        completed(await agent.run("Go.", on_client_tool=answer))
        assert got[0].tool_id == "client.locate"
        assert sent(model)[-1] == "tool: Lyon"

    async def test_default_answers_the_calls_without_an_answer_of_their_own(self) -> None:
        model, agent = locating(call("locate"), reply("Done."))

        async def any_call(made: agents.ClientToolCall) -> object:
            return f"default for {made.name}"

        completed(await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(default=any_call)))
        assert sent(model)[-1] == "tool: default for locate"

    async def test_that_knows_no_answer_leaves_the_call_open(self) -> None:
        _, agent = locating(call("locate"))
        assert only_callback(await agent.run("Go.", on_client_tool=agents.ClientToolAnswers())).kind == "client_tool"

    @pytest.mark.parametrize(("value", "read"), [(None, "null"), (False, "false"), (0, "0"), ("", "")])
    async def test_may_answer_with_a_falsy_value(self, value: object, read: str) -> None:
        """Regression, mastra PR21319."""

        @agents.client_tool
        def anything() -> Any:
            """Whatever the client says."""
            raise AssertionError("answered by the client")

        model = ScriptedModel([call("anything"), reply("Done.")])
        agent = agents.Agent(model=model, tools=[anything])
        answers = agents.ClientToolAnswers(anything.answer(lambda: value))
        completed(await agent.run("Go.", on_client_tool=answers))
        assert sent(model)[-1] == f"tool: {read}"

    async def test_is_not_asked_for_approvals_nor_the_other_way_round(self) -> None:
        model = ScriptedModel([call("locate"), reply("Done.")])
        agent = agents.Agent(model=model, tools=[locate], permission_mode="ask")
        state = await agent.run(
            "Go.", on_approval=allow, on_client_tool=agents.ClientToolAnswers(locate.answer(lambda: "Lyon"))
        )
        assert completed(state).text == "Done."


class TestAClientToolHandlerThatFails:
    """It follows the agent's `tool_errors`: the model reads that the call failed, or the turn fails."""

    @staticmethod
    def fail() -> str:
        raise LookupError("no signal")

    async def test_by_default_tells_the_model_and_the_wait_goes_on(self) -> None:
        model, agent = locating(call("locate"), reply("Sorry."))
        state = await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(self.fail)))
        assert completed(state).text == "Sorry."
        assert "LookupError: no signal" in sent(model)[-1]
        assert "Traceback" not in sent(model)[-1]

    async def test_under_raise_fails_the_turn(self) -> None:
        _, agent = locating(call("locate"), tool_errors="raise")
        state = await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(self.fail)))
        error = failed(state).error
        assert error.code == "tool_raised"
        assert "client.locate" in error.message
        assert "LookupError" in error.message

    async def test_with_a_tool_error_hands_its_message_to_the_model(self) -> None:
        def fail() -> str:
            raise agents.ToolError("Turn on GPS.")

        for mode in ("model", "raise"):
            model, agent = locating(call("locate"), reply("Sorry."), tool_errors=mode)
            state = await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(fail)))
            assert completed(state).text == "Sorry."
            assert sent(model)[-1] == "tool: Turn on GPS."

    async def test_by_returning_what_the_stub_does_not_tells_the_model(self) -> None:
        model, agent = locating(call("locate"), reply("Sorry."))
        answers: Any = agents.ClientToolAnswers(locate.answer(lambda: 17))  # type: ignore[arg-type,return-value]  # pyright: ignore[reportArgumentType]  # the wrong type is what this tries
        session = await agent.start_session(on_client_tool=answers)
        assert completed(await session.run("Go.")).text == "Sorry."
        assert sent(model)[-1] == (
            "tool: The tool gave a result that does not fit its schema: value: Input should be a valid string"
        )
        (entry,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert entry.error is not None
        assert entry.error.code == "output_mismatch"

    async def test_by_returning_what_the_stub_does_not_fails_the_turn_under_raise(self) -> None:
        _, agent = locating(call("locate"), tool_errors="raise")
        answers: Any = agents.ClientToolAnswers(locate.answer(lambda: 17))  # type: ignore[arg-type,return-value]  # pyright: ignore[reportArgumentType]  # the wrong type is what this tries
        assert failed(await agent.run("Go.", on_client_tool=answers)).error == agents.ProtocolError(
            message="Tool client.locate gave a result that does not fit its schema: value: "
            "Input should be a valid string",
            code="tool_output_schema_mismatch",
        )

    @pytest.mark.parametrize(
        ("raised", "code"), [(LookupError("no signal"), "raised"), (agents.ToolError("Turn on GPS."), "tool_error")]
    )
    async def test_is_told_by_the_codes_of_other_tools(self, raised: Exception, code: str) -> None:
        def fail() -> str:
            raise raised

        _, agent = locating(call("locate"), reply("Sorry."))
        session = await agent.start_session(on_client_tool=agents.ClientToolAnswers(locate.answer(fail)))
        completed(await session.run("Go."))
        (entry,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert entry.error is not None
        assert entry.error.code == code

    async def test_by_raising_cancelled_error_itself_is_a_failed_call(self) -> None:
        async def fail() -> str:
            raise asyncio.CancelledError

        model, agent = locating(call("locate"), reply("Sorry."))
        state = await agent.run("Go.", on_client_tool=agents.ClientToolAnswers(locate.answer(fail)))
        assert completed(state).text == "Sorry."
        assert "CancelledError" in sent(model)[-1]


class TestTwoWaitsAtOnce:
    """Two waits in one loop share the answers: the function of a client tool runs once a call."""

    async def test_run_the_answer_once(self) -> None:
        held, ran = gate(), list[str]()

        async def find() -> str:
            ran.append("ran")
            await held.hold()
            return "Lyon"

        _, agent = locating(call("locate"), reply("Done."))
        session = await agent.start_session(on_client_tool=agents.ClientToolAnswers(locate.answer(find)))
        turn = await session.send_message("Go.")
        first, second = asyncio.create_task(turn.result()), asyncio.create_task(turn.result())
        await held.reached()
        held.open()
        assert await first == await second
        assert ran == ["ran"]

    async def test_keep_it_going_when_one_of_them_leaves(self) -> None:
        held, ran = gate(), list[str]()

        async def find() -> str:
            ran.append("ran")
            await held.hold()
            return "Lyon"

        _, agent = locating(call("locate"), reply("Done."))
        session = await agent.start_session(on_client_tool=agents.ClientToolAnswers(locate.answer(find)))
        turn = await session.send_message("Go.")
        first, second = asyncio.create_task(turn.result()), asyncio.create_task(turn.result())
        await held.reached()
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        held.open()
        assert completed(await second).text == "Done."
        assert ran == ["ran"]

    async def test_give_it_up_when_the_last_one_leaves_and_the_next_wait_asks_again(self) -> None:
        gates: list[Gate] = [gate(), gate()]
        ran: list[str] = []

        async def find() -> str:
            ran.append("ran")
            await gates[len(ran) - 1].hold()
            return "Lyon"

        _, agent = locating(call("locate"), reply("Done."))
        session = await agent.start_session(on_client_tool=agents.ClientToolAnswers(locate.answer(find)))
        turn = await session.send_message("Go.")
        waiting = asyncio.create_task(turn.result())
        await gates[0].reached()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gates[1].open()
        assert completed(await turn.result()).text == "Done."
        assert ran == ["ran", "ran"]

    async def test_do_not_run_it_again_in_a_wait_that_is_slow_to_show_the_event(self) -> None:
        """A wait whose `on_event` takes its time reads of a call that the other wait has answered meanwhile."""
        showing, last, ran = gate(), gate(), list[str]()

        async def find() -> str:
            ran.append("ran")
            return "Lyon"

        async def show(event: agents.Event) -> None:
            if isinstance(event, agents.CallbackOpened):
                await showing.hold()

        _, agent = locating(call("locate"), reply(last, "Done."))
        answers = agents.ClientToolAnswers(locate.answer(find))
        session = await agent.start_session(on_client_tool=answers)
        turn = await session.send_message("Go.")
        slow = asyncio.create_task(turn.result(on_event=show))
        await showing.reached()
        quick = asyncio.create_task(turn.result())
        await last.reached()
        showing.open()
        await asyncio.wait([slow], timeout=0.01)
        last.open()
        assert completed(await quick).text == "Done."
        assert completed(await slow).text == "Done."
        assert ran == ["ran"]
