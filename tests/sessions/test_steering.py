"""Adding a message to a turn that runs: steer, and send_message that joins. Public page: Session and Turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, gate, reply
from tests.sessions.reading import blocked, completed, kinds, only_callback, sent, turn_of, without_deltas

if TYPE_CHECKING:
    from collections.abc import Sequence


@agents.tool
def look_up(alert: str = "1") -> str:
    """Read an alert."""
    return f"alert {alert}"


def scripted(
    *steps: Any, tools: Sequence[agents.Tool[..., Any]] = (look_up,), **options: Any
) -> tuple[ScriptedModel, agents.Agent[str]]:
    model = ScriptedModel(steps)
    return model, agents.Agent(model=model, tools=tools, **options)


class TestSteering:
    """`turn.steer`: the message is added to the turn, and the model reads it before its next reply."""

    async def test_during_a_reply_is_read_after_it_and_answered(self) -> None:
        held = gate()
        model, agent = scripted(reply("One, ", held, "two."), reply("Stopping there."))
        session = await agent.start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        steered = await turn.steer("Enough.")
        assert steered == turn
        held.open()
        assert completed(await turn.result()).text == "Stopping there."
        assert sent(model) == ["user: Count.", "assistant: One, two.", "user: Enough."]
        model.assert_consumed()

    async def test_before_the_first_words_is_read_after_the_reply_too(self) -> None:
        held = gate()
        model, agent = scripted(reply(held, "One."), reply("Two."))
        session = await agent.start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        await turn.steer("On.")
        held.open()
        assert completed(await turn.result()).text == "Two."
        assert sent(model) == ["user: Count.", "assistant: One.", "user: On."]

    async def test_during_a_tool_follows_the_results_of_its_calls(self) -> None:
        held = gate()

        @agents.tool
        async def slow() -> str:
            """Take its time."""
            await held.hold()
            return "slow"

        model, agent = scripted(calls(call("slow"), call("look_up")), reply("Done."), tools=[slow, look_up])
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        await held.reached()
        turn_of(await turn.steer("Quick!"))
        held.open()
        assert completed(await turn.result()).text == "Done."
        assert sent(model)[2:] == ["tool: slow", "tool: alert 1", "user: Quick!"]

    async def test_while_the_turn_waits_on_an_approval_leaves_the_question_open(self) -> None:
        model, agent = scripted(call("look_up"), reply("Done."), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        turn = session.turn(state.turn_id)
        turn_of(await turn.steer("Quick!"))
        assert blocked(await turn.get()).callbacks == state.callbacks
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        assert completed(await turn.result(after=state)).text == "Done."
        assert sent(model)[-1] == "user: Quick!"

    async def test_of_several_messages_keeps_their_order(self) -> None:
        held = gate()
        model, agent = scripted(reply("One, ", held, "two."), reply("Fine."))
        session = await agent.start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        for number in range(4):
            await turn.steer(f"message {number}")
        held.open()
        await turn.result()
        assert sent(model)[2:] == [f"user: message {number}" for number in range(4)]

    async def test_shows_as_an_entry_of_the_turn_at_once(self) -> None:
        held = gate()
        _, agent = scripted(reply("One, ", held, "two."), reply("Fine."))
        session = await agent.start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        await turn.steer("Enough.")
        entries = [entry for entry in await session.history() if isinstance(entry, agents.MessageEntry)]
        assert [(entry.role, entry.text, entry.turn_id) for entry in entries] == [
            ("user", "Count.", turn.id),
            ("user", "Enough.", turn.id),
        ]
        held.open()
        await turn.result()
        events = without_deltas([event async for event in turn.iter_events()])
        assert kinds(events).count("EntryAdded") == kinds(events).count("EntryCompleted") == 4
        assert kinds(events)[-1] == "TurnEnded"

    async def test_right_at_the_end_either_joins_the_turn_or_is_refused_but_is_never_lost(self) -> None:
        """Sent at each moment from the last words on: the model reads it in this turn, or TurnConflict says no."""
        for moment in range(12):
            held = gate()
            model, agent = scripted(reply(held, "Done."), reply("And that."))
            session = await agent.start_session()
            turn = await session.send_message("Go.")
            await held.reached()
            held.open()
            reader = turn.iter_events()
            for _ in range(moment):
                await anext(reader, None)
            steered = await turn.steer("One more.")
            state = completed(await turn.result())
            if isinstance(steered, agents.TurnConflict):
                assert (state.text, len(model.requests)) == ("Done.", 1)
            else:
                assert (state.text, sent(model)[-1]) == ("And that.", "user: One more.")
            await session.cancel()

    async def test_takes_blocks_of_content(self) -> None:
        held = gate()
        model, agent = scripted(reply("One, ", held, "two."), reply("A dot."))
        session = await agent.start_session()
        turn = await session.send_message("Look.")
        await held.reached()
        await turn.steer([agents.TextContentBlock(text="At this:"), {"type": "image", "uri": "https://x.test/a.png"}])
        held.open()
        await turn.result()
        message = model.requests[-1].messages[-1]
        assert isinstance(message, agents.UserMessage)
        assert [block["type"] for block in message.content if isinstance(block, dict)] == ["text", "image"]

    @pytest.mark.parametrize("content", ["", [], None, 17, [{"type": "audio", "uri": "https://x.test/a.mp3"}]])
    async def test_with_what_is_no_message_is_refused(self, content: Any) -> None:
        held = gate()
        _, agent = scripted(reply(held, "Done."))
        session = await agent.start_session()
        turn = await session.send_message("Go.")
        with pytest.raises(agents.SdkError, match="content"):
            await turn.steer(content)
        held.open()
        assert completed(await turn.result()).text == "Done."


class TestSteeringATurnThatIsNotActive:
    """TurnConflict: nothing was applied."""

    async def test_any_more_names_no_active_turn(self) -> None:
        _, agent = scripted(reply("Done."))
        session = await agent.start_session()
        state = completed(await session.run("Go."))
        conflict = await session.turn(state.turn_id).steer("More.")
        assert conflict == agents.TurnConflict(
            session_id=session.id, expected_turn_id=state.turn_id, active_turn_id=None
        )
        assert len(await session.history()) == 2

    async def test_because_another_one_is_names_that_one(self) -> None:
        held = gate()
        _, agent = scripted(reply("Done."), reply(held, "Two."))
        session = await agent.start_session()
        first = completed(await session.run("1"))
        second = await session.send_message("2")
        conflict = await session.turn(first.turn_id).steer("More.")
        assert conflict == agents.TurnConflict(
            session_id=session.id, expected_turn_id=first.turn_id, active_turn_id=second.id
        )
        held.open()
        assert completed(await second.result()).text == "Two."


class TestSendingAMessage:
    """`send_message` starts a turn, or adds the message to the one that runs; `turn.started` says which."""

    async def test_to_an_idle_session_starts_a_turn(self) -> None:
        _, agent = scripted(reply("Hi."))
        session = await agent.start_session()
        turn = await session.send_message("Hello")
        assert turn.started is True
        assert completed(await turn.result()).text == "Hi."

    async def test_to_a_running_session_joins_the_turn(self) -> None:
        held = gate()
        model, agent = scripted(reply("One, ", held, "two."), reply("Both."))
        session = await agent.start_session()
        first = await session.send_message("Count.")
        await held.reached()
        second = await session.send_message("And stop.")
        assert second == first
        assert second.started is False
        held.open()
        assert completed(await second.result()).text == "Both."
        assert sent(model)[-1] == "user: And stop."

    async def test_to_a_turn_that_waits_joins_it(self) -> None:
        _, agent = scripted(call("look_up"), reply("Done."), permission_mode="ask")
        session = await agent.start_session()
        state = blocked(await session.run("Go."))
        joined = await session.send_message("Quick!")
        assert (joined.id, joined.started) == (state.turn_id, False)
        assert blocked(await joined.get()).callbacks == state.callbacks

    async def test_after_the_end_of_a_turn_starts_the_next(self) -> None:
        model, agent = scripted(reply("One."), reply("Two."))
        session = await agent.start_session()
        first = await session.send_message("1")
        await first.result()
        second = await session.send_message("2")
        assert second != first
        assert second.started is True
        assert completed(await second.result()).text == "Two."
        assert sent(model) == ["user: 1", "assistant: One.", "user: 2"]

    async def test_while_a_turn_is_being_stopped_starts_the_next_once_it_has(self) -> None:
        held, stopping = gate(), gate()

        @agents.tool
        async def stubborn() -> str:
            """Take a while to stop."""
            try:
                await held.hold()
            except asyncio.CancelledError:
                await stopping.hold()
            return "stopped"

        asking = agents.PermissionPolicy(
            default="allow", rules=[agents.PermissionRule(tools=["client.look_up"], decision="ask")]
        )
        _, agent = scripted(
            calls(call("stubborn"), call("look_up")),
            reply("Fresh."),
            tools=[stubborn, look_up],
            permission_policy=asking,
        )
        session = await agent.start_session(on_approval=lambda ctx, request: agents.AllowApproval())
        first = await session.send_message("Go.")
        await held.reached()
        interrupting = asyncio.create_task(first.interrupt())
        await stopping.reached()
        sending = asyncio.create_task(session.send_message("Something else."))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not sending.done()
        stopping.open()
        second = await sending
        await interrupting
        assert second.started is True
        assert completed(await second.result()).text == "Fresh."
