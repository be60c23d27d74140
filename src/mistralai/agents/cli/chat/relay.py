"""What tools print while the conversation is at a terminal, to be brought above its input as whole rows."""

from __future__ import annotations

import codecs
import io
import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Buffer, Callable
    from typing import TextIO


class Relay(io.RawIOBase):
    """The bytes below what stands in for `sys.stdout` and `sys.stderr`; usable in every thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, came: Callable[[], None], after: TextIO) -> None:
        self._loop = loop
        self._came = came
        """Called in the loop once a line is whole."""
        self._after: TextIO = after
        """Takes what is printed once the conversation is over: a tool may have kept the stream."""
        self._over = False
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._lock = threading.Lock()
        self._pipe: int | None = None

    def stream(self) -> TextIO:
        """Return the stream of text."""
        buffer: Any = self  # it needs no more of one
        return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", write_through=True)

    def lines(self) -> str:
        """Take the lines that are whole."""
        with self._lock:
            lines, _, self._text = self._text.rpartition("\n")
        return _seen(lines)

    def rest(self) -> str:
        """Take everything, the beginning of a line too."""
        with self._lock:
            rest, self._text = self._text, ""
        return _seen(rest)

    def end(self) -> None:
        """Let everything from here on go to where the stream led before."""
        self._over = True

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: Buffer, /) -> int:
        """Keep it until it is taken."""
        written = bytes(data)
        with self._lock:
            text = self._decoder.decode(written)
            if not self._over:
                self._text += text
        if self._over:
            self._after.write(text)
            self._after.flush()
        elif "\n" in text:
            with suppress(RuntimeError):  # the loop ended just now
                self._loop.call_soon_threadsafe(self._came)
        return len(written)

    def fileno(self) -> int:
        """Return a descriptor for a child process to write to. It stays open: nobody knows who has it."""
        with self._lock:
            if self._pipe is None:
                source, self._pipe = os.pipe()
                threading.Thread(target=self._read, args=(source,), daemon=True).start()
            return self._pipe

    def _read(self, source: int) -> None:
        while data := os.read(source, 65536):
            self.write(data)


def _seen(text: str) -> str:
    """What would be seen of it: a row that was begun anew shows its last beginning."""
    return "\n".join(row.rstrip("\r").rpartition("\r")[2] for row in text.split("\n"))
