"""Whatever a session goes through, each provider takes the history that comes of it, and its prefix never changes."""

from __future__ import annotations

import asyncio
import json
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mistralai import agents
from mistralai.agents.models.anthropic_dialect import AnthropicDialect
from mistralai.agents.models.chat_dialect import MistralDialect, OpenAIDialect
from mistralai.agents.models.client import ModelClient
from mistralai.agents.models.history import EncodedHistory
from mistralai.agents.models.providers import provider
from mistralai.agents.testing.provider_rules import violations
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer
from tests.support.playing import Made, Move, Turn, play

if TYPE_CHECKING:
    from mistralai.agents.models.dialect import Dialect

MODES = ("mistral", "openai", "anthropic")
DIALECTS: dict[str, Dialect] = {
    "mistral": MistralDialect(),
    "openai": OpenAIDialect(),
    "anthropic": AnthropicDialect(),
}
KEYS = {f"{name.upper()}_API_KEY": "k" for name in MODES}

odd_text = st.one_of(
    st.sampled_from(["", " ", "\n\t", "Hello.", "\x00", "a\x00b", "\ud83d", "\ud83d\ude00", "ends in space ", "é" * 9]),
    st.text(max_size=8),
)
arguments = st.one_of(
    st.sampled_from(
        ["{}", "", '{"value": 1}', "{broken", "[1]", '"text"', "null", '{"value": "\\ud83d"}', '{"value": 1e999}']
    ),
    st.recursive(st.none() | st.integers() | odd_text, st.lists).map(lambda value: json.dumps({"value": value})),
)
made = st.builds(
    Made,
    name=st.sampled_from(["works", "works", "fails", "denied", "unknown", "no.such tool", "", "x" * 80, "é"]),
    arguments=arguments,
    id=st.sampled_from(["call_1", "call_1", "null", "", "abcdefghi", "x" * 70, "a b", "tool-2", "é"]),
)
moves = st.builds(
    Move,
    text=odd_text,
    calls=st.lists(made, max_size=3).map(tuple),
    finish=st.sampled_from(["stop", "tool_calls", "length", "content_filter", "odd"]),
    large=st.integers(0, 3).map(lambda number: number == 0),
    refused=st.integers(0, 6).map(lambda number: number == 0),
    broken=st.integers(0, 9).map(lambda number: number == 0),
    steer=st.none() | st.none() | odd_text.filter(str.strip),
    interrupt=st.integers(0, 6).map(lambda number: number == 0),
    verdict=st.sampled_from(
        [None, None, None, agents.retry("Again."), agents.reject("No."), agents.hook.PostLLMCallHookAccept(content="")]
    ),
)
turns = st.lists(
    st.builds(
        Turn,
        message=odd_text.filter(str.strip),
        moves=st.lists(moves, max_size=6).map(tuple),
        skipped=st.integers(0, 5).map(lambda number: number == 0),
    ),
    max_size=4,
).map(tuple)
call_ids = st.sampled_from(["a", "b", "abcdefghi"])
imported = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "type": st.just("message"),
                "role": st.sampled_from(["system", "user", "assistant"]),
                "content": odd_text.map(lambda text: [{"type": "text", "text": text}]),
            }
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("tool_call"),
                "tool_call_id": call_ids,
                "name": st.sampled_from(["works", "gone away"]),
                "arguments": st.just({"a": 1}),
            }
        ),
        st.fixed_dictionaries({"type": st.just("tool_result"), "tool_call_id": call_ids, "result": odd_text}),
        st.fixed_dictionaries({"type": st.just("reasoning"), "text": st.just("hm")}),
    ),
    max_size=6,
)


class Watch:
    """Encodes each request for every provider the way a session does, and again from nothing."""

    def __init__(self) -> None:
        self.wires: dict[str, dict[str, Any]] = {mode: {} for mode in MODES}
        self.sent: dict[str, bytes] = {}
        self.last: agents.ModelRequest | None = None
        self.problems: list[AssertionError] = []
        """What went wrong: raised in a model's stream, it would just fail the turn."""

    def __call__(self, request: agents.ModelRequest) -> None:
        try:
            self._look(request)
        except AssertionError as error:
            self.problems.append(error)

    def check(self) -> agents.ModelRequest:
        """Raise the first problem; return the last request."""
        if self.problems:
            raise self.problems[0]
        assert self.last is not None
        return self.last

    def _look(self, request: agents.ModelRequest) -> None:
        rewritten = not request.wire
        request.wire["watched"] = True
        for mode, dialect in DIALECTS.items():
            if rewritten:
                self.wires[mode] = {}
            endpoint = dialect.endpoint(KEYS)
            body = b"".join(dialect.body(_with(request, self.wires[mode]), endpoint).pieces)
            assert body == b"".join(dialect.body(_with(request, {}), endpoint).pieces), (
                f"{mode}: not what it is from nothing"
            )
            sent = json.loads(body)
            assert violations(mode, sent) == [], mode
            ids = [made["id"] for message in sent["messages"] for made in _calls(message)]
            assert len(ids) == len(set(ids)), f"{mode}: two calls of one id"
            if request.messages and getattr(request.messages[-1], "context", None) == "compaction":
                continue
            history = self.wires[mode][mode]
            assert isinstance(history, EncodedHistory)
            messages = b"".join(history.segments)
            if not rewritten:
                assert messages.startswith(self.sent[mode]), f"{mode}: the prefix has changed"
            self.sent[mode] = messages
        self.last = _with(request, {})


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    if "tool_calls" in message:
        made: list[dict[str, Any]] = message["tool_calls"]
        return made
    content: str | list[dict[str, Any]] = message["content"]
    return [block for block in content if block["type"] == "tool_use"] if isinstance(content, list) else []


def _with(request: agents.ModelRequest, wire: dict[str, Any]) -> agents.ModelRequest:
    kept = copy(request)
    kept.wire = wire
    kept.messages = list(request.messages)
    return kept


class TestAnyHistoryThatTheLoopCanMake:
    @settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(turns=turns, history=imported)
    def test_is_taken_by_every_provider_and_keeps_its_prefix(
        self, turns: tuple[Turn, ...], history: list[dict[str, Any]]
    ) -> None:
        asyncio.run(self._play(turns, history))

    async def _play(self, turns: tuple[Turn, ...], history: list[dict[str, Any]]) -> None:
        watch = Watch()
        await (await play(turns, watch, history)).cancel()
        watch.check()

    @pytest.mark.parametrize("mode", MODES)
    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(turns=turns)
    def test_is_taken_by_the_strict_server_over_http(self, mode: Any, turns: tuple[Turn, ...]) -> None:
        asyncio.run(self._send(mode, turns))

    async def _send(self, mode: Any, turns: tuple[Turn, ...]) -> None:
        watch = Watch()
        await (await play(turns, watch)).cancel()
        last = watch.check()
        client = ModelClient()
        async with StrictProvider(mode, Answer(text="Yes.")) as server:
            try:
                model = provider(mode, client, server.environ)
                events = [event async for event in model.stream(last)]
            finally:
                await client.close()
            assert server.violations == []
        assert agents.TextChunk("Yes.") in events
