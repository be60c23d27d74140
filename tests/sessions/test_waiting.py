"""Waiting for a turn: when a wait returns, what it returns, and what leaving it does. Public page: Session and Turn."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import approval, blocked, completed, running, turn_of, until


@agents.tool
def pay(amount: int) -> str:
    """Pay somebody."""
    return f"paid {amount}"


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
async def read(held: bool = False) -> str:
    """Read something."""
    if held:
        await READING[-1].hold()
    return "read"


READING: list[Gate] = []


@pytest.fixture
def reading() -> Gate:
    """The gate at which the tool `read` stops when it is told to."""
    READING.append(gate())
    return READING[-1]


def reads_may_run(*steps: Any) -> agents.Agent[str]:
    """An agent that asks for every call but those of `read`."""
    rules = [agents.PermissionRule(tools=["client.pay"], decision="ask")]
    return agents.Agent(
        model=ScriptedModel(steps),
        tools=[pay, read],
        permission_policy=agents.PermissionPolicy(default="allow", rules=rules),
    )


class TestAWait:
    """`Turn.result` waits for the end, or for a callback, and returns the record."""

    async def test_returns_the_record_of_the_end(self) -> None:
        session = await reads_may_run(reply("Done.")).start_session()
        assert completed(await (await session.send_message("Go.")).result()).text == "Done."

    async def test_returns_at_once_for_a_turn_that_has_ended(self) -> None:
        session = await reads_may_run(reply("Done.")).start_session()
        state = completed(await session.run("Go."))
        assert await session.turn(state.turn_id).result(timeout=0) == state
        assert await session.turn(state.turn_id).result(after=state) == state

    async def test_returns_blocked_when_a_callback_opens(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1})).start_session()
        state = blocked(await session.run("Pay."))
        assert approval(state.callbacks[0]).request.arguments == {"amount": 1}

    async def test_without_after_returns_at_once_while_any_callback_is_open(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1})).start_session()
        first = blocked(await session.run("Pay."))
        assert await session.turn(first.turn_id).result() == first

    async def test_of_run_is_start_turn_and_result_in_one(self) -> None:
        session = await reads_may_run(reply("Done.")).start_session()
        state = completed(await session.run("Go."))
        assert await session.turn(state.turn_id).get() == state


class TestAWaitWithAfter:
    """`result(after=record)` waits past the callbacks that the record already showed."""

    async def test_does_not_return_for_a_callback_it_has_shown(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1})).start_session()
        first = blocked(await session.run("Pay."))
        again = blocked(await session.turn(first.turn_id).result(after=first, timeout=0))
        assert (
            again.callbacks == first.callbacks
        )  # the deadline's record: nothing came, so nothing was waited for twice

    async def test_returns_once_the_answer_lets_the_turn_end(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1}), reply("Paid.")).start_session()
        first = blocked(await session.run("Pay."))
        turn = session.turn(first.turn_id)
        waiting = asyncio.create_task(turn.result(after=first))
        await turn.answer(first.callbacks[0].id, agents.AllowApproval())
        assert completed(await waiting).text == "Paid."

    async def test_returns_blocked_again_with_the_callback_that_opened_after_it(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1}), call("pay", {"amount": 2})).start_session()
        first = blocked(await session.run("Pay twice."))
        turn = session.turn(first.turn_id)
        await turn.answer(first.callbacks[0].id, agents.AllowApproval())
        second = blocked(await turn.result(after=first))
        assert [approval(each).request.arguments for each in second.callbacks] == [{"amount": 2}]

    async def test_lists_the_older_callback_too_while_it_is_still_open(self, reading: Gate) -> None:
        agent = reads_may_run(calls(call("pay", {"amount": 1}), call("read", {"held": True})), reply("Never."))
        session = await agent.start_session()
        first = blocked(await session.run("Pay."))
        reading.open()
        turn = session.turn(first.turn_id)
        assert blocked(await turn.result(after=first, timeout=0)).callbacks == first.callbacks

    async def test_takes_a_cursor_as_well_as_a_record(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1}), reply("Paid.")).start_session()
        first = blocked(await session.run("Pay."))
        turn = session.turn(first.turn_id)
        await turn.answer(first.callbacks[0].id, agents.AllowApproval())
        assert completed(await turn.result(after=first.cursor)).text == "Paid."

    async def test_of_two_callbacks_where_one_was_answered_still_waits_for_the_other(self) -> None:
        agent = reads_may_run(calls(call("pay", {"amount": 1}), call("pay", {"amount": 2})), reply("Both."))
        session = await agent.start_session()
        first = blocked(await session.run("Pay twice."))
        turn = session.turn(first.turn_id)
        await turn.answer(first.callbacks[1].id, agents.AllowApproval())
        assert blocked(await turn.result(after=first, timeout=0)).callbacks == first.callbacks[:1]
        waiting = asyncio.create_task(turn.result(after=first))
        await turn.answer(first.callbacks[0].id, agents.AllowApproval())
        assert completed(await waiting).text == "Both."

    @pytest.mark.parametrize("after", [17, object(), b"x"])
    async def test_that_is_neither_is_refused(self, after: object) -> None:
        session = await reads_may_run(reply("Done.")).start_session()
        turn = await session.send_message("Go.")
        with pytest.raises(agents.SdkError, match="after is"):
            await turn.result(after=after)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # what a caller without types may pass
        await turn.result()


class TestOneOpenCallbackAmongSiblings:
    """A turn is Blocked as soon as one callback is open, even while the calls beside it run."""

    async def test_blocks_the_turn_while_the_others_run(self, reading: Gate) -> None:
        agent = reads_may_run(calls(call("read", {"held": True}), call("pay", {"amount": 1})), reply("Done."))
        session = await agent.start_session()
        state = blocked(await session.run("Both."))
        await reading.reached()  # the sibling runs, and has not ended
        reading.open()
        turn = session.turn(state.turn_id)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        assert completed(await turn.result(after=state)).text == "Done."

    async def test_keeps_the_result_of_a_sibling_that_ends_while_the_turn_waits(self, reading: Gate) -> None:
        """Regression, adk-python#6732, openai-agents-js#1435: the other call's result was lost over the pause."""
        agent = reads_may_run(calls(call("read", {"held": True}), call("pay", {"amount": 1})), reply("Done."))
        session = await agent.start_session()
        state = blocked(await session.run("Both."))
        reading.open()
        result = await until(session, agents.EntryCompleted, count=4)
        assert isinstance(result.entry, agents.ToolResultEntry)
        assert result.entry.content == (agents.TextContentBlock(text="read"),)
        turn = session.turn(state.turn_id)
        await turn.answer(state.callbacks[0].id, agents.DenyApproval())
        await turn.result(after=state)
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert [result.error is None for result in results] == [True, False]


