"""A Markdown text that arrives in pieces, cut where nothing that follows can change how the part before looks."""

from __future__ import annotations

from itertools import pairwise

_SCREENFUL = 100


class Blocks:
    """Feed it the pieces; it gives back each top-level block once that is whole."""

    def __init__(self) -> None:
        self._open = ""
        self._parsed_lines = 0
        """How many lines the open block had when it was last looked at."""

    @property
    def open(self) -> str:
        """What has arrived of the last block."""
        return self._open

    def feed(self, text: str) -> list[str]:
        """Add a piece, and return the blocks it made whole."""
        self._open += text
        lines_now = self._open.count("\n")
        # A block ends at the earliest with a line. A long one is not read again for each: that would be slow.
        if lines_now - self._parsed_lines <= self._parsed_lines // 20:
            return []
        self._parsed_lines = lines_now
        whole_lines = self._open.rpartition("\n")[0] + "\n"
        starts = _starts(whole_lines)
        if len(starts) < 2:
            return []
        lines = self._open.split("\n")
        blocks = ["\n".join(lines[start:end]).rstrip("\n") for start, end in pairwise(starts)]
        self._open = "\n".join(lines[starts[-1] :])
        self._parsed_lines = self._open.count("\n")
        return blocks

    def rest(self) -> str:
        """Return the last block, and begin anew."""
        rest, self._open, self._parsed_lines = self._open.rstrip("\n"), "", 0
        return rest if rest.strip() else ""


def end_of(block: str) -> str:
    """Return the end of a block, enough to fill a screen, as a block of the same kind."""
    lines = block.split("\n")
    if len(lines) <= 2 * _SCREENFUL:
        return block
    fence = [lines[0]] if lines[0].lstrip().startswith(("```", "~~~")) else []
    return "\n".join([*fence, *lines[-_SCREENFUL:]])


def _starts(text: str) -> list[int]:
    """The line on which each top-level block begins."""
    from mistralai.agents.cli.chat.grammar import parser

    return [token.map[0] for token in parser().parse(text) if token.level == 0 and token.map and token.nesting >= 0]
