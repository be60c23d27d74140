"""Tests of what a turn takes as its input."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.content import AudioContentBlock, ImageContentBlock, TextContentBlock
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.turn_input import parse_turn_input

from .samples import IMAGE, TEXT, UNKNOWN_BLOCK


class TestTheInputOfATurn:
    def test_may_be_a_text(self) -> None:
        assert parse_turn_input(" hi ") == (TextContentBlock(text=" hi "),)

    def test_may_be_blocks_and_dicts(self) -> None:
        given: list[Any] = [TEXT, {"type": "image", "uri": "https://example.com", "altText": "x"}, IMAGE]
        assert parse_turn_input(given) == (TEXT, ImageContentBlock(uri="https://example.com", alt_text="x"), IMAGE)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ([TEXT, UNKNOWN_BLOCK], r"content\[1\].*'video'"),
            ([{"type": "video"}], r"content\[0\].*'video'"),
            ([AudioContentBlock(uri="u")], r"content\[0\].*'audio'"),
            ([{"type": "image"}], r"content\[0\].*uri"),
            ([3], r"content\[0\]"),
            ([], "empty"),
            (3, "int"),
            (None, "NoneType"),
            (b"x", "bytes"),
            ({"type": "text"}, "dict"),
        ],
    )
    def test_that_is_anything_else_is_refused_by_name(self, given: Any, message: str) -> None:
        with pytest.raises(SdkError, match=message):
            parse_turn_input(given)
