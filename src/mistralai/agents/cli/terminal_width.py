"""How large the terminal is, and how wide a table may be: as the terminal, or as it likes where a program reads it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_USUAL = (80, 24)


def terminal_width() -> int | None:
    """Return how many columns the terminal has; None where the output goes elsewhere."""
    return size_of(sys.stdout)[0] if sys.stdout.isatty() else None


def size_of(stream: TextIO) -> tuple[int, int]:
    """Return the columns and rows of the terminal that a stream leads to."""
    try:
        columns, rows = os.get_terminal_size(stream.fileno())
    except OSError:
        columns, rows = 0, 0
    return columns or _USUAL[0], rows or _USUAL[1]  # a terminal that was just opened may not know its size
