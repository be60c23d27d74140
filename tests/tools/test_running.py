"""Where and how tools run: off the loop, side by side, each to a result of its own, under their timeouts."""

from __future__ import annotations

import asyncio
import functools
import logging
import threading
import time
from collections.abc import Awaitable, Callable  # noqa: TC003  # read when a tool is declared
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, calls, gate, reply
from tests.support.outcomes import completed, failed
from tests.tools.calling import called


class TestASyncTool:
    async def test_runs_in_a_thread_and_leaves_the_loop_free(self) -> None:
        beats, enough = 0, threading.Event()
        where: list[int] = []

        @agents.tool
        def block() -> str:
            """Block until the loop has gone on for a while."""
            where.append(threading.get_ident())
            return "free" if enough.wait(timeout=20) else "the loop stood still"

        async def beat() -> None:
            nonlocal beats
            while beats < 100:
                beats += 1
                await asyncio.sleep(0)
            enough.set()

        heart = asyncio.create_task(beat())
        assert (await called(call("block"), block)).text == "free"
        await heart
        assert where != [threading.get_ident()]

    async def test_may_run_a_loop_of_its_own(self) -> None:
        @agents.tool
        def nested() -> str:
            """Run a loop."""

            async def inside() -> str:
                return "inside"

            return asyncio.run(inside())

        assert (await called(call("nested"), nested)).text == "inside"

    async def test_that_returns_an_awaitable_is_told_as_a_failure(self) -> None:
        async def inside() -> str:
            return "inside"

        @agents.tool
        def promising() -> object:
            """Promise."""
            coroutine = inside()
            coroutine.close()
            return coroutine

        result = await called(call("promising"), promising)
        assert result.read[0].is_error

    @pytest.mark.parametrize("bound", [None, 60])
    async def test_that_returns_an_awaitable_is_awaited_on_the_loop(self, bound: float | None) -> None:
        where: list[int] = []

        def logged(function: Callable[..., Awaitable[str]]) -> Callable[..., Awaitable[str]]:
            @functools.wraps(function)
            def wrapper(*args: object, **kwargs: object) -> Awaitable[str]:
                return function(*args, **kwargs)

            return wrapper

        @agents.tool(timeout_seconds=bound)
        @logged
        async def look_up(place: str) -> str:
            """Look something up."""
            where.append(threading.get_ident())
            await asyncio.sleep(0)
            return f"found in {place}"

        @agents.tool
        def promise(place: str) -> Awaitable[str]:
            """Look something up later."""
            return look_up(place)

        for tool in (look_up, promise):
            assert (await called(call(tool.name, {"place": "Lyon"}), tool)).text == "found in Lyon"
        assert where == [threading.get_ident()] * 2
        assert promise.output_schema == {"type": "string"}

    async def test_that_is_a_partial_or_an_object_with_an_async_call_runs_on_the_loop(self) -> None:
        async def search(place: str, depth: int) -> int:
            """Look something up."""
            return threading.get_ident() * depth

        class Search:
            """Look something up."""

            async def __call__(self, place: str) -> int:
                return threading.get_ident()

        for function in (functools.partial(search, depth=1), Search()):
            tool = agents.tool(name="search")(function)
            result = await called(call("search", {"place": "Lyon"}), tool)
            assert result.text == str(threading.get_ident())

    async def test_that_returns_a_generator_has_it_run_in_its_thread(self) -> None:
        where: list[int] = []

        @agents.tool
        def numbers() -> Any:
            """Count."""
            return (each() for _ in range(3))

        def each() -> int:
            where.append(threading.get_ident())
            return len(where)

        assert (await called(call("numbers"), numbers)).text == "[1,2,3]"
        assert threading.get_ident() not in where


