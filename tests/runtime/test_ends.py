"""What ends a session, and what does not: each row of the page Run an agent in your process, and its problems."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, call, error, gate, reply
from tests.support.outcomes import completed, interrupted

ENDED = "^The local Session has ended$"


@pytest.fixture
def held() -> Gate:
    return gate()


@pytest.fixture
def agent(held: Gate) -> agents.Agent[str]:
    """An agent whose first reply stops in the middle."""
    return agents.Agent(model=ScriptedModel([reply("First", held, " and last."), reply("Second."), reply("Third.")]))


async def ended_handles(session: agents.Session) -> tuple[agents.Session, agents.Turn]:
    """A session that was cancelled after a turn, and the turn."""
    turn = await session.send_message("hello")
    await turn.result()
    await session.cancel()
    return session, turn


class TestLeavingAWait:
    async def test_by_its_timeout_leaves_the_turn_running(self, agent: agents.Agent[str], held: Gate) -> None:
        state = await agent.run("hello", timeout=0)
        assert isinstance(state, agents.Running)
        held.open()
        ended = await agent.session(state.session_id).turn(state.turn_id).result()
        assert isinstance(ended, agents.Completed)
        assert ended.text == "First and last."

    async def test_by_wait_for_leaves_the_turn_running(self, agent: agents.Agent[str], held: Gate) -> None:
        session = await agent.start_session()
        turn = await session.send_message("hello")
        with pytest.raises(TimeoutError) as late:
            await asyncio.wait_for(turn.result(), 0.01)
        assert isinstance(await turn.get(), agents.Running)
        note = " ".join(getattr(late.value.__cause__, "__notes__", []))
        assert session.id in note
        assert turn.id in note
        assert "interrupt" in note
        held.open()
        assert (await turn.result()).text == "First and last."

    async def test_by_a_cancelled_task_leaves_the_turn_running(self, agent: agents.Agent[str], held: Gate) -> None:
        session = await agent.start_session()
        turn = await session.send_message("hello")
        task = asyncio.create_task(turn.result())
        await held.reached()
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as left:
            await task
        assert turn.id in " ".join(left.value.__notes__)
        held.open()
        assert isinstance(await turn.result(), agents.Completed)

    async def test_then_interrupting_ends_the_turn_and_not_the_session(
        self, agent: agents.Agent[str], held: Gate
    ) -> None:
        session = await agent.start_session()
        turn = await session.send_message("hello")
        await held.reached()
        await turn.interrupt()
        state = interrupted(await turn.result())
        assert (state.text, state.cause) == ("First", "interrupted")
        assert (await session.info()).status == "waiting"
        assert completed(await session.run("again")).text == "Second."

    async def test_then_cancelling_ends_both(self, agent: agents.Agent[str], held: Gate) -> None:
        state = await agent.run("hello", timeout=0)
        await held.reached()
        session = agent.session(state.session_id)
        await session.cancel()
        ended = await session.turn(state.turn_id).get()
        assert isinstance(ended, agents.Interrupted)
        assert (ended.text, ended.cause) == ("First", "cancelled")
        assert (await session.info()).status == "terminated"


class TestACancelledSession:
    async def test_refuses_every_command(self, agent: agents.Agent[str], held: Gate) -> None:
        held.open()
        session, turn = await ended_handles(await agent.start_session())
        for command in (session.send_message, session.start_turn, session.run, turn.steer):
            with pytest.raises(agents.SessionTerminatedError, match=ENDED):
                await command("x")
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await turn.interrupt()

    async def test_can_still_be_read(self, agent: agents.Agent[str], held: Gate) -> None:
        held.open()
        session, turn = await ended_handles(await agent.start_session())
        assert (await turn.get()).text == "First and last."
        assert (await turn.result()).text == "First and last."
        assert (await turn.usage()).total_tokens == 15
        assert [type(entry) for entry in await session.history()] == [agents.MessageEntry, agents.MessageEntry]
        info = await session.info()
        assert (info.status, info.termination) == ("terminated", agents.CancelledTermination())
        events = [event async for event in session.iter_events()]
        assert isinstance(events[-1], agents.SessionUpdated)
        assert events[-1].status == "terminated"
        assert await session.subagents() == []

    async def test_is_cancelled_again_without_complaint(self, agent: agents.Agent[str], held: Gate) -> None:
        held.open()
        session, _ = await ended_handles(await agent.start_session())
        await session.cancel()

    async def test_by_two_at_once_ends_once(self, agent: agents.Agent[str], held: Gate) -> None:
        session = await agent.start_session()
        turn = await session.send_message("hello")
        await held.reached()
        await asyncio.gather(session.cancel(), session.cancel())
        ends = [event async for event in session.iter_events() if isinstance(event, agents.TurnEnded)]
        assert [event.turn_id for event in ends] == [turn.id]

    async def test_takes_no_answer(self) -> None:
        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        model = ScriptedModel([call("pay")])
        session = await agents.Agent(model=model, tools=[pay], permission_mode="ask").start_session()
        turn = await session.send_message("pay")
        blocked = await turn.result()
        assert isinstance(blocked, agents.Blocked)
        await session.cancel()
        question = blocked.callbacks[0].id
        assert await turn.answer(question, agents.AllowApproval()) == agents.AlreadySettled(
            session_id=session.id, callback_id=question
        )
        assert isinstance(await turn.answer("other", agents.AllowApproval()), agents.NotFound)


class TestTheEndOfABlock:
    async def test_stops_turns_and_releases_their_sessions(self, agent: agents.Agent[str], held: Gate) -> None:
        async with agents.local_runtime() as runtime:
            session = await agent.start_session()
            turn = await session.send_message("hello")
            await held.reached()
        for read in (turn.get, turn.result, turn.usage, session.info, session.history, session.subagents):
            with pytest.raises(agents.SessionTerminatedError, match=ENDED):
                await read()
        for command in (session.send_message, session.start_turn, session.run, turn.steer):
            with pytest.raises(agents.SessionTerminatedError, match=ENDED):
                await command("x")
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await turn.interrupt()
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await turn.answer("callback", agents.AllowApproval())
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            [event async for event in turn.iter_events()]
        await session.cancel()
        assert runtime.statistics() == agents.LocalRuntimeStatistics()

    async def test_gives_a_wait_in_another_task_the_turns_end_or_that_of_the_session(
        self, agent: agents.Agent[str], held: Gate
    ) -> None:
        async with agents.local_runtime():
            session = await agent.start_session()
            turn = await session.send_message("hello")
            waiting: asyncio.Task[agents.TurnState[Any]] = asyncio.create_task(turn.result())
            await held.reached()
        # Which of the two depends on who comes first: the wait, or the end of the block.
        await asyncio.wait([waiting])
        if error := waiting.exception():
            assert isinstance(error, agents.SessionTerminatedError)
            assert str(error) == "The local Session has ended"
        else:
            assert interrupted(waiting.result()).cause == "cancelled"

    async def test_ends_whoever_follows_its_events(self, agent: agents.Agent[str], held: Gate) -> None:
        async def follow(turn: agents.Turn) -> list[agents.Event]:
            return [event async for event in turn.iter_events()]

        async with agents.local_runtime():
            session = await agent.start_session()
            following = asyncio.create_task(follow(await session.send_message("hello")))
            await held.reached()
        events = await following
        assert isinstance(events[-1], agents.TurnEnded)

    async def test_leaves_a_session_of_agent_run_open_until_then(self) -> None:
        model = ScriptedModel([reply("Three hotels."), reply("The second.")])
        agent = agents.Agent(model=model)
        async with agents.local_runtime():
            state = await agent.run("Hotels?")
            session = agent.session(state.session_id)
            assert (await session.info()).status == "waiting"
            assert completed(await session.run("The cheapest?")).text == "The second."
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.info()

    async def test_says_nothing_of_open_sessions(
        self, agent: agents.Agent[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING, "mistralai.agents"):
            async with agents.local_runtime():
                await agent.start_session()
        assert caplog.messages == []


class TestAfterAgentRun:
    @pytest.fixture
    def simple(self) -> agents.Agent[str]:
        return agents.Agent(model=ScriptedModel([reply("One."), reply("Two.")]))

    async def test_its_session_is_closed_before_it_returns_and_can_be_read(self, simple: agents.Agent[str]) -> None:
        state = await simple.run("hello")
        session = simple.session(state.session_id)
        info = await session.info()
        assert (info.status, info.termination) == ("terminated", agents.CompletedTermination())
        assert await session.turn(state.turn_id).get() == state
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.send_message("more")

    async def test_with_a_key_its_session_stays_open(self, simple: agents.Agent[str]) -> None:
        state = await simple.run("hello", idempotency_key="k")
        session = simple.session(state.session_id)
        assert (await session.info()).status == "waiting"
        assert completed(await session.run("more")).text == "Two."
        await session.cancel()

    async def test_with_the_same_key_the_turn_is_the_same(self, simple: agents.Agent[str]) -> None:
        first = await simple.run("hello", idempotency_key="k")
        assert await simple.run("hello", idempotency_key="k") == first
        with pytest.raises(agents.SessionIdempotencyConflictError, match="'k'"):
            await simple.run("another", idempotency_key="k")
        await simple.session(first.session_id).cancel()

    async def test_that_returned_running_its_session_closes_with_the_turn(
        self, agent: agents.Agent[str], held: Gate
    ) -> None:
        state = await agent.run("hello", timeout=0)
        session = agent.session(state.session_id)
        assert (await session.info()).status == "running"
        held.open()
        await session.turn(state.turn_id).result()
        assert (await session.info()).termination == agents.CompletedTermination()

    async def test_that_returned_blocked_its_session_closes_once_the_answer_let_the_turn_end(self) -> None:
        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        agent = agents.Agent(model=ScriptedModel([call("pay"), reply("Paid.")]), tools=[pay], permission_mode="ask")
        state = await agent.run("pay")
        assert isinstance(state, agents.Blocked)
        session = agent.session(state.session_id)
        assert (await session.info()).status == "waiting"
        turn = session.turn(state.turn_id)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        assert (await turn.result(after=state)).text == "Paid."
        assert (await session.info()).termination == agents.CompletedTermination()

    async def test_that_failed_its_session_is_closed_too(self) -> None:
        agent = agents.Agent(model=ScriptedModel([error(422)]))
        state = await agent.run("hello")
        assert isinstance(state, agents.Failed)
        assert (await agent.session(state.session_id).info()).status == "terminated"

    async def test_whose_turn_was_interrupted_its_session_is_closed_too(
        self, agent: agents.Agent[str], held: Gate
    ) -> None:
        state = await agent.run("hello", timeout=0)
        session = agent.session(state.session_id)
        await held.reached()
        await session.turn(state.turn_id).interrupt()
        assert (await session.info()).status == "terminated"


class TestTheEndOfTheLoop:
    def test_with_open_sessions_is_a_warning_with_their_ids(self, caplog: pytest.LogCaptureFixture) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One."), reply("Two.")]))

        async def program() -> list[str]:
            closed = await agent.run("closes by itself")
            cancelled = await agent.start_session()
            await cancelled.cancel()
            idle = await agent.start_session()
            blocked = await agent.start_session()
            await blocked.send_message("goes on")
            assert closed.session_id not in (idle.id, blocked.id)
            return [idle.id, blocked.id]

        ids = asyncio.run(program())
        (record,) = caplog.records
        assert (record.name.split(".")[:2], record.levelname) == (["mistralai", "agents"], "WARNING")
        assert record.getMessage().startswith("agents_sdk_local_runtime_closed_open_sessions")
        assert all(session_id in record.getMessage() for session_id in ids)
        assert vars(record)["session_ids"] == ids

    def test_with_none_open_says_nothing(self, caplog: pytest.LogCaptureFixture) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One.")]))
        asyncio.run(agent.run("hello"))
        assert caplog.records == []

    def test_after_a_block_warns_of_what_started_after_it(self, caplog: pytest.LogCaptureFixture) -> None:
        agent = agents.Agent(model=ScriptedModel([]))

        async def program() -> str:
            async with agents.local_runtime():
                await agent.start_session()
            return (await agent.start_session()).id

        late = asyncio.run(program())
        assert [vars(record)["session_ids"] for record in caplog.records] == [[late]]

    def test_with_a_turn_in_mid_reply_warns_once_and_cancels_the_stream(self, caplog: pytest.LogCaptureFixture) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply("First", held, "last")]))

        async def program() -> str:
            state = await agent.run("hello", timeout=0)
            await held.reached()
            return state.session_id

        session_id = asyncio.run(program())
        assert [vars(record)["session_ids"] for record in caplog.records] == [[session_id]]

    def test_closed_without_shutting_down_its_generators_is_noticed_by_the_next_loop(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One.")]))
        loop = asyncio.new_event_loop()
        session = loop.run_until_complete(agent.start_session())
        loop.close()
        asyncio.run(agent.run("in the next loop"))
        assert [vars(record)["session_ids"] for record in caplog.records] == [[session.id]]
