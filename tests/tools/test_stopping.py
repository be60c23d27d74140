"""Stopping a turn or session while its tools run: bounded, whatever the tools do, with a result for every call."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, calls, reply
from tests.support.outcomes import completed, interrupted

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

GRACE_SECONDS = 4.0
BOUND_SECONDS = 5.0


class Workshop:
    """Tools that run until they are let go, and do not care that they are stopped."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.begun = threading.Event()
        self.cancellations = 0

        @agents.tool
        def in_thread() -> str:
            """Block a thread."""
            self.begun.set()
            return "let go" if self.let_go.wait(timeout=20) else "stuck"

        @agents.tool
        async def stubborn() -> str:
            """Go on, whoever cancels."""
            self.begun.set()
            while not self.let_go.is_set():
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    self.cancellations += 1
            return "let go"

        @agents.tool
        async def slow_to_stop() -> str:
            """Take a while to put things in order."""
            self.begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.to_thread(self.let_go.wait, 20)
            return "in order"

        self.tools = {"in_thread": in_thread, "stubborn": stubborn, "slow_to_stop": slow_to_stop}

    async def start(self, *names: str) -> tuple[agents.Session, agents.Turn, ScriptedModel]:
        """A turn whose model has called these tools, and a script that goes on after it."""
        model = ScriptedModel([calls(*(call(name) for name in names)), reply("Next.")])
        session = await agents.Agent(model=model, tools=list(self.tools.values())).start_session()
        turn = await session.send_message("go")
        await asyncio.to_thread(self.begun.wait, 20)
        return session, turn, model


