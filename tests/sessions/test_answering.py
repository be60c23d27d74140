"""Answering a callback by its id: from any handle, in any order, once. Public pages: Callbacks; Session and Turn."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.handles.sending import send
from mistralai.agents.handles.session import bound_of
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import approval, blocked, completed, interrupted, only_callback, sent, turn_of


class Till:
    """A tool that pays, and what it paid."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.tool = agents.tool(self.pay)

    def pay(self, amount: int) -> str:
        """Pay somebody."""
        self.paid.append(amount)
        return f"paid {amount}"


@pytest.fixture
def till() -> Till:
    """A till that paid nothing yet."""
    return Till()


@agents.client_tool
def locate() -> str:
    """Where the user is."""
    raise AssertionError("answered by the client")


def agent_of(till: Till, *steps: Any) -> agents.Agent[str]:
    rules = [agents.PermissionRule(tools=["client.pay"], decision="ask")]
    return agents.Agent(
        model=ScriptedModel(steps),
        tools=[till.tool, locate],
        permission_policy=agents.PermissionPolicy(default="allow", rules=rules),
    )


async def waiting(agent: agents.Agent[str]) -> tuple[agents.Turn, agents.Blocked]:
    """A turn that waits on its callbacks, and its record."""
    session = await agent.start_session()
    turn = await session.send_message("Go.")
    return turn, blocked(await turn.result())


