"""How wide a table may be: as the terminal, or as it likes where a program reads it."""

from __future__ import annotations

import shutil
import sys


def terminal_width() -> int | None:
    """Return how many columns the terminal has; None where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