async def begun(clock: FakeClock, stopping: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Begin to stop, and return once the grace of what runs has begun."""
    task = asyncio.create_task(stopping)
    await clock.is_waited_on()
    return task


@pytest.fixture
def workshop() -> Iterator[Workshop]:
    workshop = Workshop()
    yield workshop
    workshop.let_go.set()


class TestInterrupting:
    @pytest.mark.parametrize("name", ["in_thread", "stubborn", "slow_to_stop"])
    async def test_a_tool_that_does_not_stop_ends_the_turn_when_its_grace_is_over(
        self, workshop: Workshop, name: str
    ) -> None:
        with FakeClock() as clock:
            session, turn, model = await workshop.start(name)
            stopping = await begun(clock, turn.interrupt())
            await clock.advance(GRACE_SECONDS - 0.1)
            assert not stopping.done()
            await clock.advance(0.2)
            assert await stopping == turn
        state = interrupted(await turn.result())
        assert state.cause == "interrupted"
        workshop.let_go.set()
        assert completed(await session.run("next")).text == "Next."
        (result,) = [m for m in model.requests[1].messages if isinstance(m, agents.ToolMessage)]
        assert result.is_error
        assert "interrupted" in str(result.content)
        assert "not known" in str(result.content)
        await session.cancel()

    @pytest.mark.parametrize("name", ["in_thread", "stubborn", "slow_to_stop"])
    async def test_waits_for_a_tool_that_ends_within_the_grace_and_keeps_its_result(
        self, workshop: Workshop, name: str
    ) -> None:
        with FakeClock() as clock:
            session, turn, model = await workshop.start(name)
            stopping = await begun(clock, turn.interrupt())
            await clock.advance(1.0)
            workshop.let_go.set()
            await stopping
        interrupted(await turn.get())
        assert completed(await session.run("next")).text == "Next."
        (result,) = [m for m in model.requests[1].messages if isinstance(m, agents.ToolMessage)]
        assert result.content in ("let go", "in order")
        await session.cancel()

    async def test_several_tools_waits_for_all_of_them_at_once(self, workshop: Workshop) -> None:
        with FakeClock() as clock:
            session, turn, model = await workshop.start("in_thread", "stubborn", "slow_to_stop", "in_thread")
            stopping = await begun(clock, turn.interrupt())
            await clock.advance(GRACE_SECONDS)
            await stopping
        workshop.let_go.set()
        assert completed(await session.run("next")).text == "Next."
        assert len([m for m in model.requests[1].messages if isinstance(m, agents.ToolMessage)]) == 4
        await session.cancel()

    async def test_tells_what_was_left_running(self, workshop: Workshop) -> None:
        with FakeClock() as clock:
            session, turn, _ = await workshop.start("in_thread")
            stopping = await begun(clock, turn.interrupt())
            await clock.advance(GRACE_SECONDS)
            await stopping
        await session.cancel()
        notices = [event async for event in session.iter_events() if isinstance(event, agents.Notice)]
        assert ["client.in_thread" in notice.message for notice in notices] == [True]

    async def test_leaves_no_trace_of_what_comes_later(self, workshop: Workshop) -> None:
        with FakeClock() as clock:
            session, turn, _ = await workshop.start("stubborn")
            stopping = await begun(clock, turn.interrupt())
            await clock.advance(GRACE_SECONDS)
            await stopping
            before = await session.history()
            workshop.let_go.set()
            await clock.advance(0)  # the tool comes to its end meanwhile
        assert await session.history() == before
        assert workshop.cancellations >= 1
        await session.cancel()

    async def test_cancels_a_tool_that_has_a_timeout_too(self) -> None:
        begun, ended = asyncio.Event(), list[str]()

        @agents.tool(timeout_seconds=60)
        async def patient() -> None:
            """Wait."""
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

        session = await agents.Agent(model=ScriptedModel([call("patient")]), tools=[patient]).start_session()
        turn = await session.send_message("go")
        await begun.wait()
        await turn.interrupt()
        interrupted(await turn.result())
        assert ended == ["cancelled"]

    async def test_cancels_what_a_plain_function_gave_to_be_awaited(self) -> None:
        begun, ended = asyncio.Event(), list[str]()

        async def wait() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("cancelled")

        @agents.tool
        def patient() -> Any:
            """Wait."""
            return wait()

        session = await agents.Agent(model=ScriptedModel([call("patient")]), tools=[patient]).start_session()
        turn = await session.send_message("go")
        await begun.wait()
        await turn.interrupt()
        interrupted(await turn.result())
        assert ended == ["cancelled"]

    @pytest.mark.parametrize("kind", ["coroutine", "future"])
    async def test_does_not_begin_what_a_plain_function_gives_to_be_awaited_later(self, kind: str) -> None:
        begun, let_go, ran = threading.Event(), threading.Event(), list[str]()

        async def wait() -> None:
            ran.append("ran")

        promised = asyncio.get_running_loop().create_future()

        @agents.tool
        def slow() -> Any:
            """Take long to begin."""
            begun.set()
            let_go.wait(20)
            return wait() if kind == "coroutine" else promised

        session = await agents.Agent(model=ScriptedModel([call("slow")]), tools=[slow]).start_session()
        turn = await session.send_message("go")
        await asyncio.to_thread(begun.wait, 20)
        stopping = asyncio.create_task(turn.interrupt())
        await asyncio.sleep(0)
        let_go.set()
        await stopping
        interrupted(await turn.result())
        assert ran == []

    @pytest.mark.slow
    async def test_in_real_time_ends_within_five_seconds(self, workshop: Workshop) -> None:
        session, turn, _ = await workshop.start("in_thread", "stubborn", "slow_to_stop")
        begun = time.monotonic()
        await turn.interrupt()
        assert time.monotonic() - begun < BOUND_SECONDS
        workshop.let_go.set()
        await session.cancel()


class TestCancelling:
    @pytest.mark.parametrize("name", ["in_thread", "stubborn", "slow_to_stop"])
    async def test_a_session_is_bounded_in_the_same_way(self, workshop: Workshop, name: str) -> None:
        with FakeClock() as clock:
            session, turn, _ = await workshop.start(name)
            stopping = await begun(clock, session.cancel())
            await clock.advance(GRACE_SECONDS)
            await stopping
        assert interrupted(await turn.get()).cause == "cancelled"
        assert (await session.info()).status == "terminated"

    async def test_while_it_is_interrupted_is_over_with_it(self, workshop: Workshop) -> None:
        with FakeClock() as clock:
            session, turn, _ = await workshop.start("in_thread")
            interrupting = await begun(clock, turn.interrupt())
            await clock.advance(2.0)
            cancelling = asyncio.create_task(session.cancel())
            await asyncio.sleep(0)
            await clock.advance(2.0)
            await asyncio.gather(interrupting, cancelling)
        assert interrupted(await turn.get()).cause == "cancelled"
        assert (await session.info()).status == "terminated"

    async def test_by_the_end_of_a_block_is_bounded_too(self, workshop: Workshop) -> None:
        runtime = agents.local_runtime()
        with FakeClock() as clock:
            await runtime.__aenter__()
            for name in workshop.tools:
                await workshop.start(name)
            ending = await begun(clock, runtime.__aexit__(None, None, None))
            await clock.advance(GRACE_SECONDS)
            workshop.let_go.set()
            await ending
        assert runtime.statistics().tasks == 0

    async def test_lets_an_async_tool_put_things_in_order(self) -> None:
        order: list[str] = []
        begun = asyncio.Event()

        @agents.tool
        async def careful() -> str:
            """Clean up."""
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                order.append("cleaned up")
            return ""

        session = await agents.Agent(model=ScriptedModel([call("careful")]), tools=[careful]).start_session()
        await session.send_message("go")
        await begun.wait()
        await session.cancel()
        assert order == ["cleaned up"]

    async def test_before_a_tool_has_begun_never_begins_it(self) -> None:
        ran: list[str] = []

        @agents.tool
        async def late() -> str:
            """Run."""
            ran.append("late")
            return ""

        @agents.tool
        def early() -> str:
            """Run."""
            ran.append("early")
            return ""

        session = await agents.Agent(
            model=ScriptedModel([calls(call("late"), call("early"))]), tools=[late, early], permission_mode="ask"
        ).start_session()
        turn = await session.send_message("go")
        state = await turn.result()
        assert isinstance(state, agents.Blocked)
        await asyncio.gather(
            *(turn.answer(callback.id, agents.AllowApproval()) for callback in state.callbacks), session.cancel()
        )
        assert (await session.info()).status == "terminated"
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert len(results) == 2
        assert len(ran) == len([entry for entry in results if entry.error is None])
