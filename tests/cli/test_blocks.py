"""Tests of cutting a Markdown text that arrives in pieces: the blocks, put together, are the text."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from mistralai.agents.cli.chat.blocks import Blocks, end_of

TEXT = """\
# Title

A paragraph
of two lines.

- one

- two
  more

1. first

2. second

```python
a = 1

b = 2
```

| a | b |
|---|---|
| 1 | 2 |

> quoted

The end.
"""
BLOCKS = [
    "# Title",
    "A paragraph\nof two lines.",
    "- one\n\n- two\n  more",
    "1. first\n\n2. second",
    "```python\na = 1\n\nb = 2\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted",
    "The end.",
]


def fed(pieces: list[str]) -> list[str]:
    blocks = Blocks()
    whole = [block for piece in pieces for block in blocks.feed(piece)]
    return [*whole, rest] if (rest := blocks.rest()) else whole


class TestBlocks:
    @pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
    def test_are_the_same_however_the_text_is_cut(self, size: int) -> None:
        assert fed([TEXT[at : at + size] for at in range(0, len(TEXT), size)]) == BLOCKS

    def test_that_are_long_are_cut_all_the_same(self) -> None:
        items = "".join(f"- item {n}\n" for n in range(500))
        after = [piece for n in range(40) for piece in ("\n", f"Paragraph {n}\n")]
        assert fed([*items.splitlines(keepends=True), *after])[0] == items.rstrip("\n")

    def test_show_their_end_while_they_are_long(self) -> None:
        code = "```python\n" + "a = 1\n" * 500
        assert end_of(code).splitlines() == ["```python", *["a = 1"] * 99]
        assert end_of("short") == "short"

    def test_at_the_end_are_what_is_left(self) -> None:
        assert fed(["> quoted\n\nThe end."]) == ["> quoted\n\nThe end."]

    def test_come_as_soon_as_the_next_one_has_begun(self) -> None:
        blocks = Blocks()
        assert blocks.feed("one\n\ntw") == []
        assert blocks.feed("o\n") == ["one"]
        assert blocks.open == "two\n"

    @given(st.lists(st.text(alphabet="a \n-#`|>1.*_~[]()", max_size=12), max_size=12))
    def test_lose_no_character_but_empty_rows(self, pieces: list[str]) -> None:
        def marks(text: str) -> str:
            return "".join(text.split())

        assert marks("".join(fed(pieces))) == marks("".join(pieces))