class TestAnsweringAnApproval:
    """The page's step by step loop: an answer for each callback, then the turn goes on."""

    async def test_with_allow_runs_the_call(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Paid.")))
        answered = await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        assert answered == agents.Answered(
            session_id=turn.session_id, callback_id=state.callbacks[0].id, answer=agents.AllowApproval()
        )
        assert completed(await turn.result(after=state)).text == "Paid."
        assert till.paid == [1]

    async def test_with_deny_does_not_run_it_and_the_turn_goes_on(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Not paid.")))
        answered = await turn.answer(state.callbacks[0].id, agents.DenyApproval())
        assert isinstance(answered, agents.Answered)
        assert answered.answer == agents.DenyApproval()
        ended = completed(await turn.result(after=state))
        assert ended.text == "Not paid."
        assert ended.tool_calls == (agents.ToolCall("client.pay", {"amount": 1}),)
        assert till.paid == []

    async def test_works_from_a_handle_of_another_turn_of_the_session(self, till: Till) -> None:
        session = await agent_of(till, reply("Hi."), call("pay", {"amount": 1}), reply("Paid.")).start_session()
        first = completed(await session.run("Hello"))
        state = blocked(await session.run("Pay."))
        await session.turn(first.turn_id).answer(state.callbacks[0].id, agents.AllowApproval())
        assert completed(await session.turn(state.turn_id).result(after=state)).text == "Paid."

    async def test_works_from_a_handle_bound_by_a_turn_id_that_does_not_exist(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Paid.")))
        await turn.session.turn("unused").answer(state.callbacks[0].id, agents.AllowApproval())
        completed(await turn.result(after=state))

    async def test_works_from_a_handle_of_the_session_bound_by_id(self, till: Till) -> None:
        agent = agent_of(till, call("pay", {"amount": 1}), reply("Paid."))
        turn, state = await waiting(agent)
        callback = only_callback(state)
        bound = agent.session(callback.session_id).turn(callback.turn_id)
        await bound.answer(callback.id, agents.AllowApproval())
        assert completed(await bound.result(after=state)).text == "Paid."
        assert bound == turn


class TestSeveralOpenCallbacks:
    """Regression, langgraph#6208, #7361, ag-ui#2178: answering one re-ran the others or went to the wrong one."""

    async def test_are_answered_in_any_order_by_id_and_each_call_runs_once(self, till: Till) -> None:
        agent = agent_of(till, calls(*(call("pay", {"amount": number}) for number in (1, 2, 3))), reply("Done."))
        turn, state = await waiting(agent)
        assert [approval(each).request.arguments for each in state.callbacks] == [{"amount": n} for n in (1, 2, 3)]
        first, second, third = (callback.id for callback in state.callbacks)
        await turn.answer(third, agents.AllowApproval())
        await turn.answer(first, agents.DenyApproval())
        await turn.answer(second, agents.AllowApproval())
        completed(await turn.result(after=state))
        assert sorted(till.paid) == [2, 3]

    async def test_leave_the_others_open_when_one_is_answered(self, till: Till) -> None:
        agent = agent_of(till, calls(call("pay", {"amount": 1}), call("pay", {"amount": 2})), reply("Done."))
        turn, state = await waiting(agent)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        assert blocked(await turn.get()).callbacks == state.callbacks[1:]


class TestTwoAnswersAtOnce:
    """Both callers find the callback open, both get Answered, and both learn which answer counted."""

    async def test_have_one_winner(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Done.")))
        callback = only_callback(state).id
        allowed, denied = await asyncio.gather(
            turn.answer(callback, agents.AllowApproval()), turn.answer(callback, agents.DenyApproval())
        )
        assert isinstance(allowed, agents.Answered)
        assert isinstance(denied, agents.Answered)
        assert allowed.answer is not None
        assert allowed.answer == denied.answer
        completed(await turn.result(after=state))
        assert till.paid == ([1] if isinstance(allowed.answer, agents.AllowApproval) else [])

    async def test_to_a_client_tool_keep_the_first_result_and_name_no_approval(self, till: Till) -> None:
        agent = agent_of(till, call("locate"), reply("Done."))
        turn, state = await waiting(agent)
        callback = only_callback(state).id
        first, second = await asyncio.gather(turn.answer(callback, "Lyon"), turn.answer(callback, "Paris"))
        expected = agents.Answered(session_id=turn.session_id, callback_id=callback, answer=None)
        assert first == second == expected
        completed(await turn.result(after=state))
        model = agent.model
        assert isinstance(model, ScriptedModel)
        assert sent(model)[-1] == "tool: Lyon"


class TestACallbackThatIsNotOpen:
    """AlreadySettled once it closed, NotFound where the session never opened it; neither raises."""

    async def test_any_more_was_settled_already(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Done.")))
        callback = only_callback(state).id
        await turn.answer(callback, agents.AllowApproval())
        assert await turn.answer(callback, agents.DenyApproval()) == agents.AlreadySettled(
            session_id=turn.session_id, callback_id=callback
        )
        completed(await turn.result(after=state))
        assert await turn.answer(callback, agents.AllowApproval()) == agents.AlreadySettled(
            session_id=turn.session_id, callback_id=callback
        )
        assert till.paid == [1]

    async def test_because_its_turn_ended_was_settled_already(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1})))
        await turn.interrupt()
        interrupted(await turn.get())
        answered = await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert isinstance(answered, agents.AlreadySettled)
        assert till.paid == []

    async def test_and_never_was_is_not_found(self, till: Till) -> None:
        turn, _ = await waiting(agent_of(till, call("pay", {"amount": 1})))
        assert await turn.answer("nobody", agents.AllowApproval()) == agents.NotFound(
            session_id=turn.session_id, callback_id="nobody"
        )

    async def test_and_never_was_is_not_found_by_what_sends_the_answer_either(self, till: Till) -> None:
        """Reading a callback and answering it are two steps: the second one asks again."""
        turn, _ = await waiting(agent_of(till, call("pay", {"amount": 1})))
        came = await send(await bound_of(turn.session).place(), turn.session_id, "nobody", {"type": "allow"})
        assert came == agents.NotFound(session_id=turn.session_id, callback_id="nobody")

    async def test_in_this_session_but_in_another_is_not_found(self, till: Till) -> None:
        """Regression, frontmcp GHSA-84j6: a read has to check whose session it is."""
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1})))
        other, _ = await waiting(agent_of(till, call("pay", {"amount": 2})))
        answered = await other.answer(only_callback(state).id, agents.AllowApproval())
        assert answered == agents.NotFound(session_id=other.session_id, callback_id=only_callback(state).id)
        assert blocked(await turn.get()) == state


