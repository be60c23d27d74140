"""Tests of going on after a crash. A copy of the directory, taken while a session runs, is what a crash leaves."""

from __future__ import annotations

import asyncio
import shutil
import time
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply, stream
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """Where the copies go."""
    return tmp_path / "copies"


def crashed(directory: Path, elsewhere: Path) -> None:
    """Copy the sessions as they are now: what another machine would find if this one died."""
    shutil.copytree(directory, elsewhere)


async def in_a_loop_of_its_own[T](body: Callable[[], Awaitable[T]]) -> T:
    """Run what opens other directories: a loop's runtime has one."""

    async def run() -> T:
        return await body()

    return await asyncio.to_thread(lambda: asyncio.run(run()))


class TestCallsSideBySide:
    async def test_of_which_one_had_ended_keep_its_result_and_not_the_others(
        self, directory: Path, elsewhere: Path
    ) -> None:
        held = gate()

        @agents.tool
        async def quick() -> str:
            """Be quick."""
            return "quick result"

        @agents.tool
        async def slow() -> str:
            """Be slow."""
            await held.hold()
            return "slow result"

        steps = [calls(call("quick", {}), call("slow", {})), reply("Done.")]
        async with saved_in(directory):
            first = agents.Agent(name="a", model=ScriptedModel(steps), tools=[quick, slow])
            session = await first.start_session()
            turn = await session.send_message("Go.")
            async for event in turn.iter_events():
                if isinstance(event, agents.EntryCompleted) and isinstance(event.entry, agents.ToolResultEntry):
                    break
            await held.reached()
            crashed(directory, elsewhere)
            held.open()

        async def look() -> None:
            model = ScriptedModel([reply("Then.")])
            async with saved_in(elsewhere):
                second = agents.Agent(name="a", model=model, tools=[quick, slow])
                state = await second.session(session.id).turn(turn.id).result(timeout=10)
                assert state.text == "Then."
                read = [m.content for m in model.requests[0].messages if isinstance(m, agents.ToolMessage)]
                assert read[0] == "quick result"
                assert "not known" in str(read[1])

        await in_a_loop_of_its_own(look)

    async def test_that_are_only_hinted_to_be_idempotent_do_not_run_again(
        self, directory: Path, elsewhere: Path
    ) -> None:
        held, ran = gate(), 0

        @agents.tool(annotations=agents.ToolAnnotations(idempotent_hint=True))
        async def pay() -> str:
            """Pay."""
            nonlocal ran
            ran += 1
            await held.hold()
            return "paid"

        def teller(*steps: Any) -> agents.Agent[str]:
            return agents.Agent(name="a", model=ScriptedModel(list(steps)), tools=[pay])

        async with saved_in(directory):
            session = await teller(call("pay", {}), reply("Done.")).start_session()
            turn = await session.send_message("Go.")
            await held.reached()
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            async with saved_in(elsewhere):
                state = await teller(reply("Then.")).session(session.id).turn(turn.id).result(timeout=10)
                assert isinstance(state, agents.Completed)

        await in_a_loop_of_its_own(again)
        assert ran == 1

    async def test_that_only_read_run_again(self, directory: Path, elsewhere: Path) -> None:
        held, ran = gate(), 0

        @agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
        async def look() -> str:
            """Look."""
            nonlocal ran
            ran += 1
            await held.hold()
            return "seen"

        async with saved_in(directory):
            steps = [call("look", {}), reply("Done.")]
            session = await agents.Agent(name="a", model=ScriptedModel(steps), tools=[look]).start_session()
            turn = await session.send_message("Go.")
            await held.reached()
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            async with saved_in(elsewhere):
                second = agents.Agent(name="a", model=ScriptedModel([reply("Then.")]), tools=[look])
                assert (await second.session(session.id).turn(turn.id).result(timeout=10)).text == "Then."

        await in_a_loop_of_its_own(again)
        assert ran == 2


class TestAnAnswerGivenBefore:
    async def test_with_edited_arguments_is_what_runs(self, directory: Path, elsewhere: Path) -> None:
        held = gate()
        paid: list[int] = []

        @agents.tool(idempotent=True)
        async def pay(amount: int) -> str:
            """Pay."""
            paid.append(amount)
            await held.hold()
            return "paid"

        def clerk(*steps: Any) -> agents.Agent[str]:
            return agents.Agent(name="a", model=ScriptedModel(list(steps)), tools=[pay], permission_mode="ask")

        async with saved_in(directory):
            session = await clerk(call("pay", {"amount": 100}), reply("x")).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
            turn = session.turn(state.turn_id)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval(arguments={"amount": 7}))
            await held.reached()
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            async with saved_in(elsewhere):
                ended = await clerk(reply("Done.")).session(session.id).turn(turn.id).result(timeout=10)
                assert isinstance(ended, agents.Completed)
                assert ended.tool_calls == (agents.ToolCall("client.pay", {"amount": 7}),)

        await in_a_loop_of_its_own(again)
        assert paid == [7, 7]  # allowed once, and asked no more


