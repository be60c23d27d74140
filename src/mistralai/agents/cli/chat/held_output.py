"""A terminal's output that shows a change of the screen in one write, so that no half of it is ever seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from mistralai.agents.cli.terminal_width import size_of

if TYPE_CHECKING:
    from typing import TextIO


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
        columns, rows = size_of(self.stdout)
        return Size(rows=rows, columns=columns)
