"""What tools print while the conversation is at a terminal, brought above its input as whole lines."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


class Relay(io.TextIOBase):
    """Stands in for `sys.stdout`; usable in every thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, show: Callable[[str], None]) -> None:
        self._loop = loop
        self._show = show
        self._rest = ""
        self._lock = threading.Lock()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Show the lines that are whole with this."""
        with self._lock:
            lines, _, self._rest = (self._rest + text).rpartition("\n")
        if lines:
            self._loop.call_soon_threadsafe(self._show, lines)
        return len(text)
