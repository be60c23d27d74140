"""Rich's rendering as text with colour codes, at a width: what goes to the terminal and what is still being written."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.text import Text
from rich.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType
    from rich.style import Style

    from mistralai.agents.cli.chat.face import Kind

# The sixteen colours of the terminal's own theme: readable on its background, whatever that is.
STYLES: dict[Kind, str] = {
    "user": "bold",
    "text": "",
    "tool": "cyan",
    "question": "bold yellow",
    "note": "dim",
    "page": "dim",
    "failed": "red",
    "end": "dim",
}


CODE = Theme({"markdown.code": "cyan", "markdown.item.bullet": "dim", "markdown.item.number": "dim"})


class Paper:
    """Renders for one terminal."""

    def __init__(self, *, colours: bool) -> None:
        self._colours = colours
        self._console = Console(
            file=StringIO(),
            force_terminal=True,
            color_system="standard",
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            theme=CODE,
        )

    def markdown(self, source: str, width: int) -> list[str]:
        """Return the rows of a Markdown text, without empty ones around it."""
        from mistralai.agents.cli.chat.markdown import ChatMarkdown

        rows = self._rows(ChatMarkdown(source), width)
        while rows and not rows[-1]:
            rows.pop()
        return rows[next((at for at, row in enumerate(rows) if row), 0) :]

    def line(self, kind: Kind, text: str, width: int, *, cut: bool = False) -> list[str]:
        """Return the rows of a line; only the first, with a mark where it was longer, for `cut`."""
        styled = Text(text, STYLES[kind], overflow="ellipsis" if cut else "fold", no_wrap=cut)
        return self._rows(styled, width)

    def _rows(self, renderable: RenderableType, width: int) -> list[str]:
        options = self._console.options.update(width=width, height=None)
        lines = self._console.render_lines(renderable, options, pad=False)
        return ["".join(map(self._ansi, _trimmed(line))) for line in lines]

    def _ansi(self, segment: Segment) -> str:
        style = segment.style
        if segment.control or not style:
            return "" if segment.control else segment.text
        return (style if self._colours else style.without_color).render(segment.text, color_system=ColorSystem.STANDARD)


def _trimmed(line: Iterable[Segment]) -> list[Segment]:
    """A row without the spaces at its end, which a reader would copy along."""
    kept = list(line)
    while kept and not kept[-1].text.strip(" ") and not _seen(kept[-1].style):
        kept.pop()
    if kept and not _seen(kept[-1].style):
        last = kept.pop()
        kept.append(Segment(last.text.rstrip(" "), last.style, last.control))
    return kept


def _seen(style: Style | None) -> bool:
    """Whether a space in this style can be seen."""
    return style is not None and bool(style.bgcolor or style.underline or style.reverse)
