"""The events of sessions and turns: which come, in which order, how often. Public page: Events."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, error, gate, reply
from tests.sessions.reading import blocked, completed, kinds, only_callback, running, until, without_deltas


@agents.tool
def look_up(alert: str = "1") -> str:
    """Read an alert."""
    return f"alert {alert}"


def agent_of(*steps: Any, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), tools=[look_up], **options)


async def events_of(turn: agents.Turn, after: Any = None) -> list[agents.Event]:
    return [event async for event in turn.iter_events(after=after)]


class TestTheEventsOfATurn:
    """`turn.iter_events`: TurnStarted first, TurnEnded last, and nothing that belongs to the session as a whole."""

    async def test_of_a_plain_answer_in_their_order(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        events = without_deltas(await events_of(await session.send_message("Hello")))
        assert kinds(events) == [
            "TurnStarted",
            "EntryAdded",
            "EntryCompleted",
            "EntryAdded",
            "EntryCompleted",
            "UsageReported",
            "TurnEnded",
        ]

    async def test_of_a_turn_that_asks_in_their_order(self) -> None:
        session = await agent_of(call("look_up"), reply("Done."), permission_mode="ask").start_session()
        turn = await session.send_message("Go.")
        state = blocked(await turn.result())
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        await turn.result(after=state)
        assert kinds(without_deltas(await events_of(turn))) == [
            "TurnStarted",
            "EntryAdded",  # the user's message
            "EntryCompleted",
            "EntryAdded",  # the call
            "EntryCompleted",
            "UsageReported",
            "CallbackOpened",
            "TurnUpdated",
            "CallbackResolved",
            "TurnUpdated",
            "EntryAdded",  # its result
            "EntryCompleted",
            "EntryAdded",  # the answer
            "EntryCompleted",
            "UsageReported",
            "TurnEnded",
        ]

    async def test_each_name_their_session_and_turn(self) -> None:
        session = await agent_of(call("look_up"), reply("Done.")).start_session()
        turn = await session.send_message("Go.")
        events = await events_of(turn)
        assert {(event.session_id, event.turn_id) for event in events} == {(session.id, turn.id)}
        assert len({event.id for event in events}) == len(events)
        assert [event.created_at for event in events] == sorted(event.created_at for event in events)

    async def test_end_with_the_record_of_the_turn(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = await session.send_message("Hello")
        last = (await events_of(turn))[-1]
        assert isinstance(last, agents.TurnEnded)
        assert completed(last.state).text == "Hi."
        assert last.state.cursor == last.id

    async def test_leave_out_the_other_turns_of_the_session(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        first = completed(await session.run("1"))
        second = completed(await session.run("2"))
        for state in (first, second):
            events = await events_of(session.turn(state.turn_id))
            assert {event.turn_id for event in events} == {state.turn_id}
            assert kinds(events)[0] == "TurnStarted"
            assert kinds(events)[-1] == "TurnEnded"

    async def test_leave_out_the_notices_and_updates_of_the_session(self) -> None:
        agent = agent_of(reply("Hi."), connectors=[agents.connector("nowhere")])
        session = await agent.start_session()
        turn = await session.send_message("Hello")
        assert not {"Notice", "SessionUpdated"} & set(kinds(await events_of(turn)))
        await session.cancel()
        assert {"Notice", "SessionUpdated"} <= set(kinds([event async for event in session.iter_events()]))

    async def test_come_live_while_the_turn_runs(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        seen: list[agents.Event] = []
        async for event in turn.iter_events():
            seen.append(event)
            if isinstance(event, agents.TextDelta):
                held.open()
        assert next(event.text for event in seen if isinstance(event, agents.TextDelta)) == "One, "
        assert kinds(seen)[-1] == "TurnEnded"

    async def test_of_a_failed_turn_close_the_entry_that_was_being_written(self) -> None:
        session = await agent_of(error(503, after="I thi")).start_session()
        events = without_deltas(await events_of(await session.send_message("Hello")))
        assert kinds(events)[-3:] == ["EntryAdded", "EntryCompleted", "TurnEnded"]

    async def test_of_a_turn_that_never_was_is_an_error(self) -> None:
        session = await agent_of().start_session()
        with pytest.raises(agents.TurnNotFoundError):
            await events_of(session.turn("nobody"))


class TestTheEventsOfASession:
    """`session.iter_events` follows the session from its start until it ends."""

    async def test_run_through_its_turns_to_its_end(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        following = asyncio.create_task(_all(session))
        await session.run("1")
        await session.run("2")
        await session.cancel()
        events = await following
        assert kinds(events).count("TurnStarted") == kinds(events).count("TurnEnded") == 2
        last = events[-1]
        assert isinstance(last, agents.SessionUpdated)
        assert last.status == "terminated"

    async def test_tell_its_status_as_it_changes(self) -> None:
        session = await agent_of(call("look_up"), reply("Done."), permission_mode="ask").start_session()
        state = blocked(await session.run("Go."))
        turn = session.turn(state.turn_id)
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        await turn.result(after=state)
        await session.cancel()
        updates = [event for event in await _all(session) if isinstance(event, agents.SessionUpdated)]
        assert [event.status for event in updates] == ["running", "waiting", "running", "waiting", "terminated"]
        assert {event.turn_id for event in updates} == {None}

    async def test_tell_its_title_once_when_its_first_message_gives_it(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        await session.run("  Look at 4711.\nIt is odd.")
        await session.run("And 4712?")
        await session.cancel()
        updates = [event for event in await _all(session) if isinstance(event, agents.SessionUpdated)]
        assert [event.title for event in updates if event.title] == ["Look at 4711."]
        assert (await session.info()).title == updates[0].title

    async def test_are_the_same_for_who_reads_later(self) -> None:
        session = await agent_of(call("look_up"), reply("Done.")).start_session()
        following = asyncio.create_task(_all(session))
        await session.run("Go.")
        await session.cancel()
        assert without_deltas(await following) == without_deltas(await _all(session))

    async def test_carry_the_record_of_each_ended_turn(self) -> None:
        session = await agent_of(reply("One."), reply("Two.")).start_session()
        await session.run("1")
        await session.run("2")
        await session.cancel()
        ends = [event for event in await _all(session) if isinstance(event, agents.TurnEnded)]
        assert [completed(event.state).text for event in ends] == ["One.", "Two."]

    async def test_of_a_session_that_never_was_is_an_error(self) -> None:
        await agent_of().start_session()
        with pytest.raises(agents.SessionNotFoundError):
            await _all(agent_of().session("nobody"))


class TestWatching:
    """Regression, openai-agents-python#1658: leaving the stream cancelled the write. Watching changes nothing."""

    async def test_can_stop_at_any_event(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        async for _ in turn.iter_events():
            break
        watching = asyncio.create_task(events_of(turn))
        await held.reached()
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
        held.open()
        assert completed(await turn.result()).text == "One, two."

    async def test_that_is_slow_holds_nobody_up(self) -> None:
        session = await agent_of(reply("word " * 50, chunks=50)).start_session()
        turn = await session.send_message("Talk.")
        reader = turn.iter_events()
        first = await anext(reader)
        assert completed(await turn.result()).text == "word " * 50
        assert isinstance(first, agents.TurnStarted)
        assert kinds([event async for event in reader])[-1] == "TurnEnded"


class TestEntries:
    """Each entry is added once and completed once; the user's at once, the assistant's from its first words."""

    async def test_are_added_and_completed_exactly_once(self) -> None:
        steps = [calls(call("look_up"), call("look_up", {"alert": "2"}), text="Looking."), reply("Do", "ne.")]
        session = await agent_of(*steps).start_session()
        events = await events_of(await session.send_message("Go."))
        added = [event.entry.id for event in events if isinstance(event, agents.EntryAdded)]
        done = [event.entry.id for event in events if isinstance(event, agents.EntryCompleted)]
        assert len(set(added)) == len(added) == 7
        assert sorted(added) == sorted(done)

    async def test_of_the_user_follow_the_start_of_the_turn_complete(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        started, added, done, *_ = await events_of(await session.send_message("Hello\n there "))
        assert isinstance(started, agents.TurnStarted)
        assert isinstance(added, agents.EntryAdded)
        assert isinstance(done, agents.EntryCompleted)
        assert isinstance(done.entry, agents.MessageEntry)
        assert added.entry == done.entry
        assert (done.entry.role, done.entry.text) == ("user", "Hello\n there ")

    async def test_of_the_assistant_open_with_the_first_words_and_grow_by_deltas(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        added = await until(session, agents.EntryAdded, count=2)
        assert isinstance(added.entry, agents.MessageEntry)
        assert (added.entry.role, added.entry.text) == ("assistant", "")
        delta = await until(session, agents.TextDelta)
        assert (delta.entry_id, delta.text) == (added.entry.id, "One, ")
        held.open()
        await turn.result()
        done = await until(session, agents.EntryCompleted, count=2)
        assert isinstance(done.entry, agents.MessageEntry)
        assert (done.entry.id, done.entry.text) == (added.entry.id, "One, two.")

    async def test_of_a_call_and_its_result_name_each_other(self) -> None:
        session = await agent_of(call("look_up", {"alert": "7"}, id="aaaaaaaaa"), reply("Done.")).start_session()
        await session.run("Go.")
        user, made, result, answer = await session.history()
        assert isinstance(user, agents.MessageEntry)
        assert isinstance(made, agents.ToolCallEntry)
        assert (made.tool_call_id, made.tool_id, made.name) == ("aaaaaaaaa", "client.look_up", "look_up")
        assert made.arguments == {"alert": "7"}
        assert isinstance(result, agents.ToolResultEntry)
        assert result.tool_call_id == "aaaaaaaaa"
        assert result.content == (agents.TextContentBlock(text="alert 7"),)
        assert isinstance(answer, agents.MessageEntry)

    async def test_of_reasoning_are_of_a_type_without_a_class(self) -> None:
        session = await agent_of(reply("Hi.", reasoning="A greeting.")).start_session()
        await session.run("Hello")
        thoughts = [entry for entry in await session.history() if isinstance(entry, agents.UnknownEntry)]
        assert [(entry.type, entry.raw["text"]) for entry in thoughts] == [("reasoning", "A greeting.")]


class TestUsage:
    """UsageReported tells the tokens of one model call; `turn.usage` sums them."""

    async def test_is_reported_for_each_call_and_summed(self) -> None:
        session = await agent_of(call("look_up"), reply("Done.")).start_session()
        turn = await session.send_message("Go.")
        reported = [event.usage for event in await events_of(turn) if isinstance(event, agents.UsageReported)]
        assert len(reported) == 2
        total = await turn.usage()
        assert total.input_tokens == sum(usage.input_tokens for usage in reported)
        assert total.output_tokens == sum(usage.output_tokens for usage in reported)
        assert total.total_tokens == total.input_tokens + total.output_tokens

    async def test_is_zero_before_the_first(self) -> None:
        held = gate()
        session = await agent_of(reply(held, "Done.")).start_session()
        turn = await session.send_message("Go.")
        assert (await turn.usage()).total_tokens == 0
        held.open()
        await turn.result()


class TestOnEvent:
    """`on_event` is called with each new event while a call waits, in order, once."""

    async def test_sees_every_event_of_the_turn_from_its_start(self) -> None:
        session = await agent_of(call("look_up"), reply("Done.")).start_session()
        shown: list[agents.Event] = []
        state = await session.run("Go.", on_event=shown.append)
        assert without_deltas(shown) == without_deltas(await events_of(session.turn(completed(state).turn_id)))

    async def test_may_be_async(self) -> None:
        shown: list[str] = []

        async def show(event: agents.Event) -> None:
            await asyncio.sleep(0)
            shown.append(event.id)

        state = completed(await agent_of(reply("Done.")).run("Go.", on_event=show))
        assert state.text == "Done."
        assert len(shown) == len(set(shown)) > 5

    async def test_sees_the_end_before_the_wait_returns(self) -> None:
        shown: list[agents.Event] = []
        await agent_of(reply("Done.")).run("Go.", on_event=shown.append)
        assert isinstance(shown[-1], agents.TurnEnded)

    async def test_sees_text_as_it_is_written(self) -> None:
        held = gate()
        shown: list[str] = []

        def show(event: agents.Event) -> None:
            if isinstance(event, agents.TextDelta):
                shown.append(event.text)
                held.open()

        await agent_of(reply("One, ", held, "two.")).run("Count.", on_event=show)
        assert shown[0] == "One, "

    async def test_that_raises_raises_from_the_wait_and_leaves_the_turn_running(self) -> None:
        def fail(event: agents.Event) -> None:
            raise LookupError("no screen")

        held = gate()
        session = await agent_of(reply(held, "Done.")).start_session()
        turn = await session.send_message("Go.")
        with pytest.raises(LookupError, match="no screen"):
            await turn.result(on_event=fail)
        running(await turn.get())
        held.open()
        assert completed(await turn.result()).text == "Done."

    async def test_that_is_no_function_is_refused_before_anything_starts(self) -> None:
        agent = agent_of(reply("Never."))
        with pytest.raises(agents.SdkError, match="on_event is"):
            await agent.run("Go.", on_event=17)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]  # what a caller without types may pass
        session = await agent.start_session()
        with pytest.raises(agents.SdkError, match="on_event is"):
            await session.run("Go.", on_event=17)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # what a caller without types may pass
        assert await session.history() == ()


async def _all(session: agents.Session) -> list[agents.Event]:
    return [event async for event in session.iter_events()]
