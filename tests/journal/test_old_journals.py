"""Tests that the journals of every release are read as they were when they were written, and go on."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.testing import call, reply
from tests.journal.recorded import CONVERSATION, EVENTS, HOME, SESSIONS, agent, events_of
from tests.journal.story import saved_in

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = sorted(path.name for path in HOME.iterdir() if path.is_dir())


@pytest.fixture(params=VERSIONS)
def recorded(request: pytest.FixtureRequest, directory: Path) -> dict[str, Any]:
    """The sessions of a release, copied to where they may be written, and what was read of them then."""
    home = HOME / request.param
    shutil.copytree(home, directory)
    told: dict[str, Any] = json.loads((home / EVENTS).read_text())
    return told


def as_told_then(now: Any, then: Any) -> Any:
    """What is read now, without the keys that a later version added."""
    if is_object(now) and is_object(then):
        return {key: as_told_then(item, then[key]) for key, item in now.items() if key in then}
    if is_array(now) and is_array(then) and len(now) == len(then):
        return [as_told_then(*pair) for pair in zip(now, then, strict=True)]
    return now


class TestAnOldJournal:
    @pytest.mark.parametrize("name", [make.__name__ for make in SESSIONS])
    async def test_is_read_as_it_was(self, recorded: dict[str, Any], directory: Path, name: str) -> None:
        then = recorded[name]
        async with saved_in(directory):
            session = agent().session(then["id"])
            now = [json.loads(event) for event in await events_of(session)]
            assert as_told_then(now, then["events"]) == then["events"]

    async def test_is_listed(self, recorded: dict[str, Any], directory: Path) -> None:
        async with saved_in(directory):
            listed = {info.session_id: info async for info in agents.list_sessions(host="local")}
        assert listed.keys() == {then["id"] for then in recorded.values()}
        assert listed[recorded["blocked"]["id"]].open_callbacks == 1
        assert listed[recorded["ended"]["id"]].termination == agents.CancelledTermination()

    async def test_goes_on(self, recorded: dict[str, Any], directory: Path) -> None:
        async with saved_in(directory):
            again = agent(reply("Third answer."), reply("Looked."))
            state = await again.session(recorded["conversation"]["id"]).run("Three.")
            assert isinstance(state, agents.Completed)
            assert state.text == "Third answer."
            session = again.session(recorded["blocked"]["id"])
            (info,) = [event for event in recorded["blocked"]["events"] if event["type"] == "callback_opened"]
            turn = session.turn(info["turn_id"])
            await turn.answer(info["callback"]["id"], agents.AllowApproval())
            assert (await turn.result(timeout=10)).text == "Looked."

    async def test_still_knows_its_idempotency_keys(self, recorded: dict[str, Any], directory: Path) -> None:
        async with saved_in(directory):
            session = await agent(call("fail", {})).start_session(**CONVERSATION)
            assert session.id == recorded["conversation"]["id"]
            turn = await session.send_message("One.", idempotency_key="one")
            assert isinstance(await turn.get(), agents.Completed)
