"""Tests of the public JSON: what docs/wire.md promises, over every class that it names."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import BaseModel

from mistralai.agents.values.answers import AllowApproval
from mistralai.agents.values.callbacks import OpenApproval, OpenCallback, OpenClientToolCall, UnknownOpenCallback
from mistralai.agents.values.content import ContentBlock
from mistralai.agents.values.entries import Entry
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.events import Event, TurnEnded, UnknownEvent
from mistralai.agents.values.history_import import HistoryImportEntry
from mistralai.agents.values.protocol_error import ProtocolError
from mistralai.agents.values.record import replace
from mistralai.agents.values.sessions import Termination
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.turn_states import (
    Completed,
    Interrupted,
    InvalidOutput,
    Running,
    TurnState,
    UnknownOutcome,
)
from mistralai.agents.values.wire import from_data, from_json, to_data, to_json
from mistralai.agents.values.wire_types import FAMILIES

from .samples import (
    ALL,
    APPROVAL,
    BLOCKS,
    CALL,
    CALLBACKS,
    ENTRIES,
    EVENT,
    EVENTS,
    HISTORY,
    NOW,
    OPEN,
    TERMINATIONS,
    TURN,
    TURN_STATES,
)


class Report(BaseModel):
    title: str
    pages: int | None = None


def named(value: Any) -> str:
    return type(value).__name__


class TestEveryValue:
    @pytest.mark.parametrize("value", ALL, ids=named)
    def test_reads_back_as_it_was_written(self, value: Any) -> None:
        cls: type[Any] = value.__class__
        assert from_json(cls, to_json(value)) == value
        assert from_json(cls, to_json(value).encode()) == value
        assert from_data(type(value), to_data(value)) == value

    @pytest.mark.parametrize("value", ALL, ids=named)
    def test_is_written_as_plain_json(self, value: Any) -> None:
        assert json.loads(to_json(value)) == to_data(value)

    @pytest.mark.parametrize("value", ALL, ids=named)
    def test_is_read_past_keys_it_does_not_know(self, value: Any) -> None:
        if not named(value).startswith("Unknown"):
            data: Any = to_data(value)
            assert from_data(type(value), {**data, "novelty": [1]}) == value

    def test_is_among_the_samples(self) -> None:
        tried = {named(value) for value in ALL}
        assert {name for family in FAMILIES.values() for name in family.members.values()} <= tried
        assert {family.unknown for family in FAMILIES.values() if family.unknown} <= tried


class TestReadingWhatMayBeOneOfSeveral:
    @pytest.mark.parametrize(
        ("place", "values"),
        [
            (TurnState, TURN_STATES),
            (OpenCallback, CALLBACKS),
            (Entry, ENTRIES),
            (Event, EVENTS),
            (Termination, TERMINATIONS),
            (ContentBlock, BLOCKS),
            (HistoryImportEntry, HISTORY),
        ],
        ids=["states", "callbacks", "entries", "events", "terminations", "blocks", "history"],
    )
    def test_gives_the_class_its_type_names(self, place: Any, values: list[Any]) -> None:
        for value in values:
            assert from_json(place, to_json(value)) == value
            assert json.loads(to_json(value))["type"]

    def test_reads_lists_and_tuples(self) -> None:
        assert from_json(tuple[Event, ...], to_json(EVENTS)) == tuple(EVENTS)
        assert from_json(list[ContentBlock], to_json(BLOCKS)) == BLOCKS

    def test_refuses_a_type_that_is_not_the_class_asked_for(self) -> None:
        with pytest.raises(SdkError, match="Interrupted, not Running"):
            from_json(Running, to_json(Interrupted(**TURN, cause="x")))

    def test_needs_no_type_where_the_class_is_given(self) -> None:
        assert from_json(AllowApproval, "{}") == AllowApproval()

    def test_needs_a_type_where_several_classes_may_stand(self) -> None:
        with pytest.raises(SdkError, match="no type"):
            from_json(TurnState, "{}")


class TestTheUnknown:
    def test_outcome_keeps_what_it_does_not_know_and_passes_it_on(self) -> None:
        data = {"type": "future_outcome", **TURN, "extra": {"a": 1}}
        state = from_data(TurnState, data)
        assert state == UnknownOutcome(**TURN, outcome="future_outcome", raw={"extra": {"a": 1}})
        assert to_data(state) == data

    def test_callback_keeps_its_kind(self) -> None:
        callback = from_data(OpenCallback, {"type": "vote", **OPEN, "choices": ["a"]})
        assert callback == UnknownOpenCallback(**OPEN, kind="vote", raw={"choices": ["a"]})

    def test_event_keeps_fields_that_have_the_name_of_ours(self) -> None:
        event = UnknownEvent(**EVENT, type="x", raw={"id": 1, "raw": {"raw": 2}, "type": 3})
        assert from_json(Event, to_json(event)) == event

    def test_block_is_written_as_it_came(self) -> None:
        data = {"type": "video", "mediaType": "video/mp4", "x": None}
        assert to_data(from_data(ContentBlock, data)) == data


class TestTheOutputOfACompletedTurn:
    def test_is_read_as_the_class_asked_for(self) -> None:
        state = Completed[Report](**TURN, output=Report(title="x"))
        assert from_json(Completed[Report], to_json(state)) == state
        assert from_json(TurnState[Report], to_json(state)) == state
        assert from_json(Completed[Any], to_json(state)).output == {"title": "x", "pages": None}

    def test_that_does_not_fit_is_told_apart_by_its_key(self) -> None:
        data: Any = to_data(Completed[Report](**TURN, output=InvalidOutput(raw="x", error="no")))
        assert data["output"] is None
        assert data["invalid_output"] == {"raw": "x", "error": "no"}
        assert from_data(Completed[Report], data).output == InvalidOutput(raw="x", error="no")

    def test_that_looks_like_a_misfit_stays_what_it_is(self) -> None:
        class Misfit(BaseModel):
            raw: str
            error: str

        state = Completed[Misfit](**TURN, output=Misfit(raw="x", error="y"))
        assert from_json(Completed[Misfit], to_json(state)) == state

    @pytest.mark.parametrize("output", [False, 0, "", [], {}, None])
    def test_may_be_empty_or_false(self, output: object) -> None:
        assert from_json(Completed[Any], to_json(Completed(**TURN, output=output))).output == output

    def test_that_is_not_of_the_class_names_its_place(self) -> None:
        with pytest.raises(SdkError, match=r"Completed\.output: title: Field required"):
            from_json(Completed[Report], to_json(Completed(**TURN, output={})))


class TestTheCauseOfAnInterruption:
    @pytest.mark.parametrize("given", [{}, {"cause": None}])
    def test_that_is_not_given_is_interrupted(self, given: dict[str, Any]) -> None:
        """Public page: Turn records, `Interrupted`."""
        read = from_data(TurnState, {"type": "interrupted", **TURN, **given})
        assert read == Interrupted(**TURN, cause="interrupted")

    def test_that_is_given_is_kept(self) -> None:
        assert from_data(TurnState, {"type": "interrupted", **TURN, "cause": "a_newer_limit"}).cause == "a_newer_limit"


class TestTimes:
    def test_are_written_in_utc(self) -> None:
        paris = NOW.astimezone(timezone(timedelta(hours=2)))
        moment: dict[str, Any] = {**EVENT, "created_at": paris}
        event = TurnEnded(**moment, state=Running(**TURN))
        data: Any = to_data(event)
        assert data["created_at"] == "2026-01-31T12:00:00.250000Z"

    def test_are_read_with_any_offset(self) -> None:
        data = {"type": "turn_started", **EVENT, "created_at": "2026-01-31T14:00:00.25+02:00"}
        assert from_data(Event, data).created_at == NOW

    @pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "yesterday", 5])
    def test_without_a_zone_or_a_sense_are_refused(self, text: object) -> None:
        with pytest.raises(SdkError, match="created_at"):
            from_data(Event, {"type": "turn_started", **EVENT, "created_at": text})

    def test_without_a_zone_cannot_be_written(self) -> None:
        with pytest.raises(SdkError, match="time zone"):
            to_json(datetime(2026, 1, 1))


class TestWhatIsNeverWritten:
    def test_the_runner_of_a_client_tool_call(self) -> None:
        plain = OpenClientToolCall[..., Any](**OPEN, kind="client_tool", call=CALL)
        assert to_json(replace(plain, _runner=print)) == to_json(plain)

    def test_nan_and_infinities(self) -> None:
        with pytest.raises(SdkError, match="NaN"):
            to_json(ToolCall("a", float("nan")))

    def test_an_object_without_a_json_form(self) -> None:
        with pytest.raises(SdkError, match="object has no JSON form"):
            to_json(object())


class TestText:
    def test_of_every_language_and_half_a_character_survives(self) -> None:
        for text in ("é", "日本", "\ud83d", '"\\\n'):
            assert from_json(ToolCall, to_json(ToolCall(text, text))) == ToolCall(text, text)
        assert "é" in to_json(ToolCall("é", None))


class TestAMisfit:
    @pytest.mark.parametrize(
        ("place", "data", "message"),
        [
            (
                TurnState,
                {"type": "blocked", **TURN, "callbacks": [{"type": "approval"}]},
                "TurnState.callbacks[0]: 'id'",
            ),
            (TurnState, [], "TurnState: [] is not an object"),
            (Event, {"type": 3}, "its type is 3"),
            (ProtocolError, {"message": 3}, "ProtocolError.message: 3 is not a string"),
            (ProtocolError, {"message": "x", "retryable": 1}, "ProtocolError.retryable: 1 is not true or false"),
            (AllowApproval, {"scope": "for ever"}, "AllowApproval.scope"),
            (HistoryImportEntry, {"type": "dream"}, "HistoryImportEntry"),
        ],
    )
    def test_names_its_place(self, place: Any, data: object, message: str) -> None:
        with pytest.raises(SdkError, match=re.escape(message)):
            from_data(place, data)

    def test_of_text_that_is_no_json_says_so(self) -> None:
        with pytest.raises(SdkError, match="not JSON"):
            from_json(Running, "{")


class TestARecordInAModelOfTheUser:
    def test_is_read_and_written_as_on_the_wire(self) -> None:
        class Holder(BaseModel):
            question: OpenApproval
            call: ToolCall

        holder = Holder(question=APPROVAL, call=ToolCall("a", [1]))
        assert holder.question is APPROVAL
        assert Holder.model_validate_json(holder.model_dump_json()) == holder


class TestThePageOfTheWire:
    def test_names_every_type_and_its_class(self, pytestconfig: pytest.Config) -> None:
        page = (pytestconfig.rootpath / "docs" / "wire.md").read_text(encoding="utf-8")
        for family in FAMILIES.values():
            for kind, name in family.members.items():
                assert f"| `{kind}` | `{name}` |" in page
            assert family.unknown is None or f"`{family.unknown}`" in page
        for value in [*BLOCKS[:-1], *HISTORY]:
            assert f"| `{value.type}` | `{named(value)}` |" in page
