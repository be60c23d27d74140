"""Histories as they are sent: every repair is made here, and the strict rules accept what comes out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from mistralai.agents.authoring.model import (
    AssistantMessage,
    ModelMessage,
    ModelTool,
    ModelToolCall,
    OutputFormat,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from mistralai.agents.models.anthropic_dialect import AnthropicDialect
from mistralai.agents.models.chat_dialect import MistralDialect, OpenAIDialect
from mistralai.agents.testing.provider_rules import violations
from tests.models.calling import request

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject, ModelRequest
    from mistralai.agents.models.dialect import Dialect

MODES = ["mistral", "openai", "anthropic"]
DIALECTS: dict[str, Dialect] = {
    "mistral": MistralDialect(),
    "openai": OpenAIDialect(),
    "anthropic": AnthropicDialect(),
}
KEYS = {f"{name.upper()}_API_KEY": "k" for name in MODES}
PNG = "data:image/png;base64,iVBORw0="


def sent_bytes(mode: str, asked: ModelRequest) -> bytes:
    dialect = DIALECTS[mode]
    body = dialect.body(asked, dialect.endpoint(KEYS))
    data = b"".join(body.pieces)
    assert len(data) == body.size
    return data


def sent(mode: str, *messages: ModelMessage, **changes: Any) -> JsonObject:
    """The request's JSON, which the provider of the mode accepts."""
    body: JsonObject = json.loads(sent_bytes(mode, request(messages=list(messages), **changes)))
    assert violations(mode, body) == []
    return body


def call(id: str, arguments: str = "{}", name: str = "f") -> ModelToolCall:
    return ModelToolCall(id=id, name=name, arguments=arguments)


def asks(*calls: ModelToolCall, text: str = "", reasoning: tuple[JsonObject, ...] = ()) -> AssistantMessage:
    return AssistantMessage(text=text, tool_calls=calls, reasoning=reasoning)


def result(id: str, content: str | list[JsonObject] = "ok", *, is_error: bool = False) -> ToolMessage:
    return ToolMessage(tool_call_id=id, name="f", content=content, is_error=is_error)


def results(ids: str) -> list[ToolMessage]:
    return [result(id) for id in ids]


USER = UserMessage(content="hi")


class TestMistral:
    def test_ids_become_nine_alphanumerics_and_stay_the_same(self) -> None:
        history: list[ModelMessage] = [
            USER,
            asks(call("call_one"), call("abcdefgh1")),
            result("call_one"),
            result("abcdefgh1"),
        ]
        first, again = sent("mistral", *history), sent("mistral", *history)
        ids = [one["id"] for one in first["messages"][2]["tool_calls"]]
        assert ids[1] == "abcdefgh1"
        assert [message["tool_call_id"] for message in first["messages"][3:]] == ids
        assert again == first

    def test_an_id_never_takes_the_place_of_another(self) -> None:
        taken = sent("mistral", USER, asks(call("x")), result("x"))["messages"][2]["tool_calls"][0]["id"]
        body = sent("mistral", USER, asks(call("x"), call(taken)), result("x"), result(taken))
        assert len({asked["id"] for asked in body["messages"][2]["tool_calls"]}) == 2

    def test_a_user_message_straight_after_a_result_gets_an_assistant_message_between(self) -> None:
        body = sent("mistral", USER, asks(call("a")), result("a"), UserMessage(content="and now sum up"))
        assert [message["role"] for message in body["messages"][-3:]] == ["tool", "assistant", "user"]

    def test_a_history_that_ends_with_the_assistant_gets_a_user_message_for_this_call_only(self) -> None:
        asked = request(messages=[USER, AssistantMessage(text="hello")])
        assert json.loads(sent_bytes("mistral", asked))["messages"][-1] == {"role": "user", "content": "Continue."}
        asked.messages = [*asked.messages, UserMessage(content="go on")]
        roles = [message["role"] for message in json.loads(sent_bytes("mistral", asked))["messages"]]
        assert roles == ["system", "user", "assistant", "user"]

    def test_images_of_a_result_follow_in_a_message_of_their_own(self) -> None:
        body = sent(
            "mistral",
            USER,
            asks(call("a")),
            result("a", [{"type": "text", "text": "see"}, {"type": "image", "uri": PNG}]),
        )
        assert body["messages"][-3]["content"].startswith("see\n")
        assert body["messages"][-1]["content"][1] == {"type": "image_url", "image_url": {"url": PNG}}