class TestParallelCalls:
    async def test_of_sync_tools_run_at_the_same_time(self) -> None:
        meet = threading.Barrier(5, timeout=20)

        @agents.tool
        def meeting(number: int) -> int:
            """Wait for the others."""
            meet.wait()
            return number

        step = calls(*(call("meeting", {"number": number}) for number in range(5)))
        result = await called(step, meeting)
        assert [message.content for message in result.read] == ["0", "1", "2", "3", "4"]

    async def test_of_async_tools_run_at_the_same_time(self) -> None:
        meet = asyncio.Barrier(5)

        @agents.tool
        async def meeting(number: int) -> int:
            """Wait for the others."""
            await meet.wait()
            return number

        step = calls(*(call("meeting", {"number": number}) for number in range(5)))
        assert [message.content for message in (await called(step, meeting)).read] == ["0", "1", "2", "3", "4"]

    async def test_are_read_in_the_order_of_the_calls_and_logged_as_they_end(self) -> None:
        first_may_end = gate()

        @agents.tool
        async def first() -> str:
            """End last."""
            await first_may_end.hold()
            return "1"

        @agents.tool
        async def second() -> str:
            """End first."""
            first_may_end.open()
            return "2"

        model = ScriptedModel([calls(call("first"), call("second")), reply("Done.")])
        session = await agents.Agent(model=model, tools=[first, second]).start_session()
        await session.run("go")
        entries = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        made = [entry for entry in await session.history() if isinstance(entry, agents.ToolCallEntry)]
        assert [entry.tool_call_id for entry in entries] == [made[1].tool_call_id, made[0].tool_call_id]
        contents = [m.content for m in model.requests[1].messages if isinstance(m, agents.ToolMessage)]
        assert contents == ["1", "2"]
        await session.cancel()

    async def test_lose_nothing_when_one_fails(self) -> None:
        failed = asyncio.Event()

        @agents.tool
        async def good(number: int) -> int:
            """End after the bad one."""
            await failed.wait()
            return number

        @agents.tool
        async def bad() -> None:
            """Fail."""
            failed.set()
            raise LookupError("nothing there")

        step = calls(call("good", {"number": 1}), call("bad"), call("good", {"number": 2}))
        result = await called(step, good, bad)
        assert [(message.content, message.is_error) for message in result.read] == [
            ("1", False),
            ("The tool failed: LookupError: nothing there", True),
            ("2", False),
        ]
        assert [made.name for made in result.tool_calls] == ["client.good", "client.bad", "client.good"]

    async def test_have_their_results_before_one_that_raised_fails_the_turn(self) -> None:
        broken, may_end = asyncio.Event(), gate()

        @agents.tool
        async def good() -> str:
            """End after the bad one."""
            await may_end.hold()
            return "good"

        @agents.tool
        async def bad() -> None:
            """Fail."""
            broken.set()
            raise LookupError("nothing there")

        agent = agents.Agent(
            model=ScriptedModel([calls(call("good"), call("bad"))]), tools=[good, bad], tool_errors="raise"
        )
        session = await agent.start_session()
        turn = await session.send_message("go")
        await broken.wait()
        await may_end.reached()
        async for event in turn.iter_events():
            if isinstance(event, agents.EntryCompleted) and isinstance(event.entry, agents.ToolResultEntry):
                break
        assert isinstance(await turn.get(), agents.Running)
        may_end.open()
        assert failed(await turn.result()).code == "tool_raised"
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert [result.error is None for result in results] == [False, True]

    async def test_more_than_a_pool_would_hold_all_run(self) -> None:
        meet = threading.Barrier(70, timeout=20)

        @agents.tool
        def meeting() -> str:
            """Wait for the others."""
            meet.wait()
            return "met"

        result = await called(calls(*(call("meeting") for _ in range(70))), meeting)
        assert [message.content for message in result.read] == ["met"] * 70


class TestATimeout:
    @pytest.mark.parametrize("how", ["thread", "loop", "stubborn"])
    async def test_fails_the_call_and_the_turn_goes_on(self, how: str) -> None:
        over = threading.Event()

        @agents.tool(name="slow", timeout_seconds=0.05)
        def in_thread() -> str:
            """Take long."""
            over.wait(timeout=20)
            return "late"

        @agents.tool(name="slow", timeout_seconds=0.05)
        async def in_loop() -> str:
            """Take long."""
            await asyncio.Event().wait()
            return "late"

        @agents.tool(name="slow", timeout_seconds=0.05)
        async def stubborn() -> str:
            """Take long, whatever anyone says."""
            while not over.is_set():
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    continue
            return "late"

        tool = {"thread": in_thread, "loop": in_loop, "stubborn": stubborn}[how]
        try:
            result = await called(call("slow"), tool)
        finally:
            over.set()
        assert completed(result.state).text == "Done."
        assert "0.05 s" in result.text
        assert "not known" in result.text
        assert result.entry.error is not None
        assert result.entry.error.code == "timed_out"

    async def test_under_raise_fails_the_turn_and_says_the_bound(self) -> None:
        @agents.tool(timeout_seconds=0.05)
        async def slow() -> str:
            """Take long."""
            await asyncio.Event().wait()
            return "late"

        assert (await called(call("slow"), slow, tool_errors="raise")).error == agents.ProtocolError(
            message="Tool client.slow did not end within 0.05 s. Whether it took effect is not known.",
            code="tool_raised",
        )

    async def test_of_the_tools_own_is_an_exception_like_any_other(self) -> None:
        @agents.tool(timeout_seconds=60)
        async def impatient() -> str:
            """Give up."""
            raise TimeoutError("the bank did not answer")

        assert (await called(call("impatient"), impatient)).text == (
            "The tool failed: TimeoutError: the bank did not answer"
        )

    async def test_of_one_call_is_not_that_of_another(self) -> None:
        others_over = asyncio.Event()

        @agents.tool(timeout_seconds=0.05)
        async def slow() -> str:
            """Take long."""
            try:
                await asyncio.Event().wait()
            finally:
                others_over.set()
            return "late"

        @agents.tool
        async def patient() -> str:
            """Take longer."""
            await others_over.wait()
            return "there"

        result = await called(calls(call("slow"), call("patient")), slow, patient)
        assert [message.is_error for message in result.read] == [True, False]
        assert result.read[1].content == "there"


