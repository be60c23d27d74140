"""Streams as servers really send them: each one is a report against somebody, here or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mistralai.agents.authoring.model import ModelError, ReasoningBlock, ReplyFinished, TextChunk
from mistralai.agents.models.chat_reply import ChatReply
from mistralai.agents.models.sse import EventSplitter
from mistralai.agents.testing.strict_replies import Stream, chunk, events
from tests.models.calling import calling, calls_of, text_of

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelEvent

USAGE = {"prompt_tokens": 7, "completion_tokens": 3}


def read(*data: dict[str, Any] | str) -> list[ModelEvent]:
    """The events of a stream that ends as it should."""
    return read_bytes(events(*data, {"choices": [], "usage": USAGE}, "[DONE]"))


def read_bytes(data: bytes, size: int | None = None) -> list[ModelEvent]:
    reply = ChatReply()
    found: list[ModelEvent] = []
    step = size or len(data) or 1
    for at in range(0, len(data), step):
        found += reply.feed(data[at : at + step])
    return found + reply.end()


def piece(name: str | None = None, arguments: Any = None, **place: Any) -> dict[str, Any]:
    """A chunk with a piece of a call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return chunk(tool_calls=[{"type": "function", "function": function, **place}])


END = chunk("tool_calls")


class TestToolCallPieces:
    def test_arguments_split_over_chunks_are_joined(self) -> None:
        found = read(
            piece("f", "", id="aaaaaaaaa", index=0), piece(None, '{"x"', index=0), piece(None, ": 1}", index=0), END
        )
        assert calls_of(found) == [("aaaaaaaaa", "f", '{"x": 1}')]

    def test_an_id_that_changes_in_mid_call_stays_the_first_one(self) -> None:
        found = read(
            piece("f", "", id="aaaaaaaaa", index=0),
            piece(None, '{"x":', id="bbbbbbbbb", index=0),
            piece(None, "1}", id="c"),
            END,
        )
        assert calls_of(found) == [("aaaaaaaaa", "f", '{"x":1}')]

    def test_an_id_of_the_text_null_waits_for_a_real_one(self) -> None:
        found = read(piece("f", "{", id="null", index=0), piece(None, "}", id="aaaaaaaaa", index=0), END)
        assert calls_of(found) == [("aaaaaaaaa", "f", "{}")]

    def test_a_call_without_any_id_gets_one_of_nine_alphanumerics(self) -> None:
        [(id, name, arguments)] = calls_of(read(piece("f", "{}", id="null"), END))
        assert (name, arguments, len(id), id.isalnum()) == ("f", "{}", 9, True)

    def test_parallel_calls_without_an_index_are_told_apart_by_their_ids(self) -> None:
        found = read(piece("f", '{"a":1}', id="aaaaaaaaa"), piece("f", '{"b":2}', id="bbbbbbbbb"), END)
        assert calls_of(found) == [("aaaaaaaaa", "f", '{"a":1}'), ("bbbbbbbbb", "f", '{"b":2}')]

    def test_parallel_calls_with_every_index_zero_are_told_apart(self) -> None:
        found = read(
            piece("f", '{"a":1}', id="aaaaaaaaa", index=0),
            piece("f", '{"b":', id="bbbbbbbbb", index=0),
            piece(None, "2}", index=0),
            END,
        )
        assert calls_of(found) == [("aaaaaaaaa", "f", '{"a":1}'), ("bbbbbbbbb", "f", '{"b":2}')]

    def test_pieces_of_two_calls_that_alternate_go_to_their_index(self) -> None:
        found = read(
            piece("f", '{"a":', id="aaaaaaaaa", index=0),
            piece("g", '{"b":', id="bbbbbbbbb", index=1),
            piece(None, "1}", index=0),
            piece(None, "2}", index=1),
            END,
        )
        assert calls_of(found) == [("aaaaaaaaa", "f", '{"a":1}'), ("bbbbbbbbb", "g", '{"b":2}')]

    def test_id_and_name_repeated_in_each_delta_make_one_call(self) -> None:
        place = {"id": "aaaaaaaaa", "index": 0}
        assert calls_of(read(piece("f", '{"x":', **place), piece("f", "1}", **place), END)) == [
            ("aaaaaaaaa", "f", '{"x":1}')
        ]

    def test_two_calls_of_one_id_get_two_ids(self) -> None:
        found = calls_of(
            read(piece("f", "{}", id="aaaaaaaaa", index=0), piece("g", "{}", id="aaaaaaaaa", index=1), END)
        )
        assert [name for _, name, _ in found] == ["f", "g"]
        assert len({id for id, _, _ in found}) == 2

    def test_two_calls_of_one_function_and_one_id_are_told_apart_by_their_index(self) -> None:
        at = [{"id": "aaaaaaaaa", "index": index} for index in (0, 1)]
        for pieces in (
            [piece("f", '{"a":4}', **at[0]), piece("f", '{"a":5}', **at[1])],
            [piece("f", "", **at[0]), piece("f", "", **at[1]), piece(None, '{"a":4}', **at[0]),
             piece(None, '{"a":5}', **at[1])],
        ):  # fmt: skip
            found = calls_of(read(*pieces, END))
            assert [(name, arguments) for _, name, arguments in found] == [("f", '{"a":4}'), ("f", '{"a":5}')]
            assert found[0][0] == "aaaaaaaaa" != found[1][0]

    def test_the_name_comes_first_and_the_arguments_later(self) -> None:
        assert calls_of(read(piece("f", None, id="a", index=0), piece(None, '{"x":1}', index=0), END)) == [
            ("a", "f", '{"x":1}')
        ]

    def test_arguments_that_are_an_object_become_text(self) -> None:
        assert calls_of(read(piece("f", {"x": 1}, id="a", index=0), END)) == [("a", "f", '{"x":1}')]

    def test_a_call_without_arguments_has_an_empty_object(self) -> None:
        assert calls_of(read(piece("f", "", id="a", index=0), END)) == [("a", "f", "{}")]

    def test_calls_of_a_reply_that_says_stop_are_calls(self) -> None:
        found = read(piece("f", "{}", id="a", index=0), chunk("stop"))
        assert calls_of(found) == [("a", "f", "{}")]
        assert isinstance(found[-1], ReplyFinished)
        assert found[-1].reason == "tool_calls"

    def test_a_call_cut_at_the_output_limit_is_not_given(self) -> None:
        found = read(piece("f", '{"x":', id="a", index=0), chunk("length"))
        assert calls_of(found) == []
        assert isinstance(found[-1], ReplyFinished)
        assert found[-1].reason == "length"


