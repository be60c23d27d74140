"""A test a row of docs/crash-table.md: a process is killed at the point, and a reader then sees what the row says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.local.journal.crash_points import POINTS
from tests.journal.crashing import crash
from tests.journal.story import StoryModel, agent, payments, saved_in

ROWS = Path(__file__).parents[2] / "docs" / "crash-table.md"


class Reopened:
    """The killed process's session in this process, and what is seen of it."""

    def __init__(self, teller: agents.Agent[str], said: dict[str, Any], directory: Path) -> None:
        self.teller = teller
        self.said = said
        self.session_id = said.get("session") or only_session(directory)
        self.session = teller.session(self.session_id)

    @property
    def asked(self) -> int:
        """How many times this process asked the model."""
        model = self.teller.model
        assert isinstance(model, StoryModel)
        return model.asked

    async def turn(self) -> agents.Turn:
        async for event in self.session.iter_events():
            if isinstance(event, agents.TurnStarted) and event.turn_id is not None:
                return self.session.turn(event.turn_id)
        raise AssertionError("no turn")

    async def finish(self) -> agents.TurnState[Any]:
        """Allow what is asked, and return the end of the turn."""
        turn = await self.turn()
        state = await turn.result(timeout=10)
        if isinstance(state, agents.Blocked):
            await turn.answer(state.callbacks[0].id, agents.AllowApproval())
            state = await turn.result(timeout=10)
        return state

    async def events(self) -> list[agents.Event]:
        """Return every event there is; the session must be over, or is ended for it."""
        await self.session.cancel()
        return [event async for event in self.session.iter_events()]

    async def notices(self) -> list[agents.Notice]:
        return [event for event in await self.events() if isinstance(event, agents.Notice)]


def only_session(directory: Path) -> str:
    (found,) = [path.name for path in directory.iterdir() if not path.name.startswith(".")]
    return found


def check_whole(events: list[agents.Event]) -> None:
    """Every entry opens once and completes once, in an order that is total."""
    assert len({event.id for event in events}) == len(events)
    added = [event.entry.id for event in events if isinstance(event, agents.EntryAdded)]
    completed = [event.entry.id for event in events if isinstance(event, agents.EntryCompleted)]
    assert sorted(added) == sorted(completed)
    assert len(set(added)) == len(added)
    times = [event.created_at for event in events]
    assert times == sorted(times)


class TestThePoints:
    def test_are_the_rows_of_the_page(self) -> None:
        rows = {
            line.split("|")[1].strip().strip("`") for line in ROWS.read_text().splitlines() if line.startswith("| `")
        }
        assert rows == POINTS