class TestACursor:
    async def test_from_before_is_good_after(self, directory: Path, elsewhere: Path) -> None:
        held = gate()
        async with saved_in(directory):
            talker = agents.Agent(name="a", model=ScriptedModel([stream("Half ", held, "way.")]))
            session = await talker.start_session()
            turn = await session.send_message("Go.")
            seen: list[agents.Event] = []
            async for event in session.iter_events():
                seen.append(event)
                if isinstance(event, agents.TextDelta):
                    break
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            async with saved_in(elsewhere):
                second = agents.Agent(name="a", model=ScriptedModel([reply("All the way.")]))
                after = second.session(session.id)
                await after.turn(turn.id).result(timeout=10)
                await after.cancel()
                rest = [event async for event in after.iter_events(after=seen[-1].id)]
                whole = [event async for event in after.iter_events()]
                kept = [event for event in seen if not isinstance(event, agents.TextDelta)]
                assert [*kept, *rest] == whole
                assert sum(isinstance(event, agents.Notice) for event in rest) == 1

        await in_a_loop_of_its_own(again)


class TestWhatElseASessionHolds:
    async def test_messages_added_before_are_read(self, directory: Path, elsewhere: Path) -> None:
        held = gate()
        async with saved_in(directory):
            session = await agents.Agent(name="a", model=ScriptedModel([reply(held, "x"), reply("y")])).start_session()
            turn = await session.send_message("One.")
            await held.reached()
            await turn.steer("And two.")
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            model = ScriptedModel([reply("Both.")])
            async with saved_in(elsewhere):
                await agents.Agent(name="a", model=model).session(session.id).turn(turn.id).result(timeout=10)
            assert [m.content for m in model.requests[0].messages if isinstance(m, agents.UserMessage)] == [
                "One.",
                "And two.",
            ]

        await in_a_loop_of_its_own(again)

    async def test_a_message_sent_again_with_its_key_finds_its_turn(self, directory: Path, elsewhere: Path) -> None:
        held = gate()
        async with saved_in(directory):
            session = await agents.Agent(name="a", model=ScriptedModel([reply(held, "x")])).start_session()
            turn = await session.send_message("Once.", idempotency_key="k")
            await held.reached()
            crashed(directory, elsewhere)
            held.open()

        async def again() -> None:
            async with saved_in(elsewhere):
                after = agents.Agent(name="a", model=ScriptedModel([reply("y")])).session(session.id)
                assert (await after.send_message("Once.", idempotency_key="k")).id == turn.id
                await after.turn(turn.id).result(timeout=10)
                assert len(await after.history()) == 2

        await in_a_loop_of_its_own(again)

    async def test_tokens_are_counted_on(self, directory: Path) -> None:
        async with saved_in(directory):
            talker = agents.Agent(name="a", model=ScriptedModel([reply("x")]))
            state = await talker.run("One.")
            before = await talker.session(state.session_id).turn(state.turn_id).usage()
        async with saved_in(directory):
            assert await talker.session(state.session_id).turn(state.turn_id).usage() == before
            assert before.total_tokens > 0

    async def test_hooks_keep_their_state(self, directory: Path) -> None:
        class Counting(agents.Hook):
            """Counts the turns."""

            turns: int = 0

            async def pre_agent_turn(self, ctx: Any, request: Any) -> Any:
                self.turns += 1
                return agents.hook.PreAgentTurnHookContinue(user_content=f"Turn {self.turns}")

        model = ScriptedModel([reply("x"), reply("y")])
        talker = agents.Agent(name="a", model=model, hooks=[Counting()])
        async with saved_in(directory):
            session = await talker.start_session()
            await session.run("One.")
        async with saved_in(directory):
            await talker.session(session.id).run("Two.")
        last = model.requests[1].messages[-1]
        assert isinstance(last, agents.UserMessage)
        assert last.content == "Turn 2"

    async def test_times_never_go_back(self, directory: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
        really = time.time
        monkeypatch.setattr(time, "time", lambda: really() - 3600)
        async with saved_in(directory):
            turn = agent(ledger).session(session.id).turn(state.turn_id)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            await turn.result(timeout=10)
            times = [event.created_at async for event in turn.iter_events()]
            assert times == sorted(times)
            assert len(payments(ledger)) == 1


class TestARunThatNeverGotItsTurn:
    async def test_ends_its_session(self, directory: Path) -> None:
        """The process died between making the session of `agent.run` and accepting its message."""
        from mistralai.agents.core.facts import SessionStarted
        from mistralai.agents.core.settings import Settings
        from mistralai.agents.local.journal.directory import directory as in_directory
        from mistralai.agents.local.same_agent import identity

        talker = agents.Agent(name="a", model="m")
        journals = in_directory(directory, fsync=False)()
        journal = journals.create("0198", {"agent": identity(Settings(talker))})
        journal.write([SessionStarted(at=1.0, session_id="0198", agent_name="a", ends_with_turn=True)])
        journal.sync_and_close()
        async with saved_in(directory):
            assert (await talker.session("0198").info()).status == "terminated"
