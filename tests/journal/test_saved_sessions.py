"""Tests of sessions that are saved: what a block leaves, what a later one finds, what an agent may change."""

from __future__ import annotations

import asyncio
import shutil
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.authoring import experimental_keyword
from mistralai.agents.local.journal.directory import DirectoryJournals
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from mistralai.agents.values.ids import uuid7
from tests.journal.story import agent, payments, saved_in

if TYPE_CHECKING:
    from mistralai.agents.core.ports import SavedSummary


def talker(*replies: str, **settings: Any) -> agents.Agent[str]:
    return agents.Agent(name="talker", model=ScriptedModel([reply(text) for text in replies]), **settings)


class TestAfterTheBlock:
    async def test_a_conversation_goes_on(self, directory: Path) -> None:
        async with saved_in(directory):
            session = await talker("Hello Ada.").start_session()
            await session.run("I am Ada.")
        model = ScriptedModel([reply("You are Ada.")])
        async with saved_in(directory):
            again = agents.Agent(name="talker", model=model).session(session.id)
            state = await again.run("Who am I?")
            assert isinstance(state, agents.Completed)
            first = model.requests[0].messages[0]
            assert isinstance(first, agents.UserMessage)
            assert first.content == "I am Ada."
            said = [entry.text for entry in await again.history() if isinstance(entry, agents.MessageEntry)]
            assert said == ["I am Ada.", "Hello Ada.", "Who am I?", "You are Ada."]

    async def test_no_end_is_written(self, directory: Path) -> None:
        async with saved_in(directory):
            session = await talker("Hello.").start_session()
            await session.run("Hi.")
        journal = (directory / session.id / "journal.jsonl").read_text()
        assert "session_ended" not in journal
        async with saved_in(directory):
            assert (await talker().session(session.id).info()).status == "waiting"

    async def test_a_handle_of_the_same_loop_opens_it_again(self, directory: Path) -> None:
        async with saved_in(directory):
            session = await talker("One.", "Two.").start_session()
            await session.run("1")
        state = await session.run("2")
        assert isinstance(state, agents.Completed)
        assert state.text == "Two."
        await session.cancel()

    async def test_a_turn_that_waited_for_its_model_goes_on(self, directory: Path) -> None:
        held = gate()
        async with saved_in(directory):
            slow = agents.Agent(name="talker", model=ScriptedModel([reply(held, "Never.")]))
            session = await slow.start_session()
            turn = await session.send_message("Hi.")
            await held.reached()
        async with saved_in(directory):
            state = await talker("At last.").session(session.id).turn(turn.id).result(timeout=10)
            assert isinstance(state, agents.Completed)
            assert state.text == "At last."

    async def test_a_tool_that_ran_ends_first_and_its_result_is_kept(self, directory: Path) -> None:
        started, finish = asyncio.Event(), asyncio.Event()

        @agents.tool
        async def slow() -> str:
            """Take a while."""
            started.set()
            await finish.wait()
            return "slow but sure"

        async with saved_in(directory):
            first = agents.Agent(name="a", model=ScriptedModel([call("slow", {})]), tools=[slow])
            session = await first.start_session()
            turn = await session.send_message("Go.")
            await started.wait()
            asyncio.get_running_loop().call_later(0.05, finish.set)
        model = ScriptedModel([reply("Done.")])
        async with saved_in(directory):
            second = agents.Agent(name="a", model=model, tools=[slow])
            await second.session(session.id).turn(turn.id).result(timeout=10)
            read = [m.content for m in model.requests[0].messages if isinstance(m, agents.ToolMessage)]
            assert read == ["slow but sure"]

    async def test_a_wait_is_told_that_the_session_was_unloaded(self, directory: Path) -> None:
        held = gate()
        async with saved_in(directory):
            session = await agents.Agent(name="a", model=ScriptedModel([reply(held)])).start_session()
            turn = await session.send_message("Hi.")
            waiting = asyncio.ensure_future(turn.result())
            await held.reached()
        with pytest.raises(agents.SessionTerminatedError, match="unloaded"):
            await waiting

    async def test_what_ended_can_be_read_and_takes_nothing(self, directory: Path) -> None:
        async with saved_in(directory):
            state = await talker("Bye.").run("Hi.")
            session = talker().session(state.session_id)
            await session.cancel()
        async with saved_in(directory):
            ended = talker().session(state.session_id)
            assert (await ended.turn(state.turn_id).get()).text == "Bye."
            with pytest.raises(agents.SessionTerminatedError):
                await ended.run("More.")
            await ended.cancel()

    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files where Linux lists them")
    async def test_the_files_of_ended_sessions_are_closed(self, directory: Path) -> None:
        async with saved_in(directory, keep_ended_sessions=2):
            sessions = [await talker("Hi.").start_session() for _ in range(20)]
            for session in sessions:
                await session.run("x")
                await session.cancel()
            first = await talker().session(sessions[0].id).info()
            assert first.termination == agents.CancelledTermination()
            held_open = [path for path in Path("/proc/self/fd").iterdir() if "journal.jsonl" in str(path.resolve())]
            assert len(held_open) <= 1

    async def test_an_unknown_id_is_not_found_and_makes_nothing(self, directory: Path) -> None:
        async with saved_in(directory):
            for unknown in ("0198-none", "../sessions", "", "a/b"):
                with pytest.raises((agents.SessionNotFoundError, agents.SdkError)):
                    await talker().session(unknown).info()
        assert not directory.exists()


