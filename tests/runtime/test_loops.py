"""One local runtime a loop: finding it, its settings, blocks in blocks, and loops that follow one another."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, calls, gate, reply
from tests.support.held_model import HeldModel
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from pathlib import Path

ENDED = "^The local Session has ended$"


def answering(*texts: str) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel([reply(text) for text in texts]))


class TestGettingIt:
    async def test_starts_nothing(self) -> None:
        before = asyncio.all_tasks(), threading.active_count()
        runtime = agents.local_runtime()
        assert (asyncio.all_tasks(), threading.active_count()) == before
        assert runtime.statistics() == agents.LocalRuntimeStatistics()
        assert repr(runtime) == "LocalRuntime(not started)"

    def test_works_without_a_loop(self) -> None:
        assert agents.local_runtime().statistics().running_sessions == 0

    async def test_twice_sees_the_same_sessions(self) -> None:
        agent = answering("hi")
        async with agents.local_runtime() as block:
            await agent.start_session()
            assert agents.local_runtime().statistics() == block.statistics()
            assert block.statistics().waiting_sessions == 1

    async def test_is_shared_by_all_agents_of_the_loop(self) -> None:
        first, second = answering("one"), answering("two")
        async with agents.local_runtime():
            session = await first.start_session()
            assert await second.session(session.id).info() == await session.info()


class TestASetting:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("program_timeout_seconds", 0),
            ("program_timeout_seconds", -1.0),
            ("program_timeout_seconds", float("nan")),
            ("program_timeout_seconds", float("inf")),
            ("program_timeout_seconds", True),
            ("program_timeout_seconds", "60"),
            ("keep_ended_sessions", -1),
            ("keep_ended_sessions", 1.5),
            ("max_model_calls", 0),
            ("max_model_calls", True),
        ],
    )
    def test_that_makes_no_sense_is_refused_by_name(self, name: str, value: Any) -> None:
        with pytest.raises(agents.SdkError, match=f"local_runtime: {name} is {re.escape(repr(value))}"):
            agents.local_runtime(**{name: value})

    async def test_other_than_what_runs_is_refused_and_both_are_named(self) -> None:
        session = await answering("hi").start_session()
        words = "^This event loop's local runtime already runs with program_timeout_seconds=60.0"
        with pytest.raises(agents.SdkError, match=words) as refused:
            async with agents.local_runtime(program_timeout_seconds=300):
                pytest.fail("the block was entered")
        assert "300" in str(refused.value)
        await session.cancel()

    async def test_equal_to_what_runs_is_taken(self) -> None:
        session = await answering("hi").start_session()
        async with agents.local_runtime(program_timeout_seconds=60):
            assert (await session.info()).status == "waiting"

    async def test_left_out_keeps_what_runs(self) -> None:
        async with agents.local_runtime(program_timeout_seconds=300, keep_ended_sessions=4):
            async with agents.local_runtime():
                pass
            async with agents.local_runtime(program_timeout_seconds=300):
                pass
            with pytest.raises(agents.SdkError, match="already runs with keep_ended_sessions=4"):
                await agents.local_runtime(keep_ended_sessions=5).__aenter__()

    async def test_that_is_refused_leaves_what_runs_as_it_was(self) -> None:
        agent = answering("hi")
        async with agents.local_runtime(max_model_calls=2):
            with pytest.raises(agents.SdkError):
                await agents.local_runtime(max_model_calls=3).__aenter__()
            assert (await agent.run("hello")).text == "hi"


class TestABlock:
    async def test_in_a_block_ends_nothing(self) -> None:
        agent = answering("one", "two")
        async with agents.local_runtime():
            async with agents.local_runtime():
                session = await agent.start_session()
                await session.run("first")
            state = await session.run("second")
            assert isinstance(state, agents.Completed)
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.info()

    async def test_ends_with_an_error_all_the_same(self) -> None:
        agent = answering("one")
        runtime = agents.local_runtime()
        await runtime.__aenter__()
        session = await agent.start_session()
        await runtime.__aexit__(ZeroDivisionError, ZeroDivisionError(), None)
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.info()

    async def test_of_two_that_overlap_the_last_to_end_ends_the_sessions(self) -> None:
        first, second = agents.local_runtime(), agents.local_runtime()
        await first.__aenter__()
        await second.__aenter__()
        session = await answering("one").start_session()
        await first.__aexit__(None, None, None)
        assert (await session.info()).status == "waiting"
        await second.__aexit__(None, None, None)
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.info()

    async def test_that_is_open_cannot_be_entered_again_but_another_can(self) -> None:
        runtime = agents.local_runtime()
        async with runtime:
            with pytest.raises(agents.SdkError, match="open already"):
                await runtime.__aenter__()

    async def test_can_be_entered_again_once_it_ended(self) -> None:
        agent = answering("one", "two")
        runtime = agents.local_runtime()
        async with runtime:
            assert (await agent.run("a")).text == "one"
        async with runtime:
            assert (await agent.run("b")).text == "two"

    async def test_ends_sessions_that_started_before_it(self) -> None:
        agent = answering("one")
        session = await agent.start_session()
        async with agents.local_runtime():
            pass
        with pytest.raises(agents.SessionTerminatedError, match=ENDED):
            await session.info()

    async def test_stops_a_turn_that_a_run_no_longer_waits_for(self) -> None:
        model = HeldModel()
        agent = agents.Agent(model=model)
        async with agents.local_runtime() as runtime:
            waiting = asyncio.create_task(agent.run("go"))
            await model.held.acquire()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert runtime.statistics().running_sessions == 1
        assert model.now == 0

    async def test_is_followed_by_sessions_of_the_same_loop(self) -> None:
        @agents.tool
        def now() -> str:
            """The time."""
            return "noon"

        model = ScriptedModel([call("now", {}), reply("It is noon."), call("now", {}), reply("Noon.")])
        agent = agents.Agent(model=model, tools=[now])
        async with agents.local_runtime():
            assert (await agent.run("When?")).text == "It is noon."
        async with agents.local_runtime():
            # Threads and connections were released by the first block; these are new ones.
            assert (await agent.run("And now?")).text == "Noon."

    async def test_that_was_abandoned_by_a_cancelled_task_still_ends_its_sessions(self) -> None:
        model = HeldModel()
        agent = agents.Agent(model=model)
        inside = asyncio.Event()

        async def program() -> None:
            async with agents.local_runtime():
                session = await agent.start_session()
                await session.start_turn("go")
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(program())
        await inside.wait()
        await model.held.acquire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert model.now == 0


class TestTwoLoops:
    def test_one_after_the_other_share_no_session(self) -> None:
        agent = answering("one", "two")

        async def first() -> str:
            state = await agent.run("a")
            assert state.text == "one"
            return state.session_id

        session_id = asyncio.run(first())

        async def second() -> None:
            with pytest.raises(agents.SessionNotFoundError, match=session_id):
                await agent.session(session_id).info()
            assert (await agent.run("b")).text == "two"

        asyncio.run(second())

    def test_a_handle_of_one_is_refused_in_another(self) -> None:
        agent = answering("one")

        async def first() -> agents.Session:
            async with agents.local_runtime():
                return await agent.start_session()

        session = asyncio.run(first())

        async def second() -> None:
            with pytest.raises(agents.AgentsError):
                await session.info()

        asyncio.run(second())

    def test_at_the_same_time_in_two_threads_have_a_runtime_each(self) -> None:
        meet = threading.Barrier(2, timeout=20)
        seen: dict[str, int] = {}

        async def program(name: str) -> None:
            async with agents.local_runtime() as runtime:
                agent = answering(name)
                assert (await agent.run("who?")).text == name
                await asyncio.to_thread(meet.wait)
                seen[name] = runtime.statistics().waiting_sessions
                await asyncio.to_thread(meet.wait)

        threads = [threading.Thread(target=asyncio.run, args=(program(name),)) for name in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == {"one": 1, "two": 1}


class TestALoopOfAnotherKind:
    @pytest.fixture
    def agent(self) -> agents.Agent[str]:
        @agents.tool
        def in_thread() -> str:
            """Run in a thread."""
            return "thread"

        @agents.tool
        async def in_loop() -> str:
            """Run in the loop."""
            return "loop"

        script = [calls(call("in_thread"), call("in_loop"), call("in_loop")), call("in_loop"), reply("Done.")]
        return agents.Agent(model=ScriptedModel(script), tools=[in_thread, in_loop], permission_mode="ask")

    @staticmethod
    async def run(agent: agents.Agent[str]) -> agents.TurnState[str]:
        async with agents.local_runtime():
            return await agent.run("go", on_approval=lambda context, request: agents.AllowApproval())

    def test_that_starts_tasks_at_once_runs_turns_like_any_other(self, agent: agents.Agent[str]) -> None:
        with asyncio.Runner() as runner:
            runner.get_loop().set_task_factory(asyncio.eager_task_factory)
            assert completed(runner.run(self.run(agent))).text == "Done."

    def test_that_starts_tasks_at_once_stops_a_tool_that_interrupts_its_own_turn(self) -> None:
        ended: list[str] = []

        @agents.tool
        async def impatient(ctx: agents.ToolContext) -> None:
            """Have the turn stopped."""
            stopping = asyncio.create_task(agent.session(ctx.session_id).turn(ctx.turn_id).interrupt())
            try:
                await stopping
            finally:
                ended.append("cancelled")

        agent = agents.Agent(model=ScriptedModel([call("impatient")]), tools=[impatient])
        with asyncio.Runner() as runner:
            runner.get_loop().set_task_factory(asyncio.eager_task_factory)
            with FakeClock():
                assert isinstance(runner.run(self.run(agent)), agents.Interrupted)
        assert ended == ["cancelled"]

    def test_that_checks_its_callers_finds_nothing_to_complain_of(
        self, agent: agents.Agent[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        with asyncio.Runner(debug=True) as runner:
            runner.get_loop().slow_callback_duration = 30.0
            assert completed(runner.run(self.run(agent))).text == "Done."
        assert [record for record in caplog.records if record.levelname != "DEBUG"] == []


class TestALoopThatIsGone:
    """Nothing of a turn is told or written once its loop is: a saved session goes on elsewhere as it was."""

    @pytest.fixture(autouse=True)
    def without_the_warning(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")

    def test_before_a_task_of_the_turn_has_run(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)

        @agents.client_tool
        def locate() -> str:
            """Where the user is."""
            raise AssertionError("answered by the client")

        def agent(*steps: Any) -> agents.Agent[str]:
            return agents.Agent(name="a", model=ScriptedModel(steps), tools=[locate])

        turns: list[agents.Turn] = []

        async def leave() -> None:
            await agents.local_runtime(journal_factory=journals).__aenter__()
            session = await agent(call("locate"), reply("Never.")).start_session()
            turn = await session.send_message("go")
            state = await turn.result()
            assert isinstance(state, agents.Blocked)
            turns.append(turn)
            await turn.answer(state.callbacks[0].id, "here")
            raise SystemExit

        async def go_on(turn: agents.Turn) -> str | None:
            async with agents.local_runtime(journal_factory=journals):
                return (await agent(reply("Here.")).session(turn.session_id).turn(turn.id).result(timeout=10)).text

        with pytest.raises(SystemExit):
            asyncio.run(leave())
        assert asyncio.run(go_on(turns[0])) == "Here."
        assert [record for record in caplog.records if record.levelname == "ERROR"] == []

    @staticmethod
    async def forget_loops_that_are_gone() -> None:
        """The next loop's runtime lets go of them."""
        await (await answering().start_session()).cancel()

    # Python itself tells of what the tool raises then.
    @pytest.mark.filterwarnings("ignore:Exception ignored in:pytest.PytestUnraisableExceptionWarning")
    @pytest.mark.parametrize("where", ["model", "tool", "tool that says so itself"])
    def test_without_its_tasks_having_ended(self, where: str, caplog: pytest.LogCaptureFixture) -> None:
        closed: list[str] = []

        def leave() -> None:
            held, begun = gate(), asyncio.Event()

            @agents.tool
            async def hold() -> None:
                """Hold."""
                begun.set()
                try:
                    await asyncio.Event().wait()
                except GeneratorExit:
                    closed.append("tool")
                    if where == "tool":
                        raise
                    raise asyncio.CancelledError from None

            model = ScriptedModel([reply(held, "Never.") if where == "model" else call("hold")])
            agent = agents.Agent(model=model, tools=[hold])

            async def begin() -> None:
                session = await agent.start_session()
                await session.send_message("go")
                await (held.reached() if where == "model" else begun.wait())

            loop = asyncio.new_event_loop()
            loop.set_exception_handler(lambda loop, context: None)
            loop.run_until_complete(begin())
            loop.close()

        gc.disable()
        try:
            leave()
            asyncio.run(self.forget_loops_that_are_gone())
        finally:
            gc.enable()
        gc.collect()
        assert closed == ([] if where == "model" else ["tool"])
        assert [record for record in caplog.records if "failed" in record.message or "raised" in record.message] == []
