"""Tests of `agents.list_sessions(host="local")`."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import Gate, ScriptedModel, gate, reply


async def listed(**options: Any) -> list[str]:
    return [info.session_id async for info in agents.list_sessions(host="local", **options)]


@pytest.fixture
def held() -> Gate:
    return gate()


@pytest.fixture
async def three(held: Gate) -> dict[str, agents.Session]:
    """A session of each status, oldest first."""
    agent = agents.Agent(name="clerk", model=ScriptedModel([reply("One."), reply(held, "Two.")]))
    ended, waiting, running = [await agent.start_session() for _ in range(3)]
    await waiting.run("  A long question\nwith a second line")
    await running.send_message("x" * 200)
    await ended.cancel()
    return {"terminated": ended, "waiting": waiting, "running": running}


class TestTheList:
    async def test_is_empty_where_nothing_has_started(self) -> None:
        assert await listed() == []

    async def test_has_every_session_of_the_loop_newest_first(self, three: dict[str, agents.Session]) -> None:
        assert await listed() == [session.id for session in reversed(three.values())]

    @pytest.mark.parametrize("status", ["running", "waiting", "terminated"])
    async def test_can_be_of_one_status(self, three: dict[str, agents.Session], status: str) -> None:
        assert await listed(status=status) == [three[status].id]

    async def test_ends_at_its_limit(self, three: dict[str, agents.Session]) -> None:
        assert await listed(limit=2) == [three["running"].id, three["waiting"].id]
        assert await listed(limit=0) == []

    async def test_of_a_tree_has_its_root(self, three: dict[str, agents.Session]) -> None:
        root = three["waiting"].id
        assert await listed(scope="tree", root=root) == [root]
        assert await listed(scope="children", parent=root) == []
        assert await listed(parent=root) == []

    async def test_tells_what_a_session_is(self, three: dict[str, agents.Session]) -> None:
        infos = {info.status: info async for info in agents.list_sessions(host="local")}
        waiting = infos["waiting"]
        assert waiting == await three["waiting"].info()
        assert (waiting.agent_name, waiting.title, waiting.parent_id) == ("clerk", "A long question", None)
        assert waiting.root_id == waiting.session_id
        assert waiting.created_at <= waiting.updated_at
        assert waiting.created_at.tzinfo is not None
        assert (waiting.termination, waiting.open_callbacks) == (None, 0)
        title = infos["running"].title
        assert title is not None
        assert len(title) <= 80
        assert infos["terminated"].title is None
        assert infos["terminated"].termination == agents.CancelledTermination()

    async def test_has_nothing_of_a_block_that_ended(self) -> None:
        agent = agents.Agent(model=ScriptedModel([]))
        async with agents.local_runtime():
            await agent.start_session()
        assert await listed() == []

    async def test_goes_on_while_sessions_start_and_end(self, three: dict[str, agents.Session]) -> None:
        seen: list[str] = []
        async for info in agents.list_sessions(host="local"):
            seen.append(info.session_id)
            for session in three.values():
                await session.cancel()
        assert seen == [session.id for session in reversed(three.values())]

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"host": "cloud"}, "host"),
            ({"scope": "all"}, "scope"),
            ({"status": "done"}, "status"),
            ({"limit": -1}, "limit"),
            ({"limit": True}, "limit"),
        ],
    )
    async def test_refuses_what_makes_no_sense_by_name(self, options: dict[str, Any], named: str) -> None:
        arguments: dict[str, Any] = {"host": "local"} | options
        with pytest.raises(agents.SdkError, match=f"list_sessions: {named} is"):
            await anext(aiter(agents.list_sessions(**arguments)), None)
