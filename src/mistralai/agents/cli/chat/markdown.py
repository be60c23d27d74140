"""Markdown as a conversation shows it: headings at the left, code indented and in the terminal's own colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from mistralai.agents.cli.chat.grammar import tokens_to_show

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import Console, ConsoleOptions, RenderResult

THEME = "ansi_dark"


class LeftHeading(Heading):
    """A heading that is neither centred nor boxed."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = "bold underline" if self.tag == "h1" else "bold"
        yield Text(self.text.plain, style)


class IndentedCode(CodeBlock):
    """Code without a background, which long lines leave visibly."""

    about: str = ""
    """What its first line says beside the language."""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> IndentedCode:
        """Return the code of a token."""
        language, _, about = token.info.strip().partition(" ")
        made = cls(language or "text", THEME)
        made.about = about.strip()
        return made

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        if self.about:
            yield Text(self.about, "dim")
        highlighted = Syntax(code, self.lexer_name, theme=THEME, word_wrap=True, background_color="default")
        yield Padding(highlighted, (0, 0, 0, 2))


class ChatMarkdown(Markdown):
    """A Markdown text. Nothing of it is left out: HTML stands there as it was written, and so do addresses."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": LeftHeading,
        "fence": IndentedCode,
        "code_block": IndentedCode,
    }

    def __init__(self, source: str, **options: Any) -> None:
        super().__init__("", code_theme=THEME, hyperlinks=False, **options)
        self.markup = source
        self.parsed: list[Token] = tokens_to_show(source)
