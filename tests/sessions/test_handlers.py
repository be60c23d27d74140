"""Functions that answer callbacks while a call waits. Public pages: Callbacks; Session and Turn."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import approval, blocked, completed, failed, only_callback, running, sent, until

if TYPE_CHECKING:
    from mistralai.agents.testing import Step

    type Approval = agents.AllowApproval | agents.DenyApproval | agents.KeepCallbackOpen


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def look_up(alert: str = "1") -> str:
    """Read an alert."""
    return f"alert {alert}"


@agents.tool
def open_case(alert: str = "1") -> str:
    """Open a case."""
    return f"CASE-{alert}"


@agents.client_tool
def locate() -> str:
    """Where the user is."""
    raise AssertionError("answered by the client")


def asking(*steps: Step, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), tools=[look_up, open_case], permission_mode="ask", **options)


def locating(*steps: Step, **options: Any) -> tuple[ScriptedModel, agents.Agent[str]]:
    model = ScriptedModel(steps)
    return model, agents.Agent(model=model, tools=[locate], **options)


def allow(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
    return agents.AllowApproval()


def keep(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
    return agents.KeepCallbackOpen()


def reads_only(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
    return agents.AllowApproval() if request.tool.annotations.read_only_hint else agents.KeepCallbackOpen()


class TestAnApprovalHandler:
    """`on_approval(ctx, request)` decides while `run` or `result` waits."""

    async def test_answers_for_session_run(self) -> None:
        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=allow)
        assert completed(await session.run("Go.")).text == "Done."

    async def test_answers_for_agent_run(self) -> None:
        assert completed(await asking(call("open_case"), reply("Done.")).run("Go.", on_approval=allow)).text == "Done."

    async def test_answers_for_a_handle_bound_by_id(self) -> None:
        agent = asking(call("open_case"), reply("Done."))
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        bound = agent.session(session.id, on_approval=allow)
        assert completed(await bound.turn(state.turn_id).result()).text == "Done."

    async def test_may_be_async(self) -> None:
        async def allow_later(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            await asyncio.sleep(0)
            return agents.AllowApproval()

        state = await asking(call("open_case"), reply("Done.")).run("Go.", on_approval=allow_later)
        assert completed(state).text == "Done."

    async def test_may_deny_with_a_message_for_the_model(self) -> None:
        agent = asking(call("open_case"), reply("Understood."))
        state = await agent.run("Go.", on_approval=lambda ctx, request: agents.DenyApproval(message="Not today."))
        assert completed(state).text == "Understood."
        assert isinstance(agent.model, ScriptedModel)
        assert sent(agent.model)[-1].endswith("Not today.")

    async def test_is_told_where_the_question_comes_from(self) -> None:
        told: list[tuple[agents.ApprovalCallbackContext, agents.ApprovalRequest]] = []

        def note(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            told.append((ctx, request))
            return agents.KeepCallbackOpen()

        state = blocked(await asking(call("open_case")).run("Go.", on_approval=note))
        ((ctx, request),) = told
        assert (ctx.session_id, ctx.root_session_id, ctx.turn_id) == (state.session_id, state.session_id, state.turn_id)
        assert request == approval(only_callback(state)).request

    async def test_reads_the_session_inputs_by_their_class(self) -> None:
        class Team(agents.SessionInput):
            """Whose session it is."""

            input_id = "team"
            name: str

        def by_team(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            return agents.AllowApproval() if ctx.input(Team).name == "fraud" else agents.DenyApproval()

        session = await asking(call("open_case"), reply("Done.")).start_session(
            on_approval=by_team, session_inputs={"team": Team(name="fraud")}
        )
        await session.run("Go.")
        (result,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert result.error is None

    async def test_answers_each_of_several_callbacks(self) -> None:
        agent = asking(calls(call("open_case", {"alert": "1"}), call("open_case", {"alert": "2"})), reply("Done."))
        assert completed(await agent.run("Go.", on_approval=allow)).text == "Done."

    async def test_that_answers_some_leaves_the_others_to_blocked(self) -> None:
        """The page's mix: the handlers answer what they can, Blocked returns the rest."""
        agent = asking(calls(call("look_up"), call("open_case")), reply("Done."))
        session = await agent.start_session(on_approval=reads_only)
        state = blocked(await session.run("Go."))
        assert approval(only_callback(state)).request.tool.id == "client.open_case"
        await session.turn(state.turn_id).answer(only_callback(state).id, agents.AllowApproval())
        assert completed(await session.turn(state.turn_id).result(after=state)).text == "Done."

    async def test_never_answers_in_iter_events(self) -> None:
        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=allow)
        turn = await session.send_message("Go.")
        async for event in turn.iter_events():
            if isinstance(event, agents.TurnUpdated):
                break
        assert isinstance(await turn.get(), agents.Blocked)


