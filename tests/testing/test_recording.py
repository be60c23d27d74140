"""Tests of recording and replaying: the same turn without the inner model, and what a call that differs is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing import (
    RecordingModel,
    ReplayMissError,
    ReplayModel,
    ScriptedModel,
    call,
    error,
    reply,
    tokens,
)
from tests.testing.answering import agent, completed, error_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
async def recording(tmp_path: Path) -> Path:
    """A turn with a tool call, recorded."""
    path = tmp_path / "recorded" / "turn.json"
    script = [call("double", {"number": 4}, reasoning="Twice."), reply("Eight, ", "and ✓", usage=tokens(9, 3))]
    await completed(RecordingModel(ScriptedModel(script), path), "double 4")
    return path


class TestARecordedTurn:
    async def test_plays_again_without_its_model(self, recording: Path) -> None:
        model = ReplayModel(recording)
        state = await completed(model, "double 4")
        assert state.text == "Eight, and ✓"
        assert state.tool_calls == (agents.ToolCall("client.double", {"number": 4}),)
        model.assert_consumed()

    async def test_leaves_nothing_beside_its_file(self, recording: Path) -> None:
        assert [path.name for path in recording.parent.iterdir()] == ["turn.json"]

    async def test_fails_as_it_failed(self, tmp_path: Path) -> None:
        path = tmp_path / "failed.json"
        recorded = await error_of(RecordingModel(ScriptedModel([error(429, "slow down")]), path))
        assert await error_of(ReplayModel(path)) == recorded


class TestACallThatWasNotRecorded:
    async def test_fails_and_says_what_differs(self, recording: Path) -> None:
        model = ReplayModel(recording)
        with agent.override(model=model):
            state = await agent.run("double 5")
        assert isinstance(state, agents.Failed)
        assert 'differs at messages[0].content: recorded "double 4", now "double 5"' in state.error.message
        with pytest.raises(ReplayMissError):
            model.assert_consumed()

    async def test_fails_once_all_were_played(self, recording: Path) -> None:
        model = ReplayModel(recording)
        await completed(model, "double 4")
        assert "all of its 2 calls were played" in (await error_of(model)).message
        assert len(model.problems) == 1


class TestARecording:
    async def test_with_calls_left_over_is_not_consumed(self, recording: Path) -> None:
        with pytest.raises(AssertionError, match="holds 2 calls, and 2 of them were not made"):
            ReplayModel(recording).assert_consumed()

    def test_that_is_none_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "other.json"
        path.write_text("[]")
        with pytest.raises(ValueError, match="no recording of model calls"):
            ReplayModel(path)

    @pytest.mark.parametrize(
        ("calls", "said"),
        [
            ("null", "the 1. of its calls"),
            ('{"request": 1, "events": []}', "its request is no object"),
            ('{"request": {}, "events": []}, {"request": {}}', "the 2. of its calls"),
            ('{"request": {}, "events": [{"text": 5}]}', "no piece of a reply"),
            ('{"request": {}, "events": [5]}', "no piece of a reply"),
            ('{"request": {}, "events": [{"call": {"id": 1}}]}', "the 1. of its calls"),
            ('{"request": {}, "events": [{"error": {"message": "x"}}]}', "the 1. of its calls"),
        ],
    )
    def test_with_a_call_that_is_none_is_refused_before_it_is_played(
        self, calls: str, said: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "recorded.json"
        path.write_text(f'{{"version": 1, "calls": [{calls}]}}')
        with pytest.raises(ValueError, match=said):
            ReplayModel(path)

    async def test_may_hold_half_of_a_character(self, tmp_path: Path) -> None:
        path = tmp_path / "recorded.json"
        await completed(RecordingModel(ScriptedModel([reply("a\udce9b")]), path), "c\ud83dd")
        assert (await completed(ReplayModel(path), "c\ud83dd")).text == "a\udce9b"

    def test_of_another_version_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "later.json"
        path.write_text('{"version": 99, "calls": []}')
        with pytest.raises(ValueError, match="version 99"):
            ReplayModel(path)
