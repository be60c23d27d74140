"""Functions that answer approvals while a call waits. Public pages: Callbacks; Session and Turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import approval, blocked, completed, only_callback, running, sent, until

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


def asking(*steps: Step, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), tools=[look_up, open_case], permission_mode="ask", **options)


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

    @pytest.mark.parametrize("asked", [None, int])
    async def test_that_reads_an_input_the_session_has_not_raises_sdk_error(self, asked: Any) -> None:
        class Team(agents.SessionInput):
            """Whose session it is."""

            input_id = "team"
            name: str

        def by_team(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> Approval:
            return agents.AllowApproval() if ctx.input(asked or Team) else agents.DenyApproval()

        with pytest.raises(agents.SdkError, match="Session input") as caught:
            await asking(call("open_case")).run("Go.", on_approval=by_team)
        assert type(caught.value) is agents.SdkError

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

        with pytest.raises(LookupError, match="no policy") as raised:
            await asking(call("open_case")).run("Go.", on_approval=fail)
        (note,) = raised.value.__notes__
        assert "goes on" in note  # nobody else tells the caller which session is left
        assert "session.cancel()" in note

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


class TestTwoWaitsOnAnApproval:
    """Both ask their handler, and the first decision counts."""

    async def test_both_return(self) -> None:
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
