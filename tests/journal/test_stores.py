"""Tests of sessions that are saved in a store of one's own, and of what goes wrong with one."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.experimental import JournalError
from mistralai.agents.local import saving
from mistralai.agents.local.journal import committer, store_journal
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from tests.journal.stores import Shelf, Trouble, down, locked
from tests.support.outcomes import blocked, completed


@agents.tool
def pay() -> str:
    """Pay."""
    return "paid"


def clerk(*steps: Any, ask: bool = False) -> agents.Agent[str]:
    model = ScriptedModel(list(steps) or [reply("Hi.")] * 9)
    return agents.Agent(name="clerk", model=model, tools=[pay], permission_mode="ask" if ask else "auto")


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def saved_on(shelf: Shelf) -> agents.LocalRuntime:
    return agents.local_runtime(journal_factory=shelf.store)


def facts(shelf: Shelf, session_id: str) -> list[str]:
    """Return the names of the facts that the store has, each line checked to follow the one before."""
    lines = [json.loads(line) for line in shelf.lines[session_id][1:]]
    n = 0
    for line in lines:
        assert line["n"] == n
        n += len(line["facts"])
    return [fact["fact"] for line in lines for fact in line["facts"]]


class TestAStore:
    async def test_has_what_happened_when_a_caller_is_told(self, shelf: Shelf) -> None:
        async with saved_on(shelf):
            session = await clerk(call("pay", {}), reply("Done."), ask=True).start_session()
            assert facts(shelf, session.id) == ["session_started"]
            turn = await session.send_message("Pay.")
            assert facts(shelf, session.id)[1] == "turn_accepted"
            question = blocked(await turn.result()).callbacks[0]
            assert facts(shelf, session.id)[-1] == "callback_opened"
            await turn.answer(question.id, agents.AllowApproval())
            assert "callback_settled" in facts(shelf, session.id)
            completed(await turn.result())
            assert facts(shelf, session.id)[-1] == "turn_ended"

    async def test_holds_sessions_that_go_on_in_another_block(self, shelf: Shelf) -> None:
        agent = clerk(reply("One."), reply("Two."))
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run("1"))
        assert (shelf.held, shelf.open_stores, shelf.stores) == ({}, 0, 1)
        async with saved_on(shelf):
            again = agent.session(session.id)
            assert completed(await again.run("2")).text == "Two."
            assert [info.session_id async for info in agents.list_sessions(host="local")] == [session.id]
        assert (shelf.held, shelf.open_stores, shelf.stores) == ({}, 0, 2)

    async def test_is_left_by_sessions_that_do_nothing(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(saving, "MOST_OPEN", 5)
        agent = clerk(*[reply("Hi.")] * 60)
        async with saved_on(shelf):
            sessions: list[agents.Session] = []
            for _ in range(30):
                sessions.append(session := await agent.start_session())
                completed(await session.run("x"))
            assert len(shelf.held) <= 10
            for session in sessions:
                completed(await session.run("y"))

    async def test_gets_nothing_of_a_session_that_never_started(self, shelf: Shelf) -> None:
        async with saved_on(shelf):
            with pytest.raises(agents.SdkError, match="cannot keep it"):
                await clerk().start_session(agent={"model": ScriptedModel([])})
        assert shelf.lines == {}

    async def test_keeps_long_values_in_its_lines(self, shelf: Shelf) -> None:
        image = agents.ImageContentBlock(uri="data:image/png;base64," + "QUJD" * 20_000)
        agent = clerk(reply("A picture."), reply("The same."))
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run([image]))
            history = await session.history()
        async with saved_on(shelf):
            assert await agent.session(session.id).history() == history


class TestTheArgument:
    async def test_that_gives_no_store_is_refused(self) -> None:
        for wrong in (5, "postgres://", dict, object, Shelf().store()):
            with pytest.raises(agents.SdkError, match="a function that returns a JournalStore"):
                async with agents.local_runtime(journal_factory=wrong):  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
                    pass

    async def test_that_cannot_be_reached_is_told_as_it_is(self) -> None:
        def factory() -> Any:
            raise ConnectionError("no route to the database")

        with pytest.raises(ConnectionError, match="no route"):
            async with agents.local_runtime(journal_factory=factory):
                pass


class TestAFailureThatPasses:
    @pytest.mark.parametrize("when", ["before", "after"])
    async def test_is_not_seen(self, shelf: Shelf, when: str) -> None:
        """What failed is asked again, whether it had been done or not, and is there once."""
        troubles = shelf.before if when == "before" else shelf.after
        async with saved_on(shelf):
            troubles += [down]
            session = await clerk(call("pay", {}), reply("Done.")).start_session()
            troubles += [down, down]
            state = completed(await session.run("Pay."))
            assert state.text == "Done."
        assert facts(shelf, session.id).count("turn_ended") == 1

    @pytest.mark.parametrize("at_reading", [down, locked])
    async def test_is_not_seen_where_looking_fails_too(self, shelf: Shelf, at_reading: Trouble) -> None:
        agent = clerk()
        async with saved_on(shelf):
            session = await agent.start_session()
            shelf.after += [down]
            shelf.reading += [at_reading, at_reading]
            completed(await session.run("x"))
            completed(await session.run("y"))
        assert facts(shelf, session.id).count("turn_accepted") == 2

    async def test_of_some_sessions_holds_up_no_other(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        """As many as there are threads wait to try again, for longer than the test may take."""
        monkeypatch.setattr(store_journal, "FIRST_WAIT_SECONDS", 3600.0)
        monkeypatch.setattr(store_journal, "RETRY_SECONDS", 7200.0)
        agent = clerk()
        async with saved_on(shelf):
            sick = [await agent.start_session() for _ in range(committer.MOST_THREADS)]
            healthy = await agent.start_session()
            shelf.before += [down] * len(sick)
            shelf.all_happened.clear()
            waiting = [asyncio.ensure_future(session.send_message("x")) for session in sick]
            await asyncio.to_thread(shelf.all_happened.wait, 10)
            completed(await healthy.run("y"))
            for wait in waiting:
                wait.cancel()
        assert facts(shelf, healthy.id)[-1] == "turn_ended"
        assert [facts(shelf, session.id)[1] for session in sick] == ["turn_accepted"] * len(sick)


class TestAStoreThatStaysAway:
    @pytest.fixture(autouse=True)
    def little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_journal, "RETRY_SECONDS", 0.2)

    async def test_fails_the_command_and_the_session_goes_on_when_it_is_back(
        self, shelf: Shelf, caplog: pytest.LogCaptureFixture
    ) -> None:
        agent = clerk(reply("Hi."), reply("Lost."), reply("Again."))
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run("x"))
            shelf.before += [down] * 100
            with caplog.at_level(logging.CRITICAL), pytest.raises(JournalError, match="the database is restarting"):
                await session.send_message("y")
            shelf.before.clear()
            assert completed(await session.run("z")).text == "Again."
        assert facts(shelf, session.id).count("turn_accepted") == 2

    async def test_fails_the_start_and_leaves_nothing(self, shelf: Shelf) -> None:
        async with saved_on(shelf) as runtime:
            shelf.before += [down] * 100
            with pytest.raises(JournalError):
                await clerk().start_session()
            shelf.before.clear()
            assert runtime.statistics().waiting_sessions == 0
        assert shelf.lines == {}

    async def test_in_a_turn_lets_go_of_the_session(self, shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
        """When the store is back, the turn goes on from what it has."""
        held = gate()
        agent = clerk(reply("Half", held, "."), reply("Whole."))
        async with saved_on(shelf):
            session = await agent.start_session()
            turn = await session.send_message("x")
            await held.reached()
            shelf.before += [down] * 100
            with caplog.at_level(logging.CRITICAL):
                held.open()
                with pytest.raises(JournalError, match="the database is restarting"):
                    await turn.result()
            shelf.before.clear()
            assert completed(await turn.result()).text == "Whole."


class TestAHoldThatWasLost:
    async def test_ends_in_an_error_that_says_so(self, shelf: Shelf, caplog: pytest.LogCaptureFixture) -> None:
        agent = clerk()
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run("x"))
            shelf.held[session.id] = "another"
            with caplog.at_level(logging.CRITICAL), pytest.raises(JournalError, match="not held here any more"):
                await session.send_message("y")
            with pytest.raises(agents.SessionInUseError):
                await session.send_message("z")
            assert len(await session.history()) == 2
            del shelf.held[session.id]
            completed(await session.run("z"))


class TestAnIdempotencyKey:
    async def test_stands_for_one_session_of_two_runtimes_that_start_at_once(self, shelf: Shelf) -> None:
        """The second claims the key while the first has not created its session yet, and finds it there too late."""
        agent = clerk()
        async with saved_on(shelf):
            other_is_there: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            def start_elsewhere() -> None:
                def run() -> str:
                    return asyncio.run(elsewhere())

                session_id = run()
                loop.call_soon_threadsafe(other_is_there.set_result, session_id)

            async def elsewhere() -> str:
                async with saved_on(shelf):
                    return (await agent.start_session(idempotency_key="order 7")).id

            loop = asyncio.get_running_loop()
            shelf.before.append(start_elsewhere)
            session = await agent.start_session(idempotency_key="order 7")
            assert session.id == await other_is_there
            assert list(shelf.lines) == [session.id]
            completed(await session.run("x"))

    async def test_of_a_session_that_never_came_is_free(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_journal, "RETRY_SECONDS", 0.0)
        async with saved_on(shelf):
            shelf.before.append(down)
            with pytest.raises(JournalError):
                await clerk().start_session(idempotency_key="order 7")
            session = await clerk().start_session(idempotency_key="order 7")
            assert list(shelf.lines) == [session.id]


class TestALineThatIsNotWhatWasWritten:
    async def test_is_told_and_nothing_is_changed(self, shelf: Shelf) -> None:
        agent = clerk()
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run("x"))
        lines = shelf.lines[session.id]
        lines[2] = lines[2].replace(b"x", b"y", 1)
        kept = list(lines)
        async with saved_on(shelf):
            with pytest.raises(JournalError, match="line 2 of it is not what was written"):
                await agent.session(session.id).history()
        assert shelf.lines[session.id] == kept
        assert shelf.held == {}


class TestWhatIsTold:
    """Nothing is told of a session that the store has not yet: a process that was killed then would have lied."""

    async def test_waits_for_the_store(self, shelf: Shelf) -> None:
        taken = threading.Event()

        def wait() -> None:
            assert taken.wait(10)

        agent = clerk()
        async with saved_on(shelf):
            session = await agent.start_session()
            completed(await session.run("x"))
            shelf.before.append(wait)
            shelf.all_happened.clear()
            sending = asyncio.ensure_future(session.send_message("y"))
            await asyncio.to_thread(shelf.all_happened.wait, 10)
            reading = [
                asyncio.ensure_future(reads) for reads in (session.history(), session.info(), listed(), seen(session))
            ]
            for _ in range(50):
                await asyncio.sleep(0)
            assert not any(task.done() for task in reading)
            taken.set()
            await asyncio.gather(sending, *reading)
            await session.cancel()


async def listed() -> None:
    assert len([info async for info in agents.list_sessions(host="local")]) == 1


async def seen(session: agents.Session) -> None:
    turns = set[str | None]()
    async for event in session.iter_events():
        turns.add(event.turn_id)
        if len(turns - {None}) == 2:
            return


class TestALaterBlock:
    async def test_is_told_of_a_factory_that_fails_then(self, shelf: Shelf) -> None:
        made: list[Any] = [shelf.store(), 42]

        def factory() -> Any:
            return made.pop(0)

        agent = clerk()
        async with agents.local_runtime(journal_factory=factory):
            session = await agent.start_session()
        async with agents.local_runtime(journal_factory=factory):
            with pytest.raises(agents.SdkError, match="gave 42 now"):
                await agent.session(session.id).info()

    async def test_goes_on_after_a_store_that_was_not_closed(
        self, shelf: Shelf, caplog: pytest.LogCaptureFixture
    ) -> None:
        agent = clerk()
        shelf.closing += [down]

        async def fail() -> None:
            async with saved_on(shelf):
                await agent.start_session(idempotency_key="order 7")
                raise KeyError

        with pytest.raises(KeyError):
            await fail()
        assert "was not closed: ConnectionError: the database is restarting" in caplog.text
        async with saved_on(shelf):
            completed(await (await agent.start_session(idempotency_key="order 7")).run("x"))
