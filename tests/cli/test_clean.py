"""Tests of making text safe to show."""

from __future__ import annotations

import pytest

from mistralai.agents.cli.chat.clean import clean, has_unseen, one_row, shown_json


class TestCleaning:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a\x1b[31mb\x1b[0m", "a[31mb[0m"),
            ("a\x9b2Jb\x07", "a2Jb"),
            ("one\r\ntwo\tthree\n", "one\ntwo\tthree\n"),
            ("over\rwritten", "overwritten"),
            ("日本 é 👩‍🚀", "日本 é 👩‍🚀"),
        ],
    )
    def test_takes_out_what_steers_a_terminal_and_nothing_else(self, text: str, shown: str) -> None:
        assert clean(text) == shown

    def test_one_row_has_no_line_end(self) -> None:
        assert one_row(" a\n b\t\x1bc ") == "a b c"


class TestShownJson:
    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ({"path": "日本"}, '{"path": "日本"}'),
            ("safe\u202egnp.exe", '"safe\\u202egnp.exe"'),
            ("a\u200bb", '"a\\u200bb"'),
            ("\x9b", '"\\u009b"'),
            ("\ud800", '"\\ud800"'),
            ("tag\U000e0041", '"tag\\U000e0041"'),
            ("a\u00a0b\u2028c", '"a\\u00a0b\\u2028c"'),
            ("👩\u200d🚀\ufe0f", '"👩\\u200d🚀\\ufe0f"'),
        ],
    )
    def test_writes_out_what_would_not_be_seen(self, value: object, shown: str) -> None:
        assert shown_json(value) == shown

    @pytest.mark.parametrize(
        "char", "\u00ad\u034f\u061c\u115f\u180e\u2028\u2800\u3000\u3164\ue000\ufe0f\uffa0\uffff\U0001d159\U000e0101\x7f"
    )
    def test_writes_out_each_character_that_nothing_is_drawn_for(self, char: str) -> None:
        assert shown_json(char) == f'"\\u{ord(char):04x}"' or shown_json(char) == f'"\\U{ord(char):08x}"'
        assert has_unseen(f"a{char}b")

    def test_says_whether_anything_would_not_be_seen(self) -> None:
        assert not has_unseen("two\nrows 日本")
        assert has_unseen("a\u2066b")
        assert has_unseen("a\x1bb")
