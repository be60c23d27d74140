"""Tests of Markdown at a terminal: what a model wrote can be read there, whatever a browser would make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mistralai.agents.cli.chat.paper import Paper

if TYPE_CHECKING:
    from tests.cli.conftest import Project, Start


def shown(source: str) -> list[str]:
    return Paper(colours=False).markdown(source, 60)


class TestWhatABrowserWouldNotShow:
    @pytest.mark.parametrize(
        "text",
        [
            "<answer>\n42\n</answer>",
            "Use Bearer <your-key> and List<String>.",
            "<details>\n\nsecret\n\n</details>",
            "before\n<!-- for the reader -->\nafter",
            "a <b>bold</b> claim",
            "<answ",
            "[ref]: http://example.com",
        ],
    )
    def test_is_shown_as_it_was_written(self, text: str) -> None:
        assert shown(text) == text.split("\n")

    def test_is_shown_in_lists_and_tables_too(self) -> None:
        assert "<item>" in "".join(shown("- <item>"))
        assert any(
            "<x>" in row and "![a](b.png)" in row for row in shown("| k | v |\n|---|---|\n| <x> | ![a](b.png) |")
        )

    def test_of_a_block_of_code_is_what_its_first_line_says_beside_the_language(self) -> None:
        assert "title=main.py" in shown("```python title=main.py\na = 1\n```")[0]


class TestAddresses:
    @pytest.mark.parametrize(
        ("text", "row"),
        [
            ("![a cat](http://x/y.png)", "![a cat](http://x/y.png)"),
            ('![a cat](y.png "Tom")', '![a cat](y.png "Tom")'),
            ("see [the page](http://x/p)", "see the page (http://x/p)"),
            ('[the page](http://x/p "why")', 'the page (http://x/p "why")'),
            ("[http://x/p](http://x/p)", "http://x/p"),
            ("<http://x/p>", "http://x/p"),
            ("<ada@example.com>", "ada@example.com"),
            ("[![a cat](y.png)](http://x)", "![a cat](y.png) (http://x)"),
            ("[the page][ref]", "[the page][ref]"),
        ],
    )
    def test_are_written_out_where_they_are_not_the_text(self, text: str, row: str) -> None:
        assert shown(text) == [row]


class TestLineEnds:
    def test_are_where_the_model_wrote_them(self) -> None:
        assert shown("one\ntwo\\\nthree  \nfour") == ["one", "two", "three", "four"]


class TestAtATerminal:
    def test_a_tag_that_has_half_arrived_is_text_too(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('Use <your', gate, '-key>\\n<answer>\\n42\\n</answer>')")
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("Use <your")
        project.gate.open()
        terminal.ends(0)
        start = terminal.rows.index("Use <your-key>")
        assert terminal.rows[start : start + 4] == ["Use <your-key>", "<answer>", "42", "</answer>"]