class TestCancelledErrorOfATool:
    async def test_raised_by_itself_is_a_failed_call(self) -> None:
        @agents.tool
        async def cancelled() -> str:
            """Await something that somebody cancelled."""
            waiting = asyncio.ensure_future(asyncio.Event().wait())
            waiting.cancel()
            await waiting
            return "not reached"

        result = await called(call("cancelled"), cancelled)
        assert completed(result.state).text == "Done."
        assert result.text == "The tool failed: CancelledError"

    async def test_of_a_tool_that_cancels_its_own_task_is_a_failed_call(self) -> None:
        @agents.tool
        async def suicidal() -> str:
            """Cancel the task it runs in."""
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(0)
            return "not reached"

        result = await called(call("suicidal"), suicidal)
        assert completed(result.state).text == "Done."
        assert result.read[0].is_error


class TestTheLog:
    async def test_has_the_traceback_of_what_a_tool_raised_and_the_model_has_not(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        @agents.tool
        def divide(by: int) -> float:
            """Divide."""
            return 1 / by

        with caplog.at_level(logging.DEBUG, "mistralai.agents"):
            result = await called(call("divide", {"by": 0}), divide)
        assert result.text == "The tool failed: ZeroDivisionError: division by zero"
        (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
        assert record.exc_info is not None
        assert "return 1 / by" in caplog.text

    async def test_is_silent_about_a_tool_error(self, caplog: pytest.LogCaptureFixture) -> None:
        @agents.tool
        def refuse() -> str:
            """Refuse."""
            raise agents.ToolError("Not on Sundays.")

        with caplog.at_level(logging.WARNING, "mistralai.agents"):
            assert (await called(call("refuse"), refuse)).text == "Not on Sundays."
        assert caplog.records == []


class TestTime:
    async def test_of_a_quick_tool_is_not_that_of_a_poll(self) -> None:
        @agents.tool
        def quick() -> str:
            """Return at once."""
            return "there"

        model = ScriptedModel([*(call("quick") for _ in range(100)), reply("Done.")])
        begun = time.monotonic()
        completed(await agents.Agent(model=model, tools=[quick]).run("go"))
        assert time.monotonic() - begun < 5.0


class TestAToolThatEndsTheProgram:
    """`sys.exit` in a tool goes through to whoever runs the loop, who may go on with it."""

    @pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
    @pytest.mark.parametrize("in_thread", [False, True])
    @pytest.mark.parametrize("asks", [False, True])
    def test_has_its_result_and_the_turn_goes_on_where_the_loop_does(
        self, error: BaseException, in_thread: bool, asks: bool
    ) -> None:
        @agents.tool
        async def leave() -> None:
            """Leave."""
            raise error

        @agents.tool(name="leave")
        def leave_thread() -> None:
            """Leave."""
            raise error

        class Looks(agents.Hook):
            async def pre_tool_call(self, ctx: object, call: object) -> None:
                """Let it be."""

        model = ScriptedModel([call("leave"), reply("Still here.")])
        tool = leave_thread if in_thread else leave
        agent = agents.Agent(model=model, tools=[tool], hooks=[Looks()] if asks else [])

        async def start() -> agents.Turn:
            session = await agent.start_session()
            return await session.send_message("go")

        async def wait(turn: agents.Turn) -> agents.TurnState[str]:
            return await turn.result()

        async def end(turn: agents.Turn) -> None:
            await turn.session.cancel()

        with asyncio.Runner() as runner:
            turn = runner.run(start())
            with pytest.raises(type(error)):
                runner.run(wait(turn))
            assert completed(runner.run(wait(turn))).text == "Still here."
            runner.run(end(turn))
        (result,) = [message for message in model.requests[1].messages if isinstance(message, agents.ToolMessage)]
        assert str(result.content).startswith(f"The tool failed: {type(error).__name__}")

    def test_has_no_second_result_where_its_turn_ended_without_it(self) -> None:
        begun, may_leave = asyncio.Event(), asyncio.Event()

        @agents.tool
        async def leave() -> None:
            """Leave, in the end."""
            begun.set()
            while not may_leave.is_set():
                try:
                    await may_leave.wait()
                except asyncio.CancelledError:
                    continue
            raise SystemExit(3)

        model = ScriptedModel([call("leave"), reply("Still here.")])
        agent = agents.Agent(model=model, tools=[leave])

        async def start(clock: FakeClock) -> agents.Session:
            session = await agent.start_session()
            turn = await session.send_message("go")
            await begun.wait()
            stopping = asyncio.create_task(turn.interrupt())
            await clock.is_waited_on()
            await clock.advance(10)
            await stopping
            return session

        async def let_go() -> None:
            may_leave.set()
            await asyncio.Event().wait()

        async def go_on(session: agents.Session) -> object:
            state = await session.run("go on")
            await session.cancel()
            return state

        with FakeClock() as clock, asyncio.Runner() as runner:
            session = runner.run(start(clock))
            with pytest.raises(SystemExit):
                runner.run(let_go())
            assert completed(runner.run(go_on(session))).text == "Still here."
        (result,) = [message for message in model.requests[1].messages if isinstance(message, agents.ToolMessage)]
        assert "interrupted while it ran" in str(result.content)