class TestKeepingACallbackOpen:
    """KeepCallbackOpen leaves the question to somebody else: the wait returns Blocked with it."""

    async def test_returns_blocked(self) -> None:
        session = await asking(call("open_case")).start_session(on_approval=keep)
        assert only_callback(await session.run("Go.")).kind == "approval"

    async def test_is_asked_once_a_wait_and_again_by_the_next(self) -> None:
        asked: list[str] = []

        def count(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            asked.append(request.tool_call_id)
            return agents.KeepCallbackOpen()

        agent = asking(calls(call("open_case", id="first0000"), call("open_case", id="second000")))
        session = await agent.start_session(on_approval=count)
        state = blocked(await session.run("Go."))
        assert sorted(asked) == ["first0000", "second000"]
        blocked(await session.turn(state.turn_id).result())
        assert sorted(asked) == ["first0000", "first0000", "second000", "second000"]

    async def test_is_not_asked_by_a_wait_that_is_past_it(self) -> None:
        asked: list[str] = []

        def count(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            asked.append(request.tool_call_id)
            return agents.KeepCallbackOpen()

        session = await asking(call("open_case", id="first0000")).start_session(on_approval=count)
        state = blocked(await session.run("Go."))
        blocked(await session.turn(state.turn_id).result(after=state, timeout=0.001))
        assert asked == ["first0000"]

    async def test_does_not_wait_for_the_calls_that_run_beside_it(self) -> None:
        held = gate()

        @agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
        async def slow() -> str:
            """Take its time."""
            await held.hold()
            return "slow"

        agent = agents.Agent(
            model=ScriptedModel([calls(call("slow"), call("open_case")), reply("Done.")]),
            tools=[slow, open_case],
            permission_mode="ask",
        )
        session = await agent.start_session(on_approval=reads_only)
        state = blocked(await session.run("Go."))
        assert approval(only_callback(state)).request.tool.id == "client.open_case"
        await held.reached()
        held.open()


class TestAHandlerThatFails:
    """It leaves its callback open and the wait raises; the turn keeps running."""

    async def test_by_raising_raises_from_the_wait(self) -> None:
        def fail(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            raise LookupError("no policy")

        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=fail)
        turn = await session.send_message("Go.")
        with pytest.raises(LookupError, match="no policy"):
            await turn.result()
        state = blocked(await turn.get())
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert completed(await turn.result(after=state)).text == "Done."

    async def test_by_raising_raises_from_agent_run(self) -> None:
        async def fail(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            raise LookupError("no policy")

        with pytest.raises(LookupError, match="no policy"):
            await asking(call("open_case")).run("Go.", on_approval=fail)

    @pytest.mark.parametrize("returned", [True, False, None, "yes", {"type": "allow"}, agents.SignInAnswer()])
    async def test_by_returning_anything_else_raises_sdk_error(self, returned: Any) -> None:
        session = await asking(call("open_case")).start_session(on_approval=lambda ctx, request: returned)
        turn = await session.send_message("Go.")
        with pytest.raises(agents.SdkError, match="on_approval returned"):
            await turn.result()
        only_callback(await turn.get())

    async def test_by_returning_arguments_that_do_not_fit_raises_and_sends_nothing(self) -> None:
        wrong = agents.AllowApproval(arguments={"alert": 5})
        session = await asking(call("open_case")).start_session(on_approval=lambda ctx, request: wrong)
        turn = await session.send_message("Go.")
        with pytest.raises(agents.SdkError, match="does not fit"):
            await turn.result()
        only_callback(await turn.get())

    async def test_beside_another_that_fails_too_raises_one_and_loses_none(self) -> None:
        def fail(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            raise LookupError(request.tool_call_id)

        session = await asking(calls(call("open_case"), call("look_up"))).start_session(on_approval=fail)
        turn = await session.send_message("Go.")
        with pytest.raises(LookupError):
            await turn.result()
        assert len(blocked(await turn.get()).callbacks) == 2

    async def test_can_be_asked_again_by_the_next_wait(self) -> None:
        answers: list[Any] = [LookupError("not yet"), agents.AllowApproval()]

        def fail_once(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer  # type: ignore[no-any-return]  # the second is an approval

        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=fail_once)
        turn = await session.send_message("Go.")
        with pytest.raises(LookupError):
            await turn.result()
        assert completed(await turn.result()).text == "Done."


def none() -> str:
    return "Lyon"


def one(request: object) -> agents.AllowApproval:
    return agents.AllowApproval()


def two(ctx: object, sign_in: object) -> agents.SignInAnswer:
    return agents.SignInAnswer()


class TestHandlersOfTheWrongShape:
    """`on_approval` takes two arguments, `on_sign_in` one, `on_client_tool` one or a ClientToolAnswers."""

    @pytest.mark.parametrize(
        ("name", "handler"),
        [
            ("on_approval", one),
            ("on_approval", "allow"),
            ("on_sign_in", two),
            ("on_client_tool", none),
            ("on_client_tool", {"client.locate": "Lyon"}),
        ],
    )
    async def test_are_refused_before_anything_starts(self, name: str, handler: object) -> None:
        agent = asking(reply("Never."))
        handlers: dict[str, Any] = {name: handler}
        with pytest.raises(agents.SdkError, match=name):
            await agent.run("Go.", **handlers)
        with pytest.raises(agents.SdkError, match=name):
            await agent.start_session(**handlers)
        with pytest.raises(agents.SdkError, match=name):
            agent.session("some", **handlers)
        assert [info async for info in agents.list_sessions(host="local")] == []


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
        assert completed(await agent.run("Go.", on_client_tool=answers)).text == "Sorry."
        assert "tool: The tool failed" in sent(model)[-1]

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

    async def test_of_approvals_let_the_first_decision_count(self) -> None:
        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=allow)
        turn = await session.send_message("Go.")
        states = await asyncio.gather(turn.result(), turn.result())
        assert [completed(state).text for state in states] == ["Done.", "Done."]


class TestAHandlerWhoseCallbackCloses:
    """Somebody else answers, or the turn ends, while the handler still thinks."""

    async def test_lets_the_wait_return_once_another_client_answered(self) -> None:
        held = gate()

        async def think(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            await held.hold()
            return agents.DenyApproval()

        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=think)
        turn = await session.send_message("Go.")
        waiting = asyncio.create_task(turn.result())
        await held.reached()
        state = blocked(await turn.get())
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert completed(await waiting).text == "Done."

    async def test_at_the_deadline_leaves_it_open(self) -> None:
        held = gate()

        async def think(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            await held.hold()
            return agents.AllowApproval()

        session = await asking(call("open_case"), reply("Done.")).start_session(on_approval=think)
        turn = await session.send_message("Go.")
        await until(session, agents.CallbackOpened)
        only_callback(await turn.result(timeout=0.001))
        held.open()
        assert completed(await turn.result()).text == "Done."

    async def test_of_a_running_turn_is_not_needed_for_a_deadline(self) -> None:
        held = gate()
        session = await asking(reply(held, "Done.")).start_session(on_approval=allow)
        running(await session.run("Go.", timeout=0))
        held.open()
