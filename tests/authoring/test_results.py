"""What a tool's value becomes, and what a model or a program reads of it."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, Field

from mistralai.agents.authoring.call_errors import OutputMismatch
from mistralai.agents.authoring.results import encode_value, model_text, program_value
from mistralai.agents.authoring.tool import Tool, tool
from mistralai.agents.values.content import (
    AudioContentBlock,
    ContentAnnotations,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceLinkContentBlock,
    TextContentBlock,
)
from mistralai.agents.values.tool_result import ToolResult

PIXEL = "https://example.com/pixel.png"
HIDDEN = ContentAnnotations(audience=["user"])


class Color(enum.Enum):
    RED = "red"


class Case(BaseModel):
    id: str
    opened: date = Field(alias="openedOn")


@dataclass
class Point:
    x: int


def result(**parts: Any) -> ToolResult[Any]:
    return ToolResult(**parts)


def returning(hint: Any, **options: Any) -> Tool[..., Any]:
    def f() -> Any: ...

    f.__annotations__["return"] = hint
    declared: Tool[..., Any] = tool(**options)(f)
    return declared


class TestWhatTheModelReads:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("CASE-1\nover two lines", "CASE-1\nover two lines"),
            ("", ""),
            (None, "null"),
            (False, "false"),
            (0, "0"),
            ({"b": [1, "é"], "a": None}, '{"b":[1,"é"],"a":null}'),
            ([], "[]"),
            (Case(id="1", openedOn=date(2026, 1, 2)), '{"id":"1","openedOn":"2026-01-02"}'),
            ([Point(1)], '[{"x":1}]'),
            (Color.RED, "red"),
            (date(2026, 1, 2), "2026-01-02"),
            ({"nested": {Color.RED: {1}}}, '{"nested":{"red":[1]}}'),
        ],
    )
    def test_of_a_value(self, value: Any, text: str) -> None:
        assert model_text(encode_value(value)) == text

    def test_of_a_text_block_is_its_text(self) -> None:
        assert model_text(encode_value(TextContentBlock(text="a"))) == "a"
        assert model_text(encode_value([TextContentBlock(text="a"), TextContentBlock(text="b")])) == "a\nb"

    def test_of_an_image_is_blocks(self) -> None:
        encoded = encode_value([TextContentBlock(text="See:"), ImageContentBlock(uri=PIXEL, alt_text="dot")])
        assert model_text(encoded) == [
            {"type": "text", "text": "See:"},
            {"type": "image", "uri": PIXEL, "alt_text": "dot"},
        ]

    def test_of_a_block_that_is_not_for_it_is_nothing(self) -> None:
        blocks = [TextContentBlock(text="a"), ImageContentBlock(uri=PIXEL, annotations=HIDDEN)]
        assert model_text(encode_value(blocks)) == "a"
        assert model_text(encode_value(TextContentBlock(text="x", annotations=HIDDEN))) == ""

    def test_of_other_blocks_is_a_text_about_them(self) -> None:
        said = model_text(
            encode_value(
                [
                    ResourceLinkContentBlock(uri="file:///a.txt", name="a.txt"),
                    EmbeddedResourceContentBlock(uri="file:///b", text="the b"),
                    AudioContentBlock(uri="https://example.com/a.wav", media_type="audio/wav"),
                ]
            )
        )
        assert said == "a.txt <file:///a.txt>\nthe b\n[audio/wav content, which cannot be shown here]"

    def test_of_a_tool_result_is_its_content_and_else_its_data(self) -> None:
        assert model_text(encode_value(result(content="short", structured={"long": 1}))) == "short"
        assert model_text(encode_value(result(structured={"long": 1}))) == '{"long":1}'
        assert model_text(encode_value(result(content=[{"type": "text", "text": "a"}]))) == "a"


class TestWhatAProgramReads:
    def test_is_the_data_and_else_the_text(self) -> None:
        assert program_value(encode_value({"a": 1})) == {"a": 1}
        assert program_value(encode_value("CASE-1")) == "CASE-1"
        assert program_value(encode_value(result(content="short", structured=0))) == 0
        assert program_value(encode_value(None)) is None
        assert program_value(encode_value(ImageContentBlock(uri=PIXEL))) == [{"type": "image", "uri": PIXEL}]


class TestAnEncodedResult:
    def test_is_plain_json(self) -> None:
        encoded = encode_value(
            result(content=TextBlocks, structured={Color.RED: Point(1)}, metadata={"m": 1}, is_error=True)
        )
        assert encoded.content == ({"type": "text", "text": "a", "annotations": {"audience": ["user"]}},)
        assert encoded.structured == {"red": {"x": 1}}
        assert encoded.metadata == {"m": 1}
        assert encoded.is_error

    def test_takes_blocks_in_either_spelling(self) -> None:
        encoded = encode_value(result(content=[{"type": "image", "uri": PIXEL, "mediaType": "image/png"}]))
        assert encoded.content == ({"type": "image", "uri": PIXEL, "media_type": "image/png"},)

    def test_of_what_json_cannot_hold_is_a_type_error(self) -> None:
        with pytest.raises(TypeError, match="A object cannot be turned into JSON"):
            encode_value(object())
        with pytest.raises(TypeError, match="not a content block"):
            encode_value(result(content=[{"type": "image"}]))

    @pytest.mark.parametrize("value", ["caf\udce9", {"name\ud800": ["caf\udce9"]}, result(content="\ud800")])
    def test_of_half_a_character_can_be_sent(self, value: Any) -> None:
        encoded = encode_value(value)
        json.dumps([encoded.content, encoded.structured], ensure_ascii=False).encode()
        assert "?" in str(model_text(encoded))

    def test_of_a_number_that_json_has_no_word_for_is_null(self) -> None:
        assert model_text(encode_value([float("nan"), 10**30])) == "[null,1000000000000000000000000000000]"
        assert model_text(returning(list[float]).encode_result([float("inf")])) == "[null]"
        assert model_text(encode_value(["NaN"])) == '["NaN"]'

    def test_of_a_block_class_of_the_user_is_content(self) -> None:
        class Note(TextContentBlock):
            pass

        assert model_text(encode_value(Note(text="x"))) == "x"

    def test_of_a_value_that_holds_itself_is_a_type_error(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        with pytest.raises(TypeError):
            encode_value(loop)


TextBlocks = [TextContentBlock(text="a", annotations=HIDDEN)]


class TestAResultAndItsReturnType:
    def test_that_fits_is_encoded_by_the_type(self) -> None:
        assert returning(Case).encode_result({"id": "1", "openedOn": "2026-01-02"}).structured == {
            "id": "1",
            "openedOn": "2026-01-02",
        }
        assert returning(float).encode_result(3).structured == 3.0
        assert model_text(returning(str).encode_result("x")) == "x"
        assert returning(str | None).encode_result(None).structured is None

    def test_that_does_not_fit_is_a_mismatch_that_does_not_show_the_value(self) -> None:
        with pytest.raises(OutputMismatch) as caught:
            returning(dict[str, int]).encode_result({"password": "hunter2"})
        assert "password: Input should be a valid integer" in str(caught.value)
        assert "hunter2" not in str(caught.value)

    def test_in_a_tool_result_is_checked_in_its_structured_part(self) -> None:
        declared = returning(ToolResult[int])
        encoded = declared.encode_result(result(content="three", structured=3, metadata={"m": 1}))
        assert (encoded.structured, encoded.metadata) == (3, {"m": 1})
        with pytest.raises(OutputMismatch):
            declared.encode_result(result(structured="three"))
        assert declared.encode_result(result(content="failed", is_error=True)).is_error

    def test_may_be_content_whatever_the_hint_says(self) -> None:
        assert model_text(returning(int).encode_result(TextContentBlock(text="x"))) == "x"


class TestAResultAndItsOutputSchema:
    SCHEMA: ClassVar[Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

    def test_that_fits_passes(self) -> None:
        assert returning(Any, output_schema=self.SCHEMA).encode_result({"n": 1}).structured == {"n": 1}

    def test_that_does_not_fit_is_a_mismatch(self) -> None:
        with pytest.raises(OutputMismatch, match="n: should be integer, not a string"):
            returning(Any, output_schema=self.SCHEMA).encode_result({"n": "x"})

    def test_of_text_is_checked_as_a_string(self) -> None:
        declared = returning(Any, output_schema={"type": "string", "maxLength": 3})
        assert model_text(declared.encode_result("abc")) == "abc"
        with pytest.raises(OutputMismatch, match="at most 3 characters"):
            declared.encode_result("abcd")

    def test_allows_a_return_type_that_pydantic_cannot_describe(self) -> None:
        class Opaque: ...

        assert returning(Opaque, output_schema=self.SCHEMA).output_schema == self.SCHEMA
