"""The Markdown that a conversation reads: what it would not show is text, and so are the addresses of links."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NOT_SHOWN = ["html_block", "html_inline", "reference"]
"""Rules for what a browser makes of it and a terminal cannot. Without them `<your-key>` is what the model wrote."""


@cache
def parser() -> MarkdownIt:
    """Return the parser of every text."""
    return MarkdownIt().enable(["strikethrough", "table"]).disable(_NOT_SHOWN)


def tokens_to_show(text: str) -> list[Token]:
    """Return what a text consists of, with its line ends kept, and images and addresses as text."""
    tokens = parser().parse(text)
    for token in tokens:
        if token.children is not None:
            token.children = list(_shown(token.children))
    return tokens


def _shown(tokens: Iterable[Token]) -> Iterator[Token]:
    """The parts of a row, in each of which links may hold images but no links."""
    address, said = "", ""
    for token in tokens:
        match token.type:
            case "softbreak":
                yield Token("hardbreak", "br", 0)
            case "image":
                yield _text(f"![{token.content}]({_target(token, 'src')})")
            case "link_open":
                address, said = "" if token.markup == "autolink" else _target(token, "href"), ""
            case "link_close":
                if address and said != address:
                    yield _text(f" ({address})")
                address = ""
            case _:
                said += token.content
                yield token


def _target(token: Token, name: str) -> str:
    address, title = token.attrs.get(name, ""), token.attrs.get("title")
    return f'{address} "{title}"' if title else str(address)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
