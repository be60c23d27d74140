"""A gate between processes: a scripted reply of a project under test waits for the test to let it go on."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from mistralai.agents.testing import Gate

if TYPE_CHECKING:
    from pathlib import Path


class FifoGate(Gate):
    """Waits for a byte in a FIFO. Used in the project."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    async def hold(self) -> None:
        loop = asyncio.get_running_loop()
        opened = loop.create_future()
        fifo = os.open(self._path, os.O_RDWR | os.O_NONBLOCK)

        def open_it() -> None:
            if not opened.done():
                opened.set_result(None)

        loop.add_reader(fifo, open_it)
        try:
            await opened
            os.read(fifo, 1)
        finally:
            loop.remove_reader(fifo)
            os.close(fifo)


class Fifo:
    """The test's end of it."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        # Open for both, so that a byte stays in it until it is read.
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def open(self, times: int = 1) -> None:
        """Let go whoever waits, or the next who will."""
        os.write(self._fd, b"." * times)

    def close(self) -> None:
        os.close(self._fd)
