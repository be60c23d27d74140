"""Commands in any order, against the reference model. Public pages: Session and Turn, Callbacks, Turn records."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mistralai import agents
from mistralai.agents import testing
from mistralai.agents.core.fold import fold
from mistralai.agents.local.registry import find
from tests.property.puppet import Bench, Puppet
from tests.property.reference import Kind, Reference

if TYPE_CHECKING:
    from collections.abc import Coroutine

RECORDS = {
    "running": agents.Running,
    "blocked": agents.Blocked,
    "completed": agents.Completed,
    "interrupted": agents.Interrupted,
    "failed": agents.Failed,
}
LONGEST_SECONDS = 5.0
index = st.integers(min_value=0, max_value=1_000)


class AnyOrder(RuleBasedStateMachine):
    """One session that is driven by whatever Hypothesis thinks of."""

    @initialize()
    def open(self) -> None:
        self.runner = asyncio.Runner()
        self.clock = testing.FakeClock()
        self.clock.__enter__()
        self.model, self.bench, self.reference = Puppet(), Bench(), Reference()
        self.agent = self.bench.agent(self.model)
        self.session = self.run(self.agent.start_session())
        self.turns: list[agents.Turn] = []
        self.callbacks: list[str] = []
        self.said: list[str] = []
        """The messages that the session took, in order."""
        self.seen: list[agents.Event] = []

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.run(self.session.cancel())
            self.clock.__exit__(None, None, None)
            self.runner.close()

    def run(self, command: Coroutine[Any, Any, Any]) -> Any:
        """Carry out a command and let everything that follows of itself happen."""

        async def and_what_follows() -> Any:
            async with asyncio.timeout(LONGEST_SECONDS):  # what waits for ever is a failure that can be made small
                outcome = await command
                await self.clock.advance(0)
                return outcome

        return self.runner.run(and_what_follows())

    @rule()
    def start(self) -> None:
        expected = self.reference.start()
        if expected == "ended":
            with pytest.raises(agents.SessionTerminatedError):
                self.run(self.session.start_turn("Go."))
            return
        message = self.say(takes=expected == "turn")
        started = self.run(self.session.start_turn(message))
        assert isinstance(started, agents.Turn) is (expected == "turn")
        if isinstance(started, agents.Turn):
            self.turns.append(started)

    @rule()
    def message(self) -> None:
        expected = self.reference.send()
        if expected == "ended":
            with pytest.raises(agents.SessionTerminatedError):
                self.run(self.session.send_message("And this."))
            return
        turn = self.run(self.session.send_message(self.say(takes=True)))
        assert turn.started is (expected == "started")
        if turn.started:
            self.turns.append(turn)

    @precondition(lambda self: self.turns)
    @rule(which=index)
    def steer(self, which: int) -> None:
        turn = which % len(self.turns)
        expected = self.reference.steer(turn)
        self.expect(expected, self.turns[turn].steer(self.say(takes=expected == "turn")))

    @precondition(lambda self: self.turns)
    @rule(which=index)
    def interrupt(self, which: int) -> None:
        turn = which % len(self.turns)
        self.expect(self.reference.interrupt(turn), self.turns[turn].interrupt())

    @precondition(lambda self: self.reference.model_is_called)
    @rule()
    def reply_with_text(self) -> None:
        self.reference.reply_with_text()
        self.tell([agents.TextChunk("That is it.")])

    @precondition(lambda self: self.reference.model_is_called)
    @rule(kinds=st.lists(st.sampled_from(["free", "guarded", "asks"]), min_size=1, max_size=3))
    def reply_with_calls(self, kinds: list[Kind]) -> None:
        first = self.reference.made
        self.reference.reply_with_calls(kinds)
        self.tell(
            [
                agents.ToolCallBlock(
                    call=agents.ModelToolCall(id="same", name=kind, arguments=f'{{"number": {number}}}')
                )
                for number, kind in enumerate(kinds, first)
            ]
        )

    @precondition(lambda self: self.reference.model_is_called)
    @rule()
    def fail(self) -> None:
        self.reference.fail()
        self.tell(agents.ModelError("Down.", code="completion_unavailable"))

    @precondition(lambda self: self.bench.running)
    @rule(which=index, well=st.booleans())
    def finish_tool(self, which: int, *, well: bool) -> None:
        number = sorted(self.bench.running)[which % len(self.bench.running)]
        self.reference.finish_tool(number)
        self.bench.running[number].set_result(well)
        self.run(self.clock.advance(0))

    @precondition(lambda self: self.callbacks)
    @rule(which=index, allow=st.booleans())
    def answer(self, which: int, *, allow: bool) -> None:
        callback = which % len(self.callbacks)
        session_is_over = self.reference.ended
        expected = self.reference.answer(callback, allow=allow)
        turn = self.turns[-1]
        state = self.run(turn.get()) if not session_is_over else None
        asked = state.callbacks if isinstance(state, agents.Blocked) else ()
        found = next((each for each in asked if each.id == self.callbacks[callback]), None)
        answer: object
        if isinstance(found, agents.OpenClientToolCall):
            answer = agents.ToolResult[None](content="no", is_error=True) if not allow else "yes"
        else:
            answer = agents.AllowApproval() if allow else agents.DenyApproval(message="no")
        came = self.run(turn.answer(self.callbacks[callback], answer))
        assert isinstance(came, agents.Answered if expected == "answered" else agents.AlreadySettled)

    @precondition(lambda self: self.turns)
    @rule()
    def answer_what_was_never_asked(self) -> None:
        assert isinstance(self.run(self.turns[0].answer("nobody asked", agents.AllowApproval())), agents.NotFound)

    @rule()
    def expire(self) -> None:
        self.reference.expire()
        self.run(self.clock.advance(3600.5))

    @rule()
    def cancel(self) -> None:
        self.reference.cancel()
        self.run(self.session.cancel())

    @invariant()
    def every_record_is_the_one_expected(self) -> None:
        if not hasattr(self, "session"):
            return
        assert len(self.turns) == len(self.reference.outcomes)
        for number, turn in enumerate(self.turns):
            assert isinstance(self.run(turn.get()), RECORDS[self.reference.outcome(number)])
        assert (self.model.waiting is not None) == self.reference.model_is_called
        assert sorted(self.bench.running) == sorted(
            call for call, what in self.reference.calls.items() if what == "running"
        )
        assert self.model.refusals == []
        if self.reference.model_is_called and not self.reference.unseen:
            assert self.model.read == self.said

    @invariant()
    def every_reader_sees_the_same(self) -> None:
        if not hasattr(self, "session") or not self.turns:
            return
        events = self.run(self.read(None))
        before = [event for event in self.seen if not isinstance(event, agents.TextDelta)]
        now = [event for event in events if not isinstance(event, agents.TextDelta)]
        assert [event.id for event in now[: len(before)]] == [event.id for event in before]
        assert len({event.id for event in events}) == len(events)
        self.seen = events
        middle = now[len(now) // 2]
        suffix = self.run(self.read(middle.id))
        assert [event for event in suffix if not isinstance(event, agents.TextDelta)] == now[now.index(middle) + 1 :]
        self.check(now)

    @invariant()
    def the_state_is_a_whole_fold_of_the_log(self) -> None:
        if hasattr(self, "session"):
            self.run(self.refold())

    def check(self, events: list[agents.Event]) -> None:
        """Once a call one result, once an entry its end, once a turn its end, once a callback its close."""
        self.callbacks = [event.callback.id for event in events if isinstance(event, agents.CallbackOpened)]
        assert len(set(self.callbacks)) == len(self.callbacks) == len(self.reference.callbacks)
        resolved = [event.callback_id for event in events if isinstance(event, agents.CallbackResolved)]
        assert sorted(resolved) == sorted(
            callback
            for callback, (_, is_open) in zip(self.callbacks, self.reference.callbacks, strict=True)
            if not is_open
        )
        ends = [str(event.turn_id) for event in events if isinstance(event, agents.TurnEnded)]
        over = [turn.id for number, turn in enumerate(self.turns) if number != self.reference.active]
        assert sorted(ends) == sorted(over)
        added = [event.entry.id for event in events if isinstance(event, agents.EntryAdded)]
        completed = [event.entry for event in events if isinstance(event, agents.EntryCompleted)]
        assert len(set(added)) == len(added)
        assert {entry.id for entry in completed} <= set(added)
        assert len({entry.id for entry in completed}) == len(completed)
        calls = [entry.tool_call_id for entry in completed if isinstance(entry, agents.ToolCallEntry)]
        results = [entry.tool_call_id for entry in completed if isinstance(entry, agents.ToolResultEntry)]
        assert len(set(results)) == len(results)
        assert len(calls) - len(results) == len(self.reference.calls)
        assert set(results) <= set(calls)

    async def read(self, after: str | None) -> list[agents.Event]:
        """Read what there is after a cursor, and leave."""
        end = (await self.turns[-1].get()).cursor
        events: list[agents.Event] = []
        if after == end:
            return events
        async for event in self.session.iter_events(after=after):
            events.append(event)
            if event.id == end:
                break
        return events

    async def refold(self) -> None:
        runtime = find()
        assert runtime is not None
        session = runtime.sessions[self.session.id]
        assert plain(fold(session.log)) == plain(session.state)

    def say(self, *, takes: bool) -> str:
        message = f"Message {len(self.said)}."
        if takes:
            self.said.append(message)
        return message

    def tell(self, told: list[agents.ModelEvent] | agents.ModelError) -> None:
        async def tell() -> None:
            self.model.tell(told)

        self.run(tell())

    def expect(self, expected: str, command: Coroutine[Any, Any, Any]) -> None:
        if expected == "ended":
            with pytest.raises(agents.SessionTerminatedError):
                self.run(command)
            return
        assert isinstance(self.run(command), agents.Turn if expected == "turn" else agents.TurnConflict)


def plain(value: Any) -> object:
    """A state as data that can be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[object]", value)]
    cls: Any = cast("object", value).__class__
    slots: tuple[str, ...] = getattr(cls, "__slots__", ())
    if cls.__module__.endswith("core.state"):
        return {name: plain(getattr(value, name)) for name in slots}
    return value


TestCommandsInAnyOrder = AnyOrder.TestCase
TestCommandsInAnyOrder.settings = settings(
    max_examples=60,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
