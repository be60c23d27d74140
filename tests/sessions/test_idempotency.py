"""Idempotency keys: the same request twice is one request. Public page: Session and Turn."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, gate, reply
from tests.sessions.reading import blocked, completed, turn_of


def agent_of(*steps: Any, name: str = "agent") -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps), name=name)


class Account(agents.SessionInput):
    input_id: ClassVar[str] = "account"
    number: int


OTHERWISE: list[dict[str, Any]] = [
    {"agent": {"instructions": "zz"}},
    {"session_inputs": {"account": Account(number=7)}},
    {"history": [{"type": "message", "role": "user", "content": [{"type": "text", "text": "Before."}]}]},
]


class TestTheKeyOfAStart:
    """The same key returns the turn that it started; another message under it is a conflict."""

    async def test_returns_the_same_turn_while_it_runs(self) -> None:
        held = gate()
        session = await agent_of(reply(held, "One.")).start_session()
        first = turn_of(await session.start_turn("1", idempotency_key="k"))
        again = turn_of(await session.start_turn("1", idempotency_key="k"))
        assert again == first
        assert again.started is True
        held.open()
        assert completed(await again.result()).text == "One."

    async def test_returns_the_same_turn_after_it_ended(self) -> None:
        session = await agent_of(reply("One."), reply("Never.")).start_session()
        first = completed(await session.run("1", idempotency_key="k"))
        assert completed(await session.run("1", idempotency_key="k")) == first

    async def test_returns_the_same_turn_while_another_runs(self) -> None:
        held = gate()
        session = await agent_of(reply("One."), reply(held, "Two.")).start_session()
        first = completed(await session.run("1", idempotency_key="k"))
        second = await session.send_message("2")
        assert turn_of(await session.start_turn("1", idempotency_key="k")).id == first.turn_id
        held.open()
        await second.result()

    async def test_of_many_starts_at_once_starts_one_turn(self) -> None:
        session = await agent_of(reply("One.")).start_session()
        turns = await asyncio.gather(*(session.start_turn("1", idempotency_key="k") for _ in range(10)))
        assert len({turn_of(turn) for turn in turns}) == 1
        await turn_of(turns[0]).result()

    async def test_for_another_message_is_a_conflict(self) -> None:
        session = await agent_of(reply("One.")).start_session()
        await session.run("1", idempotency_key="k")
        with pytest.raises(agents.SessionIdempotencyConflictError, match="'k'"):
            await session.start_turn("2", idempotency_key="k")
        with pytest.raises(agents.SessionIdempotencyConflictError):
            await session.run("2", idempotency_key="k")
        with pytest.raises(agents.SessionIdempotencyConflictError):
            await session.send_message("2", idempotency_key="k")
        assert len(await session.history()) == 2

    async def test_compares_blocks_of_content_by_value(self) -> None:
        session = await agent_of(reply("One.")).start_session()
        first = completed(await session.run([agents.TextContentBlock(text="1")], idempotency_key="k"))
        again = await session.run([{"type": "text", "text": "1"}], idempotency_key="k")
        assert completed(again) == first

    async def test_of_another_session_is_another_key(self) -> None:
        agent = agent_of(reply("One."), reply("Two."))
        first, second = await agent.start_session(), await agent.start_session()
        assert completed(await first.run("1", idempotency_key="k")).text == "One."
        assert completed(await second.run("2", idempotency_key="k")).text == "Two."

    @pytest.mark.parametrize("key", ["", 17, b"k"])
    async def test_that_is_no_string_is_refused(self, key: Any) -> None:
        session = await agent_of().start_session()
        for send in (session.start_turn, session.send_message, session.run):
            with pytest.raises(agents.SdkError, match="idempotency_key"):
                await send("1", idempotency_key=key)
        with pytest.raises(agents.SdkError, match="idempotency_key"):
            await agent_of().run("1", idempotency_key=key)
        with pytest.raises(agents.SdkError, match="idempotency_key"):
            await agent_of().start_session(idempotency_key=key)


class TestAKeyThatWasRefusedWithBusy:
    """It is not used up: a retry starts a turn once the running one has ended."""

    async def test_starts_a_turn_later(self) -> None:
        held = gate()
        session = await agent_of(reply(held, "One."), reply("Two.")).start_session()
        first = await session.send_message("1")
        assert isinstance(await session.start_turn("2", idempotency_key="k"), agents.Busy)
        assert isinstance(await session.start_turn("2", idempotency_key="k"), agents.Busy)
        held.open()
        await first.result()
        second = turn_of(await session.start_turn("2", idempotency_key="k"))
        assert second != first
        assert completed(await second.result()).text == "Two."

    async def test_may_even_be_used_for_another_message(self) -> None:
        held = gate()
        session = await agent_of(reply(held, "One."), reply("Two.")).start_session()
        first = await session.send_message("1")
        assert isinstance(await session.start_turn("2", idempotency_key="k"), agents.Busy)
        held.open()
        await first.result()
        assert completed(await session.run("3", idempotency_key="k")).text == "Two."


class TestTheKeyOfAMessage:
    """`send_message` with a key adds its message once."""

    async def test_that_joined_a_turn_joins_it_once(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two."), reply("Three.")).start_session()
        turn = await session.send_message("Count.")
        await held.reached()
        for _ in range(3):
            joined = await session.send_message("On.", idempotency_key="k")
            assert (joined, joined.started) == (turn, False)
        held.open()
        await turn.result()
        users = [e for e in await session.history() if isinstance(e, agents.MessageEntry) and e.role == "user"]
        assert [entry.text for entry in users] == ["Count.", "On."]

    async def test_that_started_a_turn_says_so_again(self) -> None:
        session = await agent_of(reply("One.")).start_session()
        first = await session.send_message("1", idempotency_key="k")
        await first.result()
        again = await session.send_message("1", idempotency_key="k")
        assert (again, again.started) == (first, True)


class TestTheKeyOfASession:
    """`start_session` and `agent.run` with a key return the session, or the record, of the first request."""

    async def test_returns_the_same_session(self) -> None:
        agent = agent_of(reply("One."))
        first = await agent.start_session(idempotency_key="k")
        assert await agent.start_session(idempotency_key="k") == first
        assert await agent.start_session(idempotency_key="other") != first
        assert await agent.start_session() != first

    async def test_returns_it_for_a_start_that_asks_the_same(self) -> None:
        agent = agent_of(reply("One."))
        asked: dict[str, Any] = {
            "agent": {"instructions": "Be brief.", "temperature": 1},
            "session_inputs": {"account": Account(number=7)},
            "history": [{"type": "message", "role": "user", "content": [{"type": "text", "text": "Before."}]}],
        }
        first = await agent.start_session(idempotency_key="k", **asked)
        assert await agent.start_session(idempotency_key="k", **asked) == first

    @pytest.mark.parametrize("asked", OTHERWISE, ids=lambda asked: next(iter(asked)))
    async def test_started_otherwise_is_a_conflict_while_the_session_runs(self, asked: dict[str, Any]) -> None:
        agent = agent_of(reply("One."))
        (what,) = asked
        session = await agent.start_session(idempotency_key="k")
        with pytest.raises(agents.SessionIdempotencyConflictError, match=rf"'k' started session .* another {what}\."):
            await agent.start_session(idempotency_key="k", **asked)
        customized = await agent.start_session(idempotency_key="c", **asked)
        with pytest.raises(agents.SessionIdempotencyConflictError, match=f"another {what}"):
            await agent.start_session(idempotency_key="c")
        await customized.cancel()
        await session.cancel()
        assert await agent.start_session(idempotency_key="k", **asked) == session

    async def test_of_another_agent_is_another_key(self) -> None:
        first = await agent_of(name="one").start_session(idempotency_key="k")
        assert await agent_of(name="two").start_session(idempotency_key="k") != first

    async def test_of_agent_run_returns_the_same_record(self) -> None:
        agent = agent_of(reply("One."), reply("Never."))
        first = completed(await agent.run("1", idempotency_key="k"))
        assert completed(await agent.run("1", idempotency_key="k")) == first

    async def test_of_agent_runs_at_once_makes_one_turn(self) -> None:
        agent = agent_of(reply("One."))
        states = await asyncio.gather(*(agent.run("1", idempotency_key="k") for _ in range(5)))
        assert len({state.turn_id for state in states}) == 1

    async def test_of_agent_run_for_another_message_is_a_conflict(self) -> None:
        agent = agent_of(reply("One."))
        await agent.run("1", idempotency_key="k")
        with pytest.raises(agents.SessionIdempotencyConflictError, match="'k'"):
            await agent.run("2", idempotency_key="k")

    async def test_of_agent_run_keeps_its_session_open(self) -> None:
        agent = agent_of(reply("One."), reply("Two."))
        state = completed(await agent.run("1", idempotency_key="k"))
        assert completed(await agent.session(state.session_id).run("2")).text == "Two."

    async def test_of_a_run_that_waits_finds_it_again(self) -> None:
        @agents.tool
        def look_up() -> str:
            """Read an alert."""
            return "alert"

        model = ScriptedModel([call("look_up"), reply("Done.")])
        agent = agents.Agent(model=model, tools=[look_up], permission_mode="ask")
        first = blocked(await agent.run("1", idempotency_key="k"))
        state = await agent.run("1", idempotency_key="k", on_approval=lambda ctx, request: agents.AllowApproval())
        assert completed(state).turn_id == first.turn_id