class TestACrash:
    async def test_session_started(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        crash(tmp_path, "session_started")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), {}, directory)
            assert (await seen.session.info()).status == "waiting"
            assert isinstance(await seen.session.run("Pay."), agents.Blocked)

    async def test_before_accept(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "before_accept")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert await seen.session.history() == ()
            assert isinstance(await seen.session.run("Pay."), agents.Blocked)

    async def test_after_accept(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "after_accept")
        assert "turn" not in said
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.finish()
            assert isinstance(state, agents.Completed)
            assert state.text == "So: paid"
            assert len(payments(ledger)) == 1
            check_whole(await seen.events())

    async def test_before_sync(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "before_sync@2")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert isinstance(await seen.finish(), agents.Completed)
            assert len(payments(ledger)) == 1

    async def test_reply_ended_unsaved(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "reply_ended_unsaved")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert isinstance(await seen.finish(), agents.Completed)
            assert seen.asked == 2
            assert len(payments(ledger)) == 1

    async def test_reply_ended(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "reply_ended")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert isinstance(await seen.finish(), agents.Completed)
            assert seen.asked == 1  # the call was in the log: only the answer had to be asked for
            assert len(payments(ledger)) == 1

    async def test_callback_opened(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "callback_opened")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            turn = await seen.turn()
            state = await turn.get()
            assert isinstance(state, agents.Blocked)
            (question,) = state.callbacks
            assert isinstance(question, agents.OpenApproval)
            await turn.answer(question.id, agents.DenyApproval(message="not today"))
            ended = await turn.result()
            assert ended.text == "So: The user rejected this tool call: not today"
            assert payments(ledger) == []
            assert seen.asked == 1
            assert await seen.notices() == []  # nothing was cut off

    async def test_answer_settled(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "answer_settled")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            turn = seen.session.turn(said["turn"])
            state = await turn.result(timeout=10)
            assert isinstance(state, agents.Completed)
            assert state.text == "So: paid"
            assert len(payments(ledger)) == 1
            again = await turn.answer(said["callback"], agents.DenyApproval())
            assert again == agents.AlreadySettled(session_id=seen.session_id, callback_id=said["callback"])

    @pytest.mark.parametrize(("point", "paid"), [("tool_started", 0), ("tool_ended_unsaved", 1)])
    async def test_tool_started_without_an_end(
        self, tmp_path: Path, directory: Path, ledger: Path, point: str, paid: int
    ) -> None:
        said = crash(tmp_path, point)
        assert len(payments(ledger)) == paid
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert isinstance(state, agents.Completed)
            assert "Whether it took effect is not known" in (state.text or "")  # the model read it
            assert len(payments(ledger)) == paid
            (result,) = [e for e in await seen.session.history() if isinstance(e, agents.ToolResultEntry)]
            assert result.error is not None
            assert result.error.code == "unknown_outcome"
            (notice,) = await seen.notices()
            assert notice.level == "warning"
            assert "client.pay" in notice.message
            check_whole(await seen.events())

    @pytest.mark.parametrize(("point", "paid"), [("tool_started", 1), ("tool_ended_unsaved", 2)])
    async def test_repeatable_tool_started_without_an_end(
        self, tmp_path: Path, directory: Path, ledger: Path, point: str, paid: int
    ) -> None:
        said = crash(tmp_path, point, "repeatable")
        async with saved_in(directory):
            seen = Reopened(agent(ledger, repeatable=True), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert state.text == "So: paid"
            assert len(payments(ledger)) == paid
            assert len(set(payments(ledger))) == 1  # the same idempotency key, so that the bank can tell
            (notice,) = await seen.notices()
            assert notice.details["run_again"]

    async def test_tool_ended(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "tool_ended")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert state.text == "So: paid"
            assert len(payments(ledger)) == 1
            assert seen.asked == 1

    async def test_stream_half_done(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "stream_half_done")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert state.text == "So: paid"
            events = await seen.events()
            check_whole(events)
            spoken = [
                event.entry.text
                for event in events
                if isinstance(event, agents.EntryCompleted)
                and isinstance(event.entry, agents.MessageEntry)
                and event.entry.role == "assistant"
            ]
            assert spoken == ["", "So: paid"]  # the one that was cut is closed, and another opens

    async def test_turn_ending(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "turn_ending")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert isinstance(state, agents.Completed)
            assert state.text == "So: paid"
            assert seen.asked == 0
            check_whole(await seen.events())

    async def test_turn_ended(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "turn_ended")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).get()
            assert isinstance(state, agents.Completed)
            assert await seen.notices() == []

    async def test_interrupt_requested(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "interrupt_requested", "interrupt")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            state = await seen.session.turn(said["turn"]).result(timeout=10)
            assert isinstance(state, agents.Interrupted)
            assert state.cause == "interrupted"
            assert payments(ledger) == []
            check_whole(await seen.events())

    async def test_session_ended(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "session_ended")
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert (await seen.session.info()).termination == agents.CancelledTermination()
            assert isinstance(await seen.session.turn(said["turn"]).get(), agents.Completed)
            with pytest.raises(agents.SessionTerminatedError):
                await seen.session.run("More.")

    async def test_parking(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "parking", "parked")
        assert (directory / said["session"] / "parked").exists()
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            turn = await seen.turn()
            assert isinstance(await turn.get(), agents.Blocked)
            assert not (directory / said["session"] / "parked").exists()
            assert isinstance(await seen.finish(), agents.Completed)
            assert len(payments(ledger)) == 1
            assert await seen.notices() == []

    async def test_unparking(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        said = crash(tmp_path, "unparking", "parked")
        assert "answered" not in said
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert isinstance(await (await seen.turn()).get(), agents.Blocked)
            assert isinstance(await seen.finish(), agents.Completed)
            assert len(payments(ledger)) == 1
            assert await seen.notices() == []

    @pytest.mark.parametrize("write", range(2, 11))
    async def test_in_a_write(self, tmp_path: Path, directory: Path, ledger: Path, write: int) -> None:
        said = crash(tmp_path, f"in_a_write@{write}")
        paid = len(payments(ledger))
        async with saved_in(directory):
            seen = Reopened(agent(ledger), said, directory)
            assert (await seen.session.info()).session_id == seen.session_id
            kept = list((directory / seen.session_id).glob("cut-at-*"))
            assert len(kept) == 1
            if "turn" in said:
                assert isinstance(await seen.finish(), agents.Completed)
                assert len(payments(ledger)) == max(1, paid)
            notices = await seen.notices()
            assert any(kept[0].name in notice.message for notice in notices)
            check_whole(await seen.events())

    async def test_in_the_first_write_leaves_no_session(self, tmp_path: Path, directory: Path, ledger: Path) -> None:
        crash(tmp_path, "in_a_write")
        async with saved_in(directory):
            session = agent(ledger).session(only_session(directory))
            with pytest.raises(agents.SessionNotFoundError):
                await session.info()
            assert [info async for info in agents.list_sessions(host="local")] == []