@pytest.mark.parametrize("mode", MODES)
class TestEveryProvider:
    def test_an_empty_assistant_message_is_never_sent(self, mode: str) -> None:
        body = sent(mode, USER, AssistantMessage(text=" \n"), UserMessage(content="still there?"))
        assert "assistant" not in [message["role"] for message in body["messages"]]

    def test_a_call_without_a_result_gets_one_and_a_result_without_its_call_is_left_out(self, mode: str) -> None:
        odd = [result("b"), result("b", "twice"), result("c")]
        body = sent(mode, USER, asks(call("a"), call("b")), *odd, USER, result("a"))
        said = json.dumps(body["messages"])
        assert said.count("No result of this call was recorded.") == 1
        assert "twice" not in said

    def test_lone_surrogates_and_nul_do_not_break_the_request(self, mode: str) -> None:
        odd = "a\ud800b\x00c\ud83d\ude00"
        body = sent(
            mode,
            UserMessage(content=odd),
            asks(call("\ud800", arguments=odd, name=odd), text=odd),
            result("\ud800", odd),
            instructions=odd,
        )
        assert "a\ufffdb\ufffdc\U0001f600" in json.dumps(body["messages"], ensure_ascii=False)

    def test_arguments_that_do_not_parse_are_quoted_in_an_object(self, mode: str) -> None:
        body = sent(mode, USER, asks(call("a", '{"x": tru'), call("b", "[1]"), call("c", "")), *results("abc"))
        assert json.dumps(body).count("invalid_arguments") == 2

    def test_a_name_the_model_made_up_is_sent_in_allowed_letters(self, mode: str) -> None:
        sent(
            mode,
            USER,
            asks(call("a", name="fancy.tool name/é"), call("b", name=""), call("c", name="x" * 99)),
            *results("abc"),
        )

    def test_leading_system_messages_join_the_instructions(self, mode: str) -> None:
        body = sent(mode, SystemMessage(text="One."), SystemMessage(text="Two."), USER)
        system = body["system"][0]["text"] if mode == "anthropic" else body["messages"][0]["content"]
        assert system == "Be brief.\n\nOne.\n\nTwo."

    def test_a_late_system_message_is_sent_where_none_is_taken(self, mode: str) -> None:
        body = sent(mode, USER, asks(call("a")), result("a"), SystemMessage(text="Hurry."), USER)
        assert "Hurry." in json.dumps(body["messages"])

    def test_images_of_the_user_are_sent_as_data_and_as_address(self, mode: str) -> None:
        blocks: list[JsonObject] = [
            {"type": "image", "uri": PNG},
            {"type": "image", "uri": "https://example.com/a.png"},
        ]
        parts = json.dumps(sent(mode, UserMessage(content=blocks))["messages"])
        assert "iVBORw0=" in parts
        assert "https://example.com/a.png" in parts

    def test_what_no_provider_takes_is_said_in_words(self, mode: str) -> None:
        blocks: list[JsonObject] = [
            {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"},
            {"type": "resource", "uri": "file:///b.txt", "text": "inside b"},
            {"type": "hologram", "uri": "data:x/y;base64,AAAA"},
        ]
        said = json.dumps(sent(mode, UserMessage(content=blocks))["messages"])
        assert "a.txt" in said
        assert "inside b" in said
        assert "AAAA" not in said

    def test_no_instructions_and_no_messages_before_the_first(self, mode: str) -> None:
        body = sent(mode, USER, instructions="")
        assert [message["role"] for message in body["messages"]] == ["user"]

    def test_a_history_that_starts_with_the_assistant_is_accepted(self, mode: str) -> None:
        sent(mode, AssistantMessage(text="Welcome."), USER, instructions="")

    def test_a_rewritten_history_is_encoded_anew(self, mode: str) -> None:
        asked = request(messages=[USER, AssistantMessage(text="hello"), USER])
        sent_bytes(mode, asked)
        asked.messages = [UserMessage(content="the summary"), UserMessage(content="next")]
        body = json.loads(sent_bytes(mode, asked))
        assert "hello" not in json.dumps(body)
        assert "the summary" in json.dumps(body)

    def test_tools_and_output_are_asked_for(self, mode: str) -> None:
        tools = [ModelTool(name="f", description="Does it.", input_schema={"type": "object", "properties": {}})]
        output = OutputFormat(name="Case[int]", schema={"type": "object", "properties": {"n": {"type": "integer"}}})
        body = sent(mode, USER, tools=tools, output=output, tool_choice="none", max_output_tokens=50)
        if mode == "anthropic":
            assert body["tools"][0]["input_schema"] == tools[0].input_schema
            assert '"integer"' in body["system"][0]["text"]
        else:
            assert body["tools"][0]["function"]["parameters"] == tools[0].input_schema
            assert body["response_format"]["json_schema"]["name"] == "Case_int_"


@pytest.mark.parametrize("mode", ["mistral", "anthropic"])
def test_a_request_without_any_message_gets_one(mode: str) -> None:
    assert [message["role"] for message in sent(mode)["messages"]][-1] == "user"


class TestReasoningEffort:
    @pytest.mark.parametrize(("effort", "expected"), [("off", "none"), ("medium", "high"), ("max", "high")])
    def test_mistral_knows_none_and_high(self, effort: str, expected: str) -> None:
        assert sent("mistral", USER, reasoning_effort=effort)["reasoning_effort"] == expected

    @pytest.mark.parametrize(("effort", "expected"), [("off", "none"), ("low", "low"), ("max", "xhigh")])
    def test_openai_has_names_of_its_own_for_the_ends(self, effort: str, expected: str) -> None:
        assert sent("openai", USER, reasoning_effort=effort)["reasoning_effort"] == expected

    def test_anthropic_gets_a_budget_below_the_output_bound(self) -> None:
        body = sent("anthropic", USER, model="claude-sonnet-4-20250514", reasoning_effort="max", max_output_tokens=100)
        assert body["thinking"] == {"type": "enabled", "budget_tokens": 32000}

    def test_newer_anthropic_models_choose_themselves(self) -> None:
        body = sent("anthropic", USER, model="claude-opus-4-7", reasoning_effort="low")
        assert (body["thinking"], body["output_config"]) == ({"type": "adaptive"}, {"effort": "low"})

    def test_anthropic_thinks_only_when_asked(self) -> None:
        assert "thinking" not in sent("anthropic", USER, model="claude-opus-4-7", reasoning_effort="off")


class TestReasoningSentBack:
    def test_anthropic_gets_its_signed_thinking_back_first(self) -> None:
        thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
        foreign = {"type": "reasoning_content", "text": "hm"}
        body = sent("anthropic", USER, asks(call("a"), text="so", reasoning=(thinking, foreign)), result("a"))
        assert [block["type"] for block in body["messages"][1]["content"]] == ["thinking", "text", "tool_use"]

    def test_a_local_server_gets_the_reasoning_of_a_calling_message_back(self) -> None:
        reasoning: tuple[JsonObject, ...] = ({"type": "reasoning_content", "text": "hm"},)
        assert (
            sent("openai", USER, asks(call("a"), reasoning=reasoning), result("a"))["messages"][2]["reasoning_content"]
            == "hm"
        )

    def test_mistral_gets_none(self) -> None:
        reasoning: tuple[JsonObject, ...] = ({"type": "thinking", "text": "hm"},)
        assert "hm" not in json.dumps(sent("mistral", USER, asks(call("a"), reasoning=reasoning), result("a")))


class TestAnthropicResults:
    def test_results_of_one_reply_are_one_message_with_their_images_and_errors(self) -> None:
        image: list[JsonObject] = [{"type": "image", "uri": PNG}]
        body = sent("anthropic", USER, asks(call("a"), call("b")), result("a", image), result("b", "", is_error=True))
        first, second = body["messages"][2]["content"]
        assert first["content"][0]["source"]["data"] == "iVBORw0="
        assert second["is_error"] is True


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


texts = st.text(st.characters(exclude_categories=()), max_size=12)
contents = st.one_of(
    texts,
    st.lists(
        st.one_of(
            st.builds(text_block, texts),
            st.just({"type": "image", "uri": PNG}),
            st.just({"type": "resource_link", "uri": "file:///x", "name": "x"}),
        ),
        max_size=3,
    ),
)


@st.composite
def histories(draw: st.DrawFn) -> list[list[ModelMessage]]:
    """Histories as the loop makes them and worse, in the steps between which the model is called."""
    steps: list[list[ModelMessage]] = []
    leading = [SystemMessage(text=draw(texts)) for _ in range(draw(st.integers(0, 2)))]
    steps.append([*leading, UserMessage(content=draw(contents))])
    for _ in range(draw(st.integers(0, 6))):
        ids = draw(st.lists(st.one_of(texts, st.sampled_from(["null", "abcdefgh1"])), max_size=3, unique=True))
        calls = tuple(call(id, draw(st.one_of(texts, st.just('{"x":1}'))), draw(texts)) for id in ids)
        step: list[ModelMessage] = [AssistantMessage(text=draw(texts), tool_calls=calls)]
        ended = (
            draw(st.permutations(ids)) if draw(st.booleans()) else draw(st.lists(texts, max_size=3))
        )  # lost, foreign
        step += [result(id, draw(contents), is_error=draw(st.booleans())) for id in ended]
        if not ids or draw(st.booleans()):
            step.append(draw(st.one_of(st.builds(UserMessage, content=contents), st.builds(SystemMessage, text=texts))))
        steps.append(step)
    return steps


@pytest.mark.parametrize("mode", MODES)
class TestAnyHistory:
    @settings(deadline=None, max_examples=150)
    @given(steps=histories(), instructions=texts)
    def test_is_accepted_and_its_bytes_only_grow_at_the_end(
        self, mode: str, steps: list[list[ModelMessage]], instructions: str
    ) -> None:
        asked = request(messages=[], instructions=instructions)
        before = b""
        for step in steps:
            asked.messages = [*asked.messages, *step]
            body = sent_bytes(mode, asked)
            assert violations(mode, json.loads(body)) == []
            assert body.startswith(before.removesuffix(b"]}"))
            before = body

    def test_a_long_history_is_a_few_buffers(self, mode: str) -> None:
        asked = request(messages=[USER])
        dialect = DIALECTS[mode]
        body = dialect.body(asked, dialect.endpoint(KEYS))
        for number in range(1000):
            asked.messages = [*asked.messages, AssistantMessage(text=f"Number {number}."), USER]
            body = dialect.body(asked, dialect.endpoint(KEYS))
        assert len(body.pieces) < 20
        assert len(cast("list[Any]", msgspec.json.decode(b"".join(body.pieces))["messages"])) >= 2001