class TestASessionsOwnSettings:
    async def test_are_those_it_started_with(self, directory: Path) -> None:
        async with saved_in(directory):
            session = await talker("x").start_session(agent={"instructions": "Rhyme."})
            await session.run("1")
        model = ScriptedModel([reply("y")])
        async with saved_in(directory):
            await agents.Agent(name="talker", model=model, instructions="Other.").session(session.id).run("2")
            assert model.requests[0].instructions == "Rhyme."

    async def test_cannot_be_saved_where_they_are_objects(self, directory: Path) -> None:
        async with saved_in(directory):
            with pytest.raises(agents.SdkError, match="model"):
                await talker().start_session(agent={"model": ScriptedModel([reply("x")])})
        assert not directory.exists() or not list(directory.iterdir())


class TestAnotherAgent:
    async def test_is_refused_and_told_what_differs(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
        async with saved_in(directory):
            with pytest.raises(agents.SessionConfigMismatchError, match="'teller'"):
                await agent(ledger, name="thief").session(session.id).info()
            with pytest.raises(agents.SessionConfigMismatchError, match=r"client\.pay"):
                await agents.Agent(name="teller", model="m").session(session.id).info()
            await agent(ledger).session(session.id).info()  # the refusal has let go of it

    async def test_may_say_things_differently(self, directory: Path) -> None:
        def look(description: str) -> agents.Tool[..., Any]:
            @agents.tool(description=description)
            def look(where: str, closely: bool = False) -> str:
                return where

            return look

        async with saved_in(directory):
            before = agents.Agent(name="a", model="m", instructions="One.", tools=[look("Look.")])
            session = await before.start_session()
        async with saved_in(directory):
            after = agents.Agent(
                name="a", model="n", instructions="Two.", tools=[look("Look there.")], max_iterations=3
            )
            assert (await after.session(session.id).info()).status == "waiting"

    async def test_must_take_the_same_arguments(self, directory: Path) -> None:
        @agents.tool(name="look")
        def before(where: str) -> str:
            """Look."""
            return where

        @agents.tool(name="look")
        def after(where: str, far: bool) -> str:
            """Look."""
            return where

        async with saved_in(directory):
            session = await agents.Agent(name="a", model="m", tools=[before]).start_session()
        async with saved_in(directory):
            with pytest.raises(
                agents.SessionConfigMismatchError, match=r"tool of \(where\) and is a tool of \(far, where\)"
            ):
                await agents.Agent(name="a", model="m", tools=[after]).session(session.id).info()


class TestACallThatWaits:
    """It must fit its tool as it is now. Else a person's answer would count, and the call fail all the same."""

    async def test_and_does_not_fit_its_tool_any_more_keeps_the_session_shut(self, directory: Path) -> None:
        refunded: list[object] = []

        def teller(kind: type[int] | type[str], *steps: Any) -> agents.Agent[str]:
            def refund(order: str, cents: Any) -> str:
                refunded.append(cents)
                return f"{order} refunded"

            refund.__annotations__["cents"] = kind
            model = ScriptedModel(list(steps))
            return agents.Agent(name="t", model=model, tools=[agents.tool(refund)], permission_mode="ask")

        async with saved_in(directory):
            first = teller(int, call("refund", {"order": "A", "cents": 700}), reply("x"))
            session = await first.start_session()
            state = await session.run("Refund.")
            assert isinstance(state, agents.Blocked)
        (question,) = state.callbacks
        async with saved_in(directory):
            with pytest.raises(agents.SessionConfigMismatchError, match=r"call of client\.refund .*cents: .*string"):
                await teller(str).session(session.id).turn(state.turn_id).answer(question.id, agents.AllowApproval())
        async with saved_in(directory):
            turn = teller(int, reply("Done.")).session(session.id).turn(state.turn_id)
            answered = await turn.answer(question.id, agents.AllowApproval())
            assert isinstance(answered, agents.Answered)
            assert (await turn.result(timeout=10)).text == "Done."
        assert refunded == [700]

    async def test_may_take_more_than_it_did(self, directory: Path) -> None:
        @agents.tool(name="look")
        def before(where: str) -> str:
            """Look."""
            return where

        @agents.tool(name="look")
        def after(where: str | int) -> str:
            """Look."""
            return f"{where}!"

        def looker(tool: agents.Tool[..., Any], *steps: Any) -> agents.Agent[str]:
            return agents.Agent(name="a", model=ScriptedModel(list(steps)), tools=[tool], permission_mode="ask")

        async with saved_in(directory):
            session = await looker(before, call("look", {"where": "up"}), reply("x")).start_session()
            state = await session.run("Look.")
            assert isinstance(state, agents.Blocked)
        async with saved_in(directory):
            turn = looker(after, reply("Seen.")).session(session.id).turn(state.turn_id)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "Seen."

    async def test_was_answered_with_what_nobody_could_check_keeps_nothing_shut(self, directory: Path) -> None:
        """The edit fits no version of the tool: the model reads that, and the session goes on."""

        @agents.tool
        def look(where: str) -> str:
            """Look."""
            return where

        def looker(*steps: Any) -> agents.Agent[str]:
            return agents.Agent(name="a", model=ScriptedModel(list(steps)), tools=[look], permission_mode="ask")

        async with saved_in(directory):
            session = await looker(call("look", {"where": "up"}), reply("Sorry.")).start_session()
            state = await session.run("Look.")
            assert isinstance(state, agents.Blocked)
            stranger = agents.Agent(model="unused").session(session.id).turn(state.turn_id)
            await stranger.answer(state.callbacks[0].id, agents.AllowApproval(arguments={"where": 5}))
            await session.turn(state.turn_id).result(timeout=10)
        (journal,) = directory.glob("*/*.jsonl")
        lines = journal.read_bytes().splitlines(keepends=True)
        settled = next(index for index, line in enumerate(lines) if b"callback_settled" in line)
        journal.write_bytes(b"".join(lines[: settled + 1]))
        async with saved_in(directory):
            turn = looker(reply("Sorry.")).session(session.id).turn(state.turn_id)
            assert (await turn.result(timeout=10)).text == "Sorry."


class TestAnIdempotencyKey:
    async def test_finds_its_session_in_a_later_runtime(self, directory: Path) -> None:
        async with saved_in(directory):
            first = await talker("Once.").run("Hi.", idempotency_key="k")
        async with saved_in(directory):
            again = await talker("Twice.").run("Hi.", idempotency_key="k")
            assert again == first
            session = await talker().start_session(idempotency_key="k")
            assert session.id == first.session_id
            other = await talker("Other.").run("Hi.", idempotency_key="another")
            assert other.session_id != first.session_id

    async def test_for_a_start_that_asks_for_something_else_is_a_conflict(self, directory: Path) -> None:
        before = [{"type": "message", "role": "user", "content": [{"type": "text", "text": "Before."}]}]
        asked: dict[str, Any] = {"agent": {"instructions": "Be brief.", "temperature": 1}, "history": before}
        async with saved_in(directory):
            session = await talker().start_session(idempotency_key="k", **asked)
        async with saved_in(directory):
            assert (await talker().start_session(idempotency_key="k", **asked)).id == session.id
        async with saved_in(directory):
            with pytest.raises(agents.SessionIdempotencyConflictError, match="another agent and another history"):
                await talker().start_session(idempotency_key="k")

    async def test_starts_one_session_however_many_ask_at_once(self, directory: Path) -> None:
        async def in_a_loop_of_its_own() -> list[str]:
            async with saved_in(directory):
                clerk = talker()
                started = await asyncio.gather(*(clerk.start_session(idempotency_key="k") for _ in range(5)))
                return [session.id for session in started]

        loops = await asyncio.gather(*(asyncio.to_thread(asyncio.run, in_a_loop_of_its_own()) for _ in range(4)))
        assert len({session_id for ids in loops for session_id in ids}) == 1
        assert len([path for path in directory.iterdir() if not path.name.startswith(".")]) == 1

    async def test_of_a_session_that_never_came_is_free(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async with saved_in(directory):
            with pytest.raises(agents.SdkError):
                await talker().start_session(idempotency_key="k", agent={"model": ScriptedModel([reply("x")])})
            session = await talker().start_session(idempotency_key="k")
            assert (await session.info()).status == "waiting"

    async def test_of_a_start_that_was_left_is_free(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import fcntl

        asks, really = threading.Event(), fcntl.flock

        def flock(fd: Any, how: int) -> None:
            asks.set()
            really(fd, how)

        async with saved_in(directory):
            shutil.rmtree(directory / (await talker().start_session(idempotency_key="k")).id)
        (key,) = directory.glob(".keys/*")
        async with saved_in(directory):
            with key.open() as file:
                really(file, fcntl.LOCK_EX)
                monkeypatch.setattr(fcntl, "flock", flock)
                left = asyncio.ensure_future(talker().start_session(idempotency_key="k"))
                await asyncio.to_thread(asks.wait, 10)
                left.cancel()
            session = await asyncio.wait_for(talker().start_session(idempotency_key="k"), 10)
            assert (await session.info()).status == "waiting"

    async def test_of_another_message_is_refused(self, directory: Path) -> None:
        async with saved_in(directory):
            await talker("Once.").run("Hi.", idempotency_key="k")
        async with saved_in(directory):
            with pytest.raises(agents.SessionIdempotencyConflictError):
                await talker("Twice.").run("Something else.", idempotency_key="k")


class TestTheKeyword:
    async def test_warns_once_a_process(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS")
        monkeypatch.setattr(experimental_keyword, "_WARNED", set[str]())
        with pytest.warns(agents.ExperimentalWarning, match="journal_factory") as caught:
            saved_in(directory)
        assert Path(caught[0].filename).name == "story.py"  # the line that named it
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            saved_in(directory)

    async def test_takes_a_function_that_gives_the_directory(self, directory: Path) -> None:
        journal = agents.experimental.JsonFileSessionJournal.in_directory(directory)
        async with agents.local_runtime(journal_factory=lambda: journal):
            session = await talker("Hi.").start_session()
            await session.run("x")
        assert (directory / session.id).is_dir()

    async def test_may_be_given_again_for_the_same_directory(self, directory: Path) -> None:
        async with saved_in(directory), saved_in(directory):
            pass

    async def test_refuses_what_gives_no_journals(self) -> None:
        with pytest.raises(agents.SdkError, match="journal_factory"):
            agents.local_runtime(journal_factory="here")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the wrong type is the test
        with pytest.raises(agents.SdkError, match="journal_factory"):
            async with agents.local_runtime(journal_factory=lambda: "here"):  # type: ignore[arg-type, return-value]  # pyright: ignore[reportArgumentType]  # the wrong type is the test
                pass

    async def test_needs_a_path(self) -> None:
        with pytest.raises(agents.SdkError, match="path"):
            agents.experimental.JsonFileSessionJournal.in_directory("")


class TestCallbacks:
    async def test_expire_at_once_where_their_time_passed_meanwhile(
        self, directory: Path, ledger: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.05")
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            turn = await session.send_message("Pay.")
            state = await turn.result()
            assert isinstance(state, agents.Blocked)
        await asyncio.to_thread(__import__("time").sleep, 0.06)
        async with saved_in(directory):
            ended = await agent(ledger).session(session.id).turn(turn.id).result(timeout=10)
            assert isinstance(ended, agents.Completed)
            assert "in time" in (ended.text or "")
            assert payments(ledger) == []

    async def test_allowed_for_the_session_stay_allowed(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            session = await agent(ledger).start_session()
            state = await session.run("Pay.")
            assert isinstance(state, agents.Blocked)
            turn = session.turn(state.turn_id)
            await turn.answer(state.callbacks[0].id, agents.AllowApproval(scope="session"))
            await turn.result()
        async with saved_in(directory):
            again = await agent(ledger).session(session.id).run("Pay again.")
            assert isinstance(again, agents.Completed)
            assert len(payments(ledger)) == 2


class TestTheList:
    async def test_has_saved_sessions_newest_first(self, directory: Path, ledger: Path) -> None:
        async with saved_in(directory):
            waiting = await agent(ledger).start_session()
            blocked = await agent(ledger).start_session()
            await blocked.run("Pay the electricity.\nSoon.")
            ended = await talker("Bye.").start_session()
            await ended.run("Hi.")
            await ended.cancel()
            here = [info async for info in agents.list_sessions(host="local")]
        assert [info.session_id for info in here] == [ended.id, blocked.id, waiting.id]
        async with saved_in(directory):
            saved = [info async for info in agents.list_sessions(host="local")]
            assert saved == here
            assert saved[1].title == "Pay the electricity."
            assert saved[1].open_callbacks == 1
            only = [info.session_id async for info in agents.list_sessions(host="local", status="terminated")]
            assert only == [ended.id]
            newest = [info.session_id async for info in agents.list_sessions(host="local", limit=1)]
            assert newest == [ended.id]
            root = [info.session_id async for info in agents.list_sessions(host="local", scope="tree", root=blocked.id)]
            assert root == [blocked.id]

    @pytest.mark.slow
    async def test_of_ten_thousand_reads_as_many_as_are_asked_for(
        self, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with saved_in(directory):
            one = await talker("Hi.").start_session()
            await one.run("x")
        journal = (directory / one.id / "journal.jsonl").read_bytes()
        for _ in range(9_999):
            place = directory / uuid7()
            place.mkdir()
            (place / "journal.jsonl").write_bytes(journal)
        looked: list[str] = []
        really = DirectoryJournals.summary

        def summary(journals: DirectoryJournals, session_id: str) -> SavedSummary | None:
            looked.append(session_id)
            return really(journals, session_id)

        monkeypatch.setattr(DirectoryJournals, "summary", summary)
        async with saved_in(directory):
            newest = [info.session_id async for info in agents.list_sessions(host="local", limit=20)]
            assert newest == sorted(newest, reverse=True)
            assert len(looked) < 100
            assert len([info async for info in agents.list_sessions(host="local")]) == 10_000
