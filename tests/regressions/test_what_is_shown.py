"""What readers are shown is a copy, and in one order: nobody changes the log by it, or reads a text twice."""

from __future__ import annotations

import asyncio
from typing import Any

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply
from tests.sessions.reading import completed
from tests.support.held_model import HeldModel


@agents.tool
def pay(order: dict[str, int]) -> dict[str, Any]:
    """Pay."""
    return {"paid": order["amount"], "steps": ["sent"]}


class TestAnEventOfAReplyInTheMiddle:
    """A message that comes while a reply is written stands in the text: after what was shown before it."""

    async def test_is_a_cursor_that_repeats_no_text(self) -> None:
        model = HeldModel()
        session = await agents.Agent(model=model).start_session()
        turn = await session.send_message("Go.")
        await model.held.acquire()
        seen: list[agents.Event] = []
        live = turn.iter_events()
        async for event in live:
            seen.append(event)
            if isinstance(event, agents.TextDelta):
                await turn.steer("And quickly.")
            if isinstance(event, agents.EntryCompleted) and words(event) == "And quickly.":
                break
        resumed = [asyncio.create_task(read(turn, event.id)) for event in seen]
        resumed.append(asyncio.create_task(read(turn, None)))
        await asyncio.sleep(0)
        model.release.set()
        *again, late = await asyncio.gather(*resumed)
        whole = text([*seen, *again[-1]])
        assert whole.startswith("First words")
        for index, rest in enumerate(again):
            assert text(seen[: index + 1]) + text(rest) == whole, seen[index]
        kinds = [type(event).__name__ for event in late]
        assert kinds.index("TextDelta") < [words(event) for event in late].index("And quickly.")
        await session.cancel()


class TestWhoeverIsShownSomething:
    async def test_changes_no_result_by_it(self) -> None:
        model = ScriptedModel([call("pay", {"order": {"amount": 1}}), reply("Paid.")])
        session = await agents.Agent(model=model, tools=[pay]).start_session()

        def spoil(event: agents.Event) -> None:
            if isinstance(event, agents.EntryAdded) and isinstance(event.entry, agents.ToolResultEntry):
                shown: Any = event.entry.structured
                shown["paid"] = -1
                shown["steps"].append("lost")

        completed(await session.run("Pay.", on_event=spoil))
        results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert [entry.structured for entry in results] == [{"paid": 1, "steps": ["sent"]}]
        await session.cancel()

    async def test_changes_no_arguments_by_the_answer_that_counted(self) -> None:
        model = ScriptedModel([call("pay", {"order": {"amount": 1}}), reply("Paid.")])
        session = await agents.Agent(model=model, tools=[pay], permission_mode="ask").start_session()
        state = await session.run("Pay.")
        assert isinstance(state, agents.Blocked)
        turn = session.turn(state.turn_id)
        said = await turn.answer(state.callbacks[0].id, agents.AllowApproval(arguments={"order": {"amount": 2}}))
        assert isinstance(said, agents.Answered)
        assert isinstance(said.answer, agents.AllowApproval)
        order: Any = (said.answer.arguments or {})["order"]
        order["amount"] = 1000
        state = completed(await turn.result(after=state))
        assert state.tool_calls == (agents.ToolCall("client.pay", {"order": {"amount": 2}}),)
        await session.cancel()


async def read(turn: agents.Turn, after: str | None) -> list[agents.Event]:
    return [event async for event in turn.iter_events(after=after)]


def text(events: list[agents.Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, agents.TextDelta))


def words(event: agents.Event) -> str:
    entry = getattr(event, "entry", None)
    return entry.text if isinstance(entry, agents.MessageEntry) else ""
