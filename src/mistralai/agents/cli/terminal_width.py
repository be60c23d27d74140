"""How wide a table may be: as the terminal, or as it likes where a program reads it."""

from __future__ import annotations

import os
import sys

_USUAL = 80


def terminal_width() -> int | None:
    """Return how many columns the terminal has; None where the output goes elsewhere."""
    if not sys.stdout.isatty():
        return None
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        columns = 0
    return columns or _USUAL  # a terminal that was just opened may not know its size
