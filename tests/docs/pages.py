"""The pages of the docs, and the code blocks, headings and links that are in them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
NOT_RUN = "Not run by the tests: "
"""How the title of a block begins that the tests leave out. The reader sees it, and the reason after it."""

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>```+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)(?P=ticks)$", re.M | re.S
)
_TITLE = re.compile(r'title="([^"]*)"')
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#{1,6}) +(.+?)(?: *\{ *#(?P<id>[\w-]+) *\})? *$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True)
class Block:
    """A fenced block of code."""

    language: str
    title: str
    """What its fence says in `title="..."`; `""` for nothing."""
    code: str
    line: int
    """The line of its fence, from 1."""

    @property
    def is_file(self) -> bool:
        """Whether the page asks its reader to put the block into a file: its title is the file's path."""
        return self.title.endswith((".py", ".toml"))

    @property
    def runs(self) -> bool:
        return self.language == "python" and not self.is_file and not self.title.startswith(NOT_RUN)


@dataclass(frozen=True)
class Page:
    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def blocks(self) -> list[Block]:
        found: list[Block] = []
        for fence in _FENCE.finditer(self.text):
            info = fence["info"].strip()
            title = _TITLE.search(info)
            code = "\n".join(line.removeprefix(fence["indent"]) for line in fence["code"].splitlines()) + "\n"
            line = self.text.count("\n", 0, fence.start()) + 1
            found.append(Block(info.partition(" ")[0], title[1] if title else "", code, line))
        return found

    @cached_property
    def prose(self) -> str:
        """The page without its code."""
        return _CODE.sub("", _FENCE.sub("", self.text))

    @property
    def links(self) -> list[str]:
        return _LINK.findall(self.prose)

    @property
    def anchors(self) -> set[str]:
        headings = _HEADING.finditer(_FENCE.sub("", self.text))
        return {heading["id"] or slug(heading[2]) for heading in headings}


def slug(heading: str) -> str:
    """The anchor that the site generator gives a heading."""
    plain = unicodedata.normalize("NFKD", heading.replace("`", "")).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def site_pages() -> list[Page]:
    """Every page under docs/."""
    return [Page(path) for path in sorted(DOCS.rglob("*.md"))]


def pages() -> list[Page]:
    """README and every page under docs/."""
    return [Page(ROOT / "README.md"), *site_pages()]
