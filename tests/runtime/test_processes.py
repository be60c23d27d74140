"""What a whole program shows: at its exit, when it is interrupted from the keyboard, and in a forked child."""

from __future__ import annotations

import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.support.scripts import Finished, run_script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal, or forks")
BOUND_SECONDS = 5.0
"""An interrupted turn ends within it."""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Finished]:
    return partial(run_script, tmp_path)


def ends_in_keyboard_interrupt(done: Finished) -> bool:
    """Whether the program died of Ctrl+C as any Python program does: one traceback, and its code says the signal."""
    return (
        done.noise.count("Traceback (most recent call last):") <= 2  # asyncio's cancellation is its cause
        and done.noise[-1] == "KeyboardInterrupt"
        and done.code in (-signal.SIGINT, 130)
    )


class TestAtExit:
    def test_a_program_that_closed_its_sessions_says_nothing(self, run: Callable[..., Finished]) -> None:
        done = run("""
            async def main():
                agent = agents.Agent(model=ScriptedModel([reply("One."), reply("Two.")]))
                print((await agent.run("hello")).text)
                async with agents.local_runtime():
                    print((await agent.run("hello")).text)

            asyncio.run(main())
        """)
        assert (done.code, done.out, done.noise, done.warnings) == (0, "One.\nTwo.\n", [], [])

    def test_sessions_left_open_are_named_on_standard_error(self, run: Callable[..., Finished]) -> None:
        done = run("""
            async def main():
                agent = agents.Agent(model=ScriptedModel([]))
                for _ in range(2):
                    print((await agent.start_session()).id)

            asyncio.run(main())
        """)
        assert done.code == 0
        assert done.noise == []
        (warning,) = done.warnings
        assert all(session_id in warning for session_id in done.out.split())

    def test_so_are_those_of_a_loop_that_was_closed_without_shutting_down(self, run: Callable[..., Finished]) -> None:
        done = run("""
            loop = asyncio.new_event_loop()
            print(loop.run_until_complete(agents.Agent(model=ScriptedModel([])).start_session()).id)
            loop.close()
        """)
        (warning,) = done.warnings
        assert done.out.strip() in warning
        assert (done.code, done.noise) == (0, [])

    def test_and_of_one_that_was_never_closed(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            loop = asyncio.new_event_loop()
            print(loop.run_until_complete(agents.Agent(model=ScriptedModel([])).start_session()).id)
            """,
            arguments=("-W", "ignore"),  # that a loop was not closed is Python's own complaint
        )
        (warning,) = done.warnings
        assert done.out.strip() in warning
        assert (done.code, done.noise) == (0, [])

    def test_a_turn_in_the_middle_of_a_model_call_or_tool_makes_no_noise(self, run: Callable[..., Finished]) -> None:
        done = run("""
            import threading
            in_thread, in_tool = threading.Event(), asyncio.Event()

            @agents.tool
            def block() -> str:
                "Block."
                in_thread.set()
                threading.Event().wait()
                return ""

            @agents.tool
            async def wait() -> str:
                "Wait."
                in_tool.set()
                await asyncio.Event().wait()
                return ""

            async def main():
                held = gate()
                for steps in ([reply("One", held)], [call("wait")], [call("block")]):
                    agent = agents.Agent(model=ScriptedModel(steps), tools=[block, wait])
                    await (await agent.start_session()).send_message("go")
                await held.reached()
                await in_tool.wait()
                await asyncio.to_thread(in_thread.wait)
                print("left")

            asyncio.run(main())
        """)
        assert (done.code, done.out, done.noise) == (0, "left\n", [])
        assert len(done.warnings) == 1

    def test_two_loops_after_each_other_each_name_their_own(self, run: Callable[..., Finished]) -> None:
        done = run("""
            agent = agents.Agent(model=ScriptedModel([]))

            async def main():
                print((await agent.start_session()).id)

            asyncio.run(main())
            asyncio.run(main())
        """)
        assert [session_id in warning for session_id, warning in zip(done.out.split(), done.warnings, strict=True)] == [
            True,
            True,
        ]
        assert done.noise == []


@posix
class TestCtrlC:
    def test_in_the_middle_of_a_reply_ends_the_program_at_once(self, run: Callable[..., Finished]) -> None:
        begun = time.monotonic()
        done = run(
            """
            async def main():
                held = gate()
                agent = agents.Agent(model=ScriptedModel([reply("First", held)]))
                await agent.run("go", on_event=lambda event: isinstance(event, agents.TextDelta) and ready())

            asyncio.run(main())
            """,
            interrupt=True,
        )
        assert ends_in_keyboard_interrupt(done), done.noise
        assert len(done.warnings) == 1
        assert time.monotonic() - begun < BOUND_SECONDS

    def test_says_which_turn_was_left_and_how_to_stop_it(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            async def main():
                held = gate()
                agent = agents.Agent(model=ScriptedModel([reply("First", held)]))
                session = await agent.start_session()
                turn = await session.send_message("go")
                await held.reached()
                asyncio.get_running_loop().call_soon(ready)
                try:
                    await turn.result()
                except asyncio.CancelledError as error:
                    print(turn.id in error.__notes__[0] and session.id in error.__notes__[0])
                    raise

            asyncio.run(main())
            """,
            interrupt=True,
        )
        assert done.out == "True\n"
        assert ends_in_keyboard_interrupt(done), done.noise

    def test_in_the_middle_of_a_tool_in_a_thread_ends_the_program_at_once(self, run: Callable[..., Finished]) -> None:
        begun = time.monotonic()
        done = run(
            """
            import threading

            @agents.tool
            def block() -> str:
                "Block."
                ready()
                threading.Event().wait()
                return ""

            async def main():
                await agents.Agent(model=ScriptedModel([call("block")]), tools=[block]).run("go")

            asyncio.run(main())
            """,
            interrupt=True,
        )
        assert ends_in_keyboard_interrupt(done), done.noise
        assert time.monotonic() - begun < BOUND_SECONDS

    @pytest.mark.slow
    def test_in_a_block_with_a_tool_in_a_thread_ends_the_program_in_bounded_time(
        self, run: Callable[..., Finished]
    ) -> None:
        begun = time.monotonic()
        done = run(
            """
            import threading

            @agents.tool
            def block() -> str:
                "Block."
                ready()
                threading.Event().wait()
                return ""

            async def main():
                async with agents.local_runtime():
                    await agents.Agent(model=ScriptedModel([call("block")]), tools=[block]).run("go")

            asyncio.run(main())
            """,
            interrupt=True,
        )
        assert done.noise[-1] == "KeyboardInterrupt"
        assert [line for line in done.noise if "may go on" in line] != []
        assert done.warnings == []
        assert time.monotonic() - begun < BOUND_SECONDS + 2.0  # the interpreter's own start and end

    def test_caught_by_the_program_leaves_the_next_loop_as_good_as_new(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            held = gate()
            agent = agents.Agent(model=ScriptedModel([reply("First", held), reply("Second.")]))

            async def main():
                await agent.run("go", on_event=lambda event: isinstance(event, agents.TextDelta) and ready())

            try:
                asyncio.run(main())
            except KeyboardInterrupt:
                print("interrupted")

            async def again():
                print((await agent.run("again")).text)

            asyncio.run(again())
            """,
            interrupt=True,
        )
        assert (done.code, done.out, done.noise) == (0, "interrupted\nSecond.\n", [])

    def test_handled_by_interrupting_the_turn_keeps_the_session(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            import signal

            async def main():
                held = gate()
                agent = agents.Agent(model=ScriptedModel([reply("First", held), reply("Second.")]))
                session = await agent.start_session()
                turn = await session.send_message("go")
                await held.reached()
                loop = asyncio.get_running_loop()
                loop.add_signal_handler(signal.SIGINT, lambda: asyncio.ensure_future(turn.interrupt()))
                ready()
                state = await turn.result()
                print(type(state).__name__, state.text)
                print((await session.run("again")).text)
                await session.cancel()

            asyncio.run(main())
            """,
            interrupt=True,
        )
        assert (done.code, done.out, done.noise) == (0, "Interrupted First\nSecond.\n", [])


