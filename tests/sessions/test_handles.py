"""Handles: names of sessions and turns, which reach them when a method is awaited. Public page: Session and Turn."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, gate, reply
from tests.sessions.reading import completed, turn_of


def agent_of(*steps: Any) -> agents.Agent[str]:
    return agents.Agent(model=ScriptedModel(steps))


class TestAHandle:
    """It compares and hashes by place and id, and belongs to its process."""

    async def test_of_a_session_equals_every_other_of_that_session(self) -> None:
        agent = agent_of()
        session = await agent.start_session()
        bound = agent.session(session.id)
        assert bound == session
        assert hash(bound) == hash(session)
        assert agents.Agent(model="another").session(session.id) == session
        assert session != await agent.start_session()
        assert session != session.id
        assert len({session, bound}) == 1

    def test_has_the_members_of_its_page_and_those_that_tell_of_it_and_no_other(self) -> None:
        def members(cls: type[Any]) -> set[str]:
            return {name for name in dir(cls) if not name.startswith("_")}

        reads = {"history", "info", "subagents", "iter_events"}
        assert members(agents.Session) == reads | {"id", "turn", "send_message", "start_turn", "run", "cancel"}
        told = {"id", "session_id", "session", "started", "usage"}
        assert members(agents.Turn) == told | {"get", "result", "iter_events", "steer", "answer", "interrupt"}

    async def test_of_a_turn_equals_every_other_of_that_turn(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = turn_of(await session.start_turn("Hello"))
        assert session.turn(turn.id) == turn
        assert hash(session.turn(turn.id)) == hash(turn)
        assert session.turn("other") != turn
        assert {turn: 1}[session.turn(turn.id)] == 1
        assert turn != turn.id
        await turn.result()

    async def test_of_a_turn_is_not_that_of_another_session_with_the_same_turn_id(self) -> None:
        agent = agent_of()
        first, second = await agent.start_session(), await agent.start_session()
        assert first.turn("t") != second.turn("t")

    def test_of_one_loop_is_not_that_of_another(self) -> None:
        handles: list[agents.Session] = []

        async def bind() -> None:
            await agent_of().start_session()
            handles.append(agent_of().session("same"))

        asyncio.run(bind())
        asyncio.run(bind())
        assert handles[0] != handles[1]

    async def test_names_its_session_and_turn(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = turn_of(await session.start_turn("Hello"))
        assert (turn.session_id, turn.session) == (session.id, session)
        assert session.id in repr(session)
        assert turn.id in repr(turn)
        await turn.result()

    async def test_cannot_be_pickled_and_says_what_to_keep_instead(self) -> None:
        session = await agent_of().start_session()
        for handle in (session, session.turn("t")):
            with pytest.raises(TypeError, match="id"):
                pickle.dumps(handle)
            with pytest.raises(TypeError, match="id"):
                copy.deepcopy(handle)

    async def test_bound_by_id_does_not_know_whether_it_started_its_turn(self) -> None:
        session = await agent_of(reply("Hi.")).start_session()
        turn = turn_of(await session.start_turn("Hello"))
        assert turn.started is True
        assert session.turn(turn.id).started is None
        await turn.result()

    @pytest.mark.parametrize("wrong", ["", None, 17, b"id"])
    async def test_needs_an_id(self, wrong: Any) -> None:
        agent = agent_of()
        with pytest.raises(agents.SdkError, match="session_id"):
            agent.session(wrong)
        with pytest.raises(agents.SdkError, match="turn_id"):
            (await agent.start_session()).turn(wrong)


class TestBindingAnUnknownId:
    """Binding sends nothing: an id that is not there shows at the first use, and no session comes to be."""

    async def test_of_a_session_raises_at_every_use(self) -> None:
        """Regression, langgraph#8754: reading an unknown id created it."""
        session = agent_of().session("nobody")
        uses = [
            session.run("Hello"),
            session.send_message("Hello"),
            session.start_turn("Hello"),
            session.history(),
            session.info(),
            session.subagents(),
            session.cancel(),
            session.turn("t").get(),
            session.turn("t").result(),
            session.turn("t").steer("Hello"),
            session.turn("t").interrupt(),
            session.turn("t").answer("c", agents.AllowApproval()),
            session.turn("t").usage(),
            anext(session.iter_events()),
            anext(session.turn("t").iter_events()),
        ]
        for use in uses:
            with pytest.raises(agents.SessionNotFoundError, match="nobody"):
                await use
        assert [info async for info in agents.list_sessions(host="local")] == []

    async def test_of_a_turn_raises_where_it_is_read(self) -> None:
        session = await agent_of().start_session()
        for use in (session.turn("t").get(), session.turn("t").result(), session.turn("t").usage()):
            with pytest.raises(agents.TurnNotFoundError, match="'t'"):
                await use
        with pytest.raises(agents.TurnNotFoundError, match="'t'"):
            await anext(session.turn("t").iter_events())

    async def test_of_a_turn_to_steer_or_interrupt_is_not_the_active_one(self) -> None:
        session = await agent_of().start_session()
        for outcome in (await session.turn("t").steer("Hello"), await session.turn("t").interrupt()):
            assert outcome == agents.TurnConflict(session_id=session.id, expected_turn_id="t", active_turn_id=None)


class TestAnotherLoop:
    """A handle belongs to the loop of its runtime: another one says so instead of waiting for ever."""

    def test_says_that_the_handle_is_not_its_own(self) -> None:
        kept: list[agents.Turn] = []

        async def start() -> None:
            session = await agent_of(reply("Hi.")).start_session()
            turn = await session.send_message("Hello")
            await turn.result()
            kept.append(turn)

        async def use() -> None:
            for wrong in (kept[0].get(), kept[0].session.run("Hello"), kept[0].result()):
                with pytest.raises(agents.AgentsError, match="loop"):
                    await wrong

        asyncio.run(start())
        asyncio.run(use())


class TestTheMethodsOfASession:
    """`subagents`, `info` and `history` read and change nothing."""

    async def test_subagents_are_none_where_none_were_started(self) -> None:
        assert await (await agent_of().start_session()).subagents() == []

    async def test_info_tells_what_a_list_shows(self) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply(held, "Hi.")]), name="greeter")
        session = await agent.start_session()
        assert (await session.info()).status == "waiting"
        turn = await session.send_message("Hello there")
        info = await session.info()
        assert (info.session_id, info.agent_name, info.status, info.title) == (
            session.id,
            "greeter",
            "running",
            "Hello there",
        )
        held.open()
        completed(await turn.result())
        await session.cancel()
        ended = await session.info()
        assert (ended.status, ended.termination) == ("terminated", agents.CancelledTermination())
        assert ended.created_at <= ended.updated_at

    async def test_history_grows_with_the_entries_that_are_complete(self) -> None:
        held = gate()
        session = await agent_of(reply("One, ", held, "two.")).start_session()
        assert await session.history() == ()
        turn = await session.send_message("Count.")
        await held.reached()
        assert len(await session.history()) == 1
        held.open()
        await turn.result()
        assert len(await session.history()) == 2