class TestADeadline:
    """At its deadline a wait returns the record of that moment and raises nothing; the turn goes on."""

    async def test_returns_running_for_a_turn_that_runs(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        state = running(await session.run("Go.", timeout=0))
        held.open()
        assert completed(await session.turn(state.turn_id).result()).text == "Done."

    async def test_that_passes_while_it_waits_does_so_too(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        state = running(await session.run("Go.", timeout=0.001))
        held.open()
        assert completed(await session.turn(state.turn_id).result()).text == "Done."

    async def test_returns_blocked_for_a_turn_that_still_waits(self) -> None:
        session = await reads_may_run(call("pay", {"amount": 1})).start_session()
        first = blocked(await session.run("Pay."))
        blocked(await session.turn(first.turn_id).result(after=first, timeout=0.001))

    async def test_of_agent_run_leaves_the_turn_running(self) -> None:
        held = gate()
        agent = reads_may_run(reply(held, "Done."))
        state = running(await agent.run("Go.", timeout=0))
        held.open()
        assert completed(await agent.session(state.session_id).turn(state.turn_id).result()).text == "Done."

    @pytest.mark.parametrize("timeout", [-1, True, "1", float("nan")])
    async def test_that_is_no_number_of_seconds_is_refused_before_anything_starts(self, timeout: float) -> None:
        agent = reads_may_run(reply("Never."))
        with pytest.raises(agents.SdkError, match="timeout is"):
            await agent.run("Go.", timeout=timeout)
        session = await agent.start_session()
        with pytest.raises(agents.SdkError, match="timeout is"):
            await session.run("Go.", timeout=timeout)
        assert [info.status async for info in agents.list_sessions(host="local")] == ["waiting"]
        assert (await session.history()) == ()


class TestLeavingAWait:
    """Leaving a wait sends nothing; the cancellation carries a note with the ids and how to stop the turn."""

    async def test_by_cancelling_its_task_leaves_the_turn_running(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        turn = await session.send_message("Go.")
        waiting = asyncio.create_task(turn.result())
        await held.reached()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError) as left:
            await waiting
        (note,) = left.value.__notes__
        assert session.id in note
        assert turn.id in note
        assert "interrupt()" in note
        held.open()
        assert completed(await turn.result()).text == "Done."

    async def test_by_wait_for_shows_the_note_on_the_cause_of_the_timeout(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        turn = await session.send_message("Go.")
        with pytest.raises(TimeoutError) as left:
            await asyncio.wait_for(turn.result(), timeout=0.001)
        assert left.value.__cause__ is not None
        assert turn.id in "".join(left.value.__cause__.__notes__)
        held.open()
        await turn.result()

    async def test_of_agent_run_says_which_session_to_stop(self) -> None:
        held = gate()
        agent = reads_may_run(reply(held, "Done."))
        with pytest.raises(TimeoutError) as left:
            await asyncio.wait_for(agent.run("Go."), timeout=0.01)
        assert left.value.__cause__ is not None
        (info,) = [info async for info in agents.list_sessions(host="local")]
        assert info.session_id in "".join(left.value.__cause__.__notes__)
        held.open()

    async def test_of_session_run_leaves_its_turn_running(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        waiting = asyncio.create_task(session.run("Go."))
        await held.reached()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        held.open()
        ended = await until(session, agents.TurnEnded)
        assert completed(ended.state).text == "Done."


class TestManyWaits:
    """Any number of waits on one turn see the same end, and none of them changes it."""

    async def test_return_though_one_of_them_is_given_up_as_the_end_comes(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        turn = turn_of(await session.start_turn("Go."))
        waits = [asyncio.create_task(turn.result()) for _ in range(3)]
        await held.reached()
        waits[0].cancel()
        await session.cancel()
        assert waits[0].cancelled()
        assert [type(await wait) for wait in waits[1:]] == [agents.Interrupted] * 2

    async def test_all_return_the_same_record(self) -> None:
        held = gate()
        session = await reads_may_run(reply(held, "Done.")).start_session()
        turn = turn_of(await session.start_turn("Go."))
        waits = [asyncio.create_task(turn.result()) for _ in range(20)]
        await held.reached()
        held.open()
        assert len({state.cursor for state in await asyncio.gather(*waits)}) == 1