@posix
class TestAForkedChild:
    def test_has_no_runtime_of_its_parent_and_can_start_its_own(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            import os

            agent = agents.Agent(model=ScriptedModel([reply("Said.")]))
            loop = asyncio.new_event_loop()
            session = loop.run_until_complete(agent.start_session())

            async def in_child():
                known = agents.local_runtime().statistics().waiting_sessions
                print("child", known, (await agent.run("x")).text, flush=True)

            child = os.fork()
            if child == 0:
                asyncio.run(in_child())
                sys.exit(0)
            os.waitpid(child, 0)
            print("parent", loop.run_until_complete(session.info()).status, flush=True)
            """,
            arguments=("-W", "ignore"),  # that a loop was not closed is Python's own complaint
        )
        assert (done.code, done.out.splitlines(), done.noise) == (0, ["child 0 Said.", "parent waiting"], [])
        assert len(done.warnings) == 1  # the parent's

    def test_finds_the_handles_of_its_parent_useless_and_says_so(self, run: Callable[..., Finished]) -> None:
        done = run(
            """
            import os

            loop = asyncio.new_event_loop()
            session = loop.run_until_complete(agents.Agent(model=ScriptedModel([])).start_session())

            async def in_child():
                try:
                    await session.info()
                except agents.SessionNotFoundError:
                    print("not here", flush=True)

            child = os.fork()
            if child == 0:
                asyncio.run(in_child())
                os._exit(0)
            os.waitpid(child, 0)
            """,
            arguments=("-W", "ignore"),
        )
        assert (done.code, done.out, done.noise) == (0, "not here\n", [])


class TestATool:
    @pytest.mark.parametrize("kind", ["KeyboardInterrupt()", "SystemExit(3)"])
    @pytest.mark.parametrize("how", ["def", "async def"])
    def test_that_raises_what_ends_a_program_ends_it(self, run: Callable[..., Finished], kind: str, how: str) -> None:
        done = run(f"""
            @agents.tool
            {how} stop() -> str:
                "Stop."
                raise {kind}

            async def main():
                await agents.Agent(model=ScriptedModel([call("stop"), reply("not reached")]), tools=[stop]).run("go")
                print("went on")

            asyncio.run(main())
        """)
        assert "went on" not in done.out
        assert done.code in ([3] if "SystemExit" in kind else [-signal.SIGINT, 130])
        assert [line for line in done.noise if "never retrieved" in line or "Exception ignored" in line] == []

    @pytest.mark.parametrize("how", ["def", "async def"])
    def test_whose_exit_the_program_survives_is_a_failed_call_and_the_turn_goes_on(
        self, run: Callable[..., Finished], how: str
    ) -> None:
        done = run(f"""
            @agents.tool
            {how} stop() -> str:
                "Stop."
                raise SystemExit(3)

            model = ScriptedModel([call("stop"), reply("It went on.")])
            agent = agents.Agent(model=model, tools=[stop])
            loop = asyncio.new_event_loop()
            turn = loop.run_until_complete(agent.start_session())
            turn = loop.run_until_complete(turn.send_message("go"))
            try:
                loop.run_until_complete(turn.result())
            except SystemExit as error:
                print("exit", error.code)
            state = loop.run_until_complete(turn.result())
            print(state.text, model.requests[1].messages[-1].is_error)
            loop.run_until_complete(turn.session.cancel())
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()
        """)
        assert (done.code, done.out) == (0, "exit 3\nIt went on. True\n"), done.noise