class TestContent:
    def test_content_that_is_null_is_no_text(self) -> None:
        assert text_of(read(chunk(content=None), chunk(content="hi"), chunk("stop", content=None))) == "hi"

    def test_an_empty_text_before_a_call_is_no_text(self) -> None:
        found = read(chunk(content=""), piece("f", "{}", id="a", index=0), END)
        assert not any(isinstance(event, TextChunk) for event in found)

    def test_a_list_of_text_thinking_and_reference_gives_text_and_reasoning(self) -> None:
        found = read(
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]),
            chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "m"}]}]),
            chunk(content=[{"type": "text", "text": "So"}, {"type": "reference", "reference_ids": [1]}]),
            chunk("stop", content=" be it"),
        )
        assert text_of(found) == "So be it"
        assert [event.text for event in found if isinstance(event, ReasoningBlock)] == ["hmm"]

    @pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
    def test_reasoning_of_local_servers_is_one_block_before_the_text(self, name: str) -> None:
        found = read(chunk(**{name: "th"}), chunk(**{name: "ink"}), chunk("stop", content="hi"))
        assert isinstance(found[0], ReasoningBlock)
        assert (found[0].text, found[1]) == ("think", TextChunk("hi"))

    def test_a_refusal_is_read_as_text(self) -> None:
        assert text_of(read(chunk(refusal="No."), chunk("stop"))) == "No."

    def test_a_finish_reason_unknown_to_us_is_kept(self) -> None:
        last = read(chunk("vacation", content="hi"))[-1]
        assert isinstance(last, ReplyFinished)
        assert last.reason == "vacation"

    def test_fields_of_a_wrong_type_are_left_out(self) -> None:
        odd: dict[str, Any] = {
            "id": 3,
            "choices": [{"index": "0", "delta": {"content": "hi", "reasoning": 4, "tool_calls": {}}}],
            "usage": "?",
        }
        assert text_of(read(odd, chunk("stop"))) == "hi"

    def test_bytes_that_are_no_utf_8_are_replaced(self) -> None:
        data = events(chunk(content="hXi")).replace(b"X", b"\xff") + events(chunk("stop", True), "[DONE]")
        assert text_of(read_bytes(data)) == "h\ufffdi"

    def test_a_server_that_does_not_stream_is_read_all_the_same(self) -> None:
        whole = b'{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],\n"usage":{"prompt_tokens":1}}'
        assert text_of(read_bytes(whole)) == "hi"


