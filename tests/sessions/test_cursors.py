"""Cursors: positions in a session's log, at which reading and waiting go on. Public pages: Session and Turn; Events."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import blocked, completed, kinds, only_callback, running, without_deltas


@agents.tool
def open_case(alert: str = "1") -> str:
    """Open a case."""
    return f"CASE-{alert}"


def agent_of(*steps: Any, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), tools=[open_case], **options)


async def eventful() -> tuple[agents.Session, list[agents.Turn]]:
    """An ended session with a turn that asked, one that answered, and one that was stopped."""
    held = gate()
    steps = [
        calls(call("open_case"), call("open_case", {"alert": "2"}), text="Two cases."),
        reply("Done."),
        reply("Hi."),
    ]
    session = await agent_of(*steps, reply("Once ", held, "upon"), permission_mode="ask").start_session()
    state = blocked(await session.run("Go."))
    first = session.turn(state.turn_id)
    for callback in state.callbacks:
        await first.answer(callback.id, agents.AllowApproval())
    await first.result(after=state)
    second = completed(await session.run("Hello"))
    third = await session.send_message("A story.")
    await held.reached()
    await third.interrupt()
    await session.cancel()
    return session, [first, session.turn(second.turn_id), third]


class TestReadingFromACursor:
    """A reader that starts at any event sees each later one once, live or replayed; TextDelta may be left out."""

    async def test_of_a_session_gives_the_same_suffix_from_every_event(self) -> None:
        session, _ = await eventful()
        events = [event async for event in session.iter_events()]
        for number, event in enumerate(events, 1):
            assert [later async for later in session.iter_events(after=event.id)] == events[number:]

    async def test_of_a_turn_gives_the_same_suffix_from_every_event_of_the_session(self) -> None:
        session, turns = await eventful()
        events = [event async for event in session.iter_events()]
        for turn in turns:
            own = [event async for event in turn.iter_events()]
            for number, event in enumerate(events, 1):
                expected = [later for later in events[number:] if later in own]
                assert [later async for later in turn.iter_events(after=event.id)] == expected

    async def test_gives_a_live_reader_what_a_later_one_gets(self) -> None:
        held = gate()
        session = await agent_of(call("open_case"), reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        live: list[agents.Event] = []
        async for event in turn.iter_events():
            live.append(event)
            if isinstance(event, agents.TextDelta):
                held.open()
        for event in live:
            later = [each async for each in turn.iter_events(after=event.id)]
            assert later == without_deltas(live[live.index(event) + 1 :])

    async def test_accepts_a_record(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        first = completed(await session.run("1"))
        second = completed(await session.run("2"))
        await session.cancel()
        later = [event async for event in session.iter_events(after=first)]
        assert {event.turn_id for event in later} == {second.turn_id, None}

    async def test_at_or_after_the_end_of_a_turn_yields_nothing_at_once(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        first = completed(await session.run("1"))
        turn = session.turn(first.turn_id)
        *_, end = [event async for event in turn.iter_events()]
        second = completed(await session.run("2"))
        for after in (end.id, first, second, second.cursor):
            assert [event async for event in turn.iter_events(after=after)] == []

    async def test_before_the_turn_yields_the_whole_turn(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        first = completed(await session.run("1"))
        second = completed(await session.run("2"))
        turn = session.turn(second.turn_id)
        assert [e async for e in turn.iter_events(after=first)] == [e async for e in turn.iter_events()]


class TestTheIdOfATextDelta:
    """It is a cursor too: it names a logged position and an offset, and reading goes on right behind its text."""

    async def test_resumes_with_the_text_that_follows(self) -> None:
        """Regression, agents-api#552, langgraphjs PR2805: a dropped stream could not be taken up again."""
        first, second = gate(), gate()
        session = await agent_of(reply("One, ", first, "two, ", second, "three.")).start_session()
        turn = await session.send_message("Count.")
        cursor = ""
        async for event in turn.iter_events():
            if isinstance(event, agents.TextDelta):
                cursor = event.id
                assert event.text == "One, "
                break
        first.open()
        await second.reached()
        texts: list[str] = []
        async for event in turn.iter_events(after=cursor):
            if isinstance(event, agents.TextDelta):
                texts.append(event.text)
                if len(texts) == 1:
                    second.open()
        assert "".join(texts).startswith("two, ")
        assert "One" not in "".join(texts)

    async def test_gives_nothing_twice_to_a_reader_that_starts_again_at_each_one(self) -> None:
        gates = [gate() for _ in range(5)]
        parts = [part for number, held in enumerate(gates) for part in (f"{number} ", held)]
        session = await agent_of(reply(*parts)).start_session()
        turn = await session.send_message("Count.")
        text, cursor = "", None
        for held in gates:
            await held.reached()
            async for event in turn.iter_events(after=cursor):
                cursor = event.id
                if isinstance(event, agents.TextDelta):
                    text += event.text
                    break
            held.open()
        assert text == "0 1 2 3 4 "
        await turn.result()

    async def test_resumes_after_the_entry_is_complete_with_the_next_event(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        deltas: list[agents.Event] = []
        async for event in turn.iter_events():
            if isinstance(event, agents.TextDelta):
                deltas.append(event)
                break
        held.open()
        await turn.result()
        later = [event async for event in turn.iter_events(after=deltas[0].id)]
        assert kinds(later) == ["EntryCompleted", "UsageReported", "TurnEnded"]

    async def test_holds_when_a_message_is_added_in_mid_reply(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two."), reply("Three.")).start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        before = (await turn.get()).cursor
        await turn.steer("On.")
        texts: list[str] = []
        async for event in turn.iter_events(after=before):
            if isinstance(event, agents.TextDelta):
                texts.append(event.text)
            elif isinstance(event, agents.EntryAdded) and event.entry.turn_id == turn.id:
                held.open()
        assert "One" not in "".join(texts)
        assert completed(await turn.result()).text == "Three."

    async def test_is_not_carried_over_to_the_next_reply(self) -> None:
        first, second = gate(), gate()
        session = await agent_of(reply("A long first text.", first), reply("B", second, "C")).start_session()
        turn = await session.send_message("Go.")
        await first.reached()
        behind_the_text = (await turn.get()).cursor
        await turn.steer("On.")
        first.open()
        await second.reached()
        async for event in turn.iter_events(after=behind_the_text):
            if isinstance(event, agents.TextDelta):
                assert event.text == "B"
                break
        second.open()
        await turn.result()


class TestTheCursorOfARecord:
    """With `on_event`, it is the position that the function reached: waiting again from there repeats nothing."""

    async def test_hands_over_each_callback_before_the_wait_returns_it(self) -> None:
        shown: list[agents.Event] = []
        agent = agent_of(calls(call("open_case"), call("open_case", {"alert": "2"})), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go.", on_event=shown.append))
        opened = [event.callback.id for event in shown if isinstance(event, agents.CallbackOpened)]
        assert opened == [callback.id for callback in state.callbacks]
        assert shown[-1].id == state.cursor

    async def test_goes_on_without_repeating_an_event(self) -> None:
        shown: list[agents.Event] = []
        session = await agent_of(call("open_case"), reply("Done."), permission_mode="ask").start_session()
        state: Any = await session.run("Go.", on_event=shown.append)
        turn = session.turn(state.turn_id)
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        state = completed(await turn.result(after=state, on_event=shown.append))
        assert without_deltas(shown) == without_deltas([event async for event in turn.iter_events()])
        assert state.text == "Done."

    async def test_of_running_goes_on_without_repeating_text(self) -> None:
        held = gate()
        shown: list[agents.Event] = []
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        state = running(await turn.result(timeout=0, on_event=shown.append))
        assert state.cursor == shown[-1].id
        held.open()
        await turn.result(after=state, on_event=shown.append)
        assert next(event.text for event in shown if isinstance(event, agents.TextDelta)) == "One, "
        ids = [event.id for event in shown]
        assert len(set(ids)) == len(ids)
        assert without_deltas(shown) == [event async for event in turn.iter_events()]

    async def test_is_that_of_a_record_read_after_a_slow_function_was_done(self) -> None:
        """A callback that somebody answered while the function took its time is not returned as open."""
        held = gate()
        session = await agent_of(call("open_case"), reply("Done."), permission_mode="ask").start_session()
        turn = await session.send_message("Go.")

        async def show(event: agents.Event) -> None:
            if isinstance(event, agents.CallbackOpened):
                await held.hold()

        waiting = asyncio.create_task(turn.result(on_event=show))
        await held.reached()
        await turn.answer(only_callback(await turn.get()).id, agents.AllowApproval())
        held.open()
        assert completed(await waiting).text == "Done."

    async def test_of_a_deadline_at_once_has_handed_over_what_there_was(self) -> None:
        held = gate()
        shown: list[agents.Event] = []
        session = await agent_of(reply(held, "Done.")).start_session()
        state = running(await session.run("Go.", timeout=0, on_event=shown.append))
        assert kinds(shown) == ["TurnStarted", "EntryAdded", "EntryCompleted"]
        assert state.cursor == shown[-1].id
        held.open()

    async def test_lies_at_or_after_the_opening_of_each_callback_it_lists_and_never_goes_back(self) -> None:
        agent = agent_of(call("open_case"), call("open_case"), reply("Done."), permission_mode="ask")
        session = await agent.start_session()
        states: list[Any] = [await session.run("Go.")]
        while isinstance(states[-1], agents.Blocked):
            turn = session.turn(states[-1].turn_id)
            await turn.answer(only_callback(states[-1]).id, agents.AllowApproval())
            states.append(await turn.result(after=states[-1]))
        await session.cancel()
        events = [event async for event in session.iter_events()]
        order = {event.id: number for number, event in enumerate(events)}
        opened = [order[event.id] for event in events if isinstance(event, agents.CallbackOpened)]
        read = [order[state.cursor] for state in states]
        assert [type(state) for state in states] == [agents.Blocked, agents.Blocked, agents.Completed]
        assert all(at <= cursor for at, cursor in zip(opened, read, strict=False))
        assert all(before < after for before, after in pairwise(read))


class TestAWrongCursor:
    """InvalidCursorError, which says what is wrong, and nothing is read."""

    async def test_of_another_session(self) -> None:
        state = completed(await agent_of(reply("Hi.")).run("Hello"))
        session = await agent_of(reply("Hi.")).start_session()
        turn = await session.send_message("Hello")
        with pytest.raises(agents.InvalidCursorError, match="another session"):
            await turn.result(after=state)
        with pytest.raises(agents.InvalidCursorError, match="another session"):
            [event async for event in session.iter_events(after=state)]
        await turn.result()

    @pytest.mark.parametrize("text", ["", "x", "-", "1", "abc-1", "tag-one", "tag-1:x", "tag--1"])
    async def test_that_is_none_at_all(self, text: str) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = await session.send_message("Hello")
        with pytest.raises(agents.InvalidCursorError):
            [event async for event in turn.iter_events(after=text)]
        await turn.result()
        with pytest.raises(agents.InvalidCursorError):
            await turn.result(after=text)

    async def test_past_the_end(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        state = completed(await session.run("Hello"))
        tag, _, _ = state.cursor.rpartition("-")
        for wrong in (f"{tag}-99", f"{tag}-0:7", f"{tag}-99.5", f"{tag}-1.-5", f"{tag}-1:-1"):
            with pytest.raises(agents.InvalidCursorError):
                [event async for event in session.turn(state.turn_id).iter_events(after=wrong)]

    async def test_past_the_text_of_the_reply_that_is_being_written(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        cursor = (await turn.get()).cursor
        position, _, offset = cursor.rpartition(".")
        with pytest.raises(agents.InvalidCursorError):
            await turn.result(after=f"{position}.{int(offset) + 1}")
        held.open()
        await turn.result()
