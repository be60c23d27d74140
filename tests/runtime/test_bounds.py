"""The bounds of a runtime, and what it tells of itself: ended sessions, model calls, draining, statistics."""

from __future__ import annotations

import asyncio

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from tests.support.held_model import HeldModel
from tests.support.outcomes import completed

ENDED = "The local Session has ended"


class TestEndedSessions:
    async def test_are_all_kept_unless_told_otherwise(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        sessions = [await agent.start_session() for _ in range(20)]
        for session in sessions:
            await session.cancel()
        assert {(await session.info()).status for session in sessions} == {"terminated"}
        assert agents.local_runtime().statistics().ended_sessions == 20

    async def test_past_the_bound_are_released_oldest_end_first(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        async with agents.local_runtime(keep_ended_sessions=2) as runtime:
            first, second, third, kept = [await agent.start_session() for _ in range(4)]
            for session in (second, first, third):
                await session.cancel()
            with pytest.raises(agents.SessionTerminatedError, match=ENDED):
                await second.info()
            assert (await first.info()).status == (await third.info()).status == "terminated"
            assert (await kept.info()).status == "waiting"
            await second.cancel()
            assert runtime.statistics().ended_sessions == 2

    async def test_can_all_be_released_at_once(self) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One.")]))
        async with agents.local_runtime(keep_ended_sessions=0) as runtime:
            session = await agent.start_session()
            assert completed(await session.run("hello")).text == "One."
            await session.cancel()
            assert runtime.statistics().ended_sessions == 0

    async def test_released_at_once_still_hand_over_the_record_of_the_run_that_ended_them(self) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One."), reply("Two.")]))
        async with agents.local_runtime(keep_ended_sessions=0):
            pass  # the setting stays with the loop's runtime
        state = completed(await agent.run("hello"))
        assert state.text == "One."
        with pytest.raises(agents.SessionTerminatedError):
            await agent.session(state.session_id).info()

    async def test_free_their_idempotency_key_once_released(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        async with agents.local_runtime(keep_ended_sessions=0):
            first = await agent.start_session(idempotency_key="k")
            assert (await agent.start_session(idempotency_key="k")).id == first.id
            await first.cancel()
            second = await agent.start_session(idempotency_key="k")
            assert second.id != first.id


class TestModelCalls:
    async def test_at_once_are_as_many_as_the_bound_allows(self) -> None:
        model = HeldModel()
        agent = agents.Agent(model=model)
        async with agents.local_runtime(max_model_calls=2) as runtime:
            running = [asyncio.create_task(agent.run(f"{number}")) for number in range(5)]
            await model.held.acquire()
            await model.held.acquire()
            assert runtime.statistics().running_sessions == 5
            assert model.calls == 2
            model.release.set()
            assert {completed(await each).text for each in running} == {"First words, and the rest."}
        assert (model.calls, model.most) == (5, 2)

    async def test_give_their_place_back_when_they_are_interrupted(self) -> None:
        model = HeldModel()
        agent = agents.Agent(model=model)
        async with agents.local_runtime(max_model_calls=1):
            first = await (await agent.start_session()).send_message("1")
            await model.held.acquire()
            second = await (await agent.start_session()).send_message("2")
            waiting = await (await agent.start_session()).send_message("3")
            await waiting.interrupt()  # one that waits for its place leaves the line
            await first.interrupt()
            await model.held.acquire()
            model.release.set()
            assert completed(await second.result()).text == "First words, and the rest."
        assert model.calls == 2


class TestDraining:
    async def test_lets_a_running_turn_end_and_starts_nothing_more(self) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply(held, "Done.")]))
        async with agents.local_runtime() as runtime:
            session = await agent.start_session()
            turn = await session.send_message("go")
            draining = asyncio.create_task(runtime.drain())
            await held.reached()
            for start in (lambda: session.send_message("more"), agent.start_session, lambda: agent.run("other")):
                with pytest.raises(agents.SessionBusyError, match="drained"):
                    await start()
            held.open()
            assert await draining is True
            assert completed(await turn.get()).text == "Done."

    async def test_does_not_wait_for_a_turn_that_waits_for_a_person(self) -> None:
        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        agent = agents.Agent(model=ScriptedModel([call("pay"), reply("Paid.")]), tools=[pay], permission_mode="ask")
        async with agents.local_runtime() as runtime:
            state = await agent.run("pay")
            assert isinstance(state, agents.Blocked)
            assert await runtime.drain() is True
            turn = agent.session(state.session_id).turn(state.turn_id)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            assert completed(await turn.result(after=state)).text == "Paid."

    async def test_says_when_a_turn_did_not_end_in_time(self) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply(held, "Done.")]))
        async with agents.local_runtime() as runtime:
            await (await agent.start_session()).send_message("go")
            await held.reached()
            assert await runtime.drain(timeout=0) is False

    async def test_of_nothing_is_done_at_once(self) -> None:
        assert await agents.local_runtime().drain() is True

    async def test_is_over_with_the_block(self) -> None:
        agent = agents.Agent(model=ScriptedModel([reply("One.")]))
        async with agents.local_runtime() as runtime:
            await runtime.drain()
        assert completed(await agent.run("hello")).text == "One."


class TestStatistics:
    async def test_count_sessions_by_what_they_do(self) -> None:
        held = gate()
        tool_held = gate()

        @agents.tool
        async def look() -> str:
            """Look."""
            await tool_held.hold()
            return "seen"

        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        policy = agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.pay"], decision="ask")]
        )
        model = ScriptedModel([])
        agent = agents.Agent(model=model, tools=[look, pay], permission_policy=policy)
        async with agents.local_runtime() as runtime:
            ended = await agent.start_session()
            await ended.cancel()
            await agent.start_session()
            model.add(call("pay"))
            asking = await (await agent.start_session()).send_message("pay")
            await asking.result()
            model.add(call("look"))
            await (await agent.start_session()).send_message("look")
            await tool_held.reached()
            model.add(reply("First", held))
            await (await agent.start_session()).send_message("talk")
            await held.reached()
            told = runtime.statistics()
        assert told == agents.LocalRuntimeStatistics(
            running_sessions=2,
            waiting_sessions=2,
            ended_sessions=1,
            open_callbacks=1,
            tasks=2,
            tool_threads=0,
            connections=0,
            log_bytes=told.log_bytes,
        )
        assert told.log_bytes > 0

    async def test_count_the_threads_of_tools(self) -> None:
        @agents.tool
        def look() -> str:
            """Look."""
            return "seen"

        agent = agents.Agent(model=ScriptedModel([call("look"), reply("Seen.")]), tools=[look])
        async with agents.local_runtime() as runtime:
            await agent.run("look")
            assert runtime.statistics().tool_threads == 1
        assert runtime.statistics().tool_threads == 0

    async def test_are_a_value(self) -> None:
        told = agents.local_runtime().statistics()
        with pytest.raises(AttributeError):
            setattr(told, "tasks", 3)  # noqa: B010 - an assignment that no type checker allows

    async def test_are_that_of_the_block_after_it_ended(self) -> None:
        async with agents.local_runtime() as runtime:
            pass
        assert runtime.statistics() == agents.LocalRuntimeStatistics()