class TestAnAnswerOfTheWrongKind:
    """It is refused with SdkError and nothing is sent: the callback stays open."""

    @pytest.mark.parametrize(
        "answer",
        [
            True,
            False,
            None,
            {"type": "allow"},
            "yes",
            1,
            agents.KeepCallbackOpen(),
            agents.SignInAnswer(connected=["x"]),
        ],
    )
    async def test_to_an_approval(self, till: Till, answer: object) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1})))
        with pytest.raises(agents.SdkError, match="cannot be answered with"):
            await turn.answer(only_callback(state).id, answer)
        assert await turn.get() == state

    @pytest.mark.parametrize("answer", [agents.AllowApproval(), agents.DenyApproval(), agents.KeepCallbackOpen()])
    async def test_to_a_client_tool(self, till: Till, answer: object) -> None:
        turn, state = await waiting(agent_of(till, call("locate")))
        with pytest.raises(agents.SdkError, match=r"client\.locate"):
            await turn.answer(only_callback(state).id, answer)
        assert await turn.get() == state

    async def test_to_a_client_tool_with_another_type_than_the_stub_returns(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("locate")))
        with pytest.raises(agents.SdkError, match="Nothing was sent"):
            await turn.answer(only_callback(state).id, 5)
        assert await turn.get() == state

    @pytest.mark.parametrize("answer", [{"bad": 1}, {"type": "tool_result", "content": "x"}, {"type": "sign_in"}, 5])
    async def test_is_refused_by_what_takes_it_too(self, till: Till, answer: Any) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1}), reply("Paid.")))
        question = only_callback(state).id
        with pytest.raises(agents.SdkError, match="is of kind 'approval' and cannot be answered with"):
            await send(await bound_of(turn.session).place(), turn.session_id, question, answer)
        assert await turn.get() == state
        await turn.answer(question, agents.AllowApproval())
        assert completed(await turn.result(after=state)).text == "Paid."

    async def test_to_a_client_tool_that_json_cannot_hold(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("locate")))
        with pytest.raises(agents.SdkError):
            await turn.answer(only_callback(state).id, object())
        assert await turn.get() == state


class TestAnAnswer:
    """What an answer is, once it is given."""

    async def test_is_in_the_log_before_anything_runs(self) -> None:
        """Regression, agent-framework#7458, letta PR2853: the answer was taken, the run failed, the answer was lost."""
        within = gate()

        @agents.tool
        async def pay() -> str:
            """Pay."""
            await within.hold()
            raise RuntimeError("the bank is closed")

        model = ScriptedModel([call("pay"), reply("It failed.")])
        turn, state = await waiting(agents.Agent(model=model, tools=[pay], permission_mode="ask"))
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        await within.reached()
        seen = await turn.session.history()
        assert not any(isinstance(entry, agents.ToolResultEntry) for entry in seen)
        answered = await turn.answer(only_callback(state).id, agents.DenyApproval())
        assert isinstance(answered, agents.AlreadySettled)
        within.open()
        assert completed(await turn.result(after=state)).text == "It failed."

    async def test_of_another_task_lets_the_waiting_loop_go_on(self, till: Till) -> None:
        """The page's hand-off: somebody else answers, and `result(after=state)` returns when the turn moves on."""
        inbox: asyncio.Queue[agents.OpenCallback] = asyncio.Queue()
        agent = agent_of(till, call("pay", {"amount": 1}), call("pay", {"amount": 2}), reply("Both."))
        session = await agent.start_session()

        async def analyst() -> None:
            while True:
                callback = await inbox.get()
                await session.turn(callback.turn_id).answer(callback.id, agents.AllowApproval())

        desk = asyncio.create_task(analyst())
        state = await session.run("Pay.")
        rounds = 0
        while isinstance(state, agents.Blocked):
            rounds += 1
            for callback in state.callbacks:
                await inbox.put(callback)
            state = await session.turn(state.turn_id).result(after=state)
        desk.cancel()
        assert (completed(state).text, rounds, till.paid) == ("Both.", 2, [1, 2])

    async def test_after_the_sessions_end_changes_nothing(self, till: Till) -> None:
        turn, state = await waiting(agent_of(till, call("pay", {"amount": 1})))
        await turn.session.cancel()
        answered = await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert isinstance(answered, agents.AlreadySettled)
        assert isinstance(await turn.answer("nobody", agents.AllowApproval()), agents.NotFound)
        assert till.paid == []

    async def test_while_its_turn_is_being_stopped_does_not_count(self, till: Till) -> None:
        """An interrupt closes the open callbacks at once, though what runs still takes its time to stop."""
        stubborn, stopping = gate(), gate()

        @agents.tool
        async def stay() -> str:
            """Take a while to stop."""
            try:
                await stubborn.hold()
            except asyncio.CancelledError:
                await stopping.hold()
            return "stayed"

        agent = agents.Agent(
            model=ScriptedModel([calls(call("stay"), call("pay", {"amount": 1}))]),
            tools=[stay, till.tool],
            permission_policy=agents.PermissionPolicy(
                default="allow", rules=[agents.PermissionRule(tools=["client.pay"], decision="ask")]
            ),
        )
        turn, state = await waiting(agent)
        await stubborn.reached()
        interrupting = asyncio.create_task(turn.interrupt())
        await stopping.reached()
        answered = await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert isinstance(answered, agents.AlreadySettled)
        stopping.open()
        assert turn_of(await interrupting) == turn
        assert till.paid == []