class TestUsage:
    def test_usage_comes_in_a_last_chunk_without_choices(self) -> None:
        last = read(chunk("stop", content="hi"))[-1]
        assert isinstance(last, ReplyFinished)
        assert last.usage is not None
        assert (last.usage.input_tokens, last.usage.output_tokens, last.usage.total_tokens) == (7, 3, 10)

    def test_cached_and_reasoning_tokens_are_told(self) -> None:
        details = {"prompt_tokens_details": {"cached_tokens": 5}, "completion_tokens_details": {"reasoning_tokens": 2}}
        last = read_bytes(events(chunk("stop") | {"usage": USAGE | details}))[-1]
        assert isinstance(last, ReplyFinished)
        assert last.usage is not None
        assert (last.usage.cached_input_tokens, last.usage.reasoning_tokens) == (5, 2)

    def test_a_whole_reply_without_usage_fails_for_good_and_names_the_option(self) -> None:
        with pytest.raises(ModelError, match=r"stream_options\.include_usage") as caught:
            read_bytes(events(chunk("stop", content="hi"), "[DONE]"))
        assert (caught.value.code, caught.value.retryable) == ("completion_failed_permanently", False)


class TestStreamsThatBreak:
    @pytest.mark.parametrize(
        "data",
        [b"", events("[DONE]"), events(chunk(content="hi")), events(chunk(content="hi"), "[DONE]"), b": nothing\n\n"],
        ids=["empty", "only done", "cut", "no finish reason", "only comments"],
    )
    def test_a_reply_without_an_end_is_a_failed_call(self, data: bytes) -> None:
        with pytest.raises(ModelError) as caught:
            read_bytes(data)
        assert (caught.value.code, caught.value.retryable) == ("completion_failed", True)

    def test_a_chunk_that_is_no_json_is_a_failed_call(self) -> None:
        with pytest.raises(ModelError, match="no JSON") as caught:
            read_bytes(b"data: <html>\n\n")
        assert (caught.value.code, caught.value.retryable) == ("completion_failed", True)

    def test_an_error_within_the_stream_is_told_in_its_words(self) -> None:
        with pytest.raises(ModelError, match="out of memory") as caught:
            read_bytes(events(chunk(content="h"), {"error": {"message": "out of memory", "type": "oom"}}))
        assert (caught.value.code, caught.value.details) == (
            "completion_failed",
            {"reason": "oom", "provider_message": "out of memory"},
        )

    def test_an_error_beside_a_choice_is_an_error(self) -> None:
        with pytest.raises(ModelError, match="upstream died"):
            read_bytes(events(chunk("error") | {"error": {"message": "upstream died", "code": 502}}))

    def test_an_error_code_that_is_a_status_number_counts_as_that_status(self) -> None:
        with pytest.raises(ModelError) as caught:
            read_bytes(events({"error": {"message": "busy", "code": 503}}))
        assert (caught.value.code, caught.value.retryable) == ("completion_unavailable", True)

    async def test_a_connection_cut_after_some_text_fails_without_another_attempt(self) -> None:
        async with calling("openai", Stream(pieces=(events(chunk(content="hi")),), end="cut")) as caller:
            failure = await caller.failure()
            assert (failure.code, failure.retryable, caller.clock.waits) == ("completion_failed", True, [])


class TestEventStreams:
    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_any_cut_of_the_bytes_gives_the_same_events(self, size: int, end: str) -> None:
        lines = ["\ufeff: hello", "event: x", "data: one", "data:two", "", "", "id: 7", "data: t\u00e9", "", ""]
        data = end.join(lines).encode()
        splitter = EventSplitter()
        found = [event for at in range(0, len(data), size) for event in splitter.feed(data[at : at + size])]
        assert found + splitter.end() == [b"one\ntwo", "té".encode()]

    def test_an_event_that_the_end_of_the_stream_completes_counts(self) -> None:
        splitter = EventSplitter()
        assert splitter.feed(b"data: one") == []
        assert splitter.end() == [b"one"]

    @pytest.mark.parametrize("size", [1, 5, 64])
    def test_a_reply_is_the_same_however_its_bytes_are_cut(self, size: int) -> None:
        data = events(
            chunk(content="né"),
            piece("f", '{"x":"\u20ac"}', id="a", index=0),
            chunk("tool_calls", True),
            "[DONE]",
        )
        assert read_bytes(data, size) == read_bytes(data)
