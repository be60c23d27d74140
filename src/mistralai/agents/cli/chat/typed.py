"""The lines typed in earlier conversations, which the arrow keys bring back. Nobody else may read the file."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from prompt_toolkit.history import FileHistory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class TypedLines(FileHistory):
    """Kept in a file; in memory alone where that cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """Return the lines, the latest first."""
        try:
            return list(super().load_history_strings())
        except OSError:
            return []

    def store_string(self, string: str) -> None:
        """Put a line at the end."""
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))
            super().store_string(string)
