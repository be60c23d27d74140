"""A terminal's output that shows a change of the screen in one write, so that no half of it is ever seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

if TYPE_CHECKING:
    from typing import TextIO

_USUAL = (80, 24)


class HeldOutput(Vt100_Output):
    """Writes through, unless it is held."""

    def __init__(self, stdout: TextIO) -> None:
        # Without the question where the cursor is: nothing here needs it, and slow terminals answer into the input.
        super().__init__(stdout, self._measure, term=os.environ.get("TERM"), enable_cpr=False)
        self._held = False

    def hold(self) -> None:
        """Keep what is written until `release`."""
        self._held = True

    def release(self) -> None:
        """Write what was kept."""
        if self._held:
            self._held = False
            self.flush()

    def flush(self) -> None:
        """Write, unless held."""
        if not self._held:
            super().flush()

    def _measure(self) -> Size:
        try:
            columns, rows = os.get_terminal_size(self.stdout.fileno())
        except OSError:
            columns, rows = 0, 0
        # A terminal that was just opened may not know its size.
        return Size(rows=rows or _USUAL[1], columns=columns or _USUAL[0])
