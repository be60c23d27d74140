"""The conversation without a terminal: lines in, plain text out."""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
import sys
import threading
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Self

from mistralai.agents.cli.chat.asked import Room
from mistralai.agents.cli.chat.audience import LOOPS_HAVE_SIGNALS
from mistralai.agents.cli.chat.clean import clean, one_row
from mistralai.agents.cli.chat.face import Spacing
from mistralai.agents.cli.chat.own_input import moved_input, no_input_for_tools
from mistralai.agents.cli.terminal_width import size_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TextIO

    from mistralai.agents.cli.chat.face import Kind


class Pipes:
    """Implements `Face`."""

    types_ahead = False

    def __init__(self) -> None:
        self.on_interrupt: Callable[[], None] = lambda: None
        self.on_left: Callable[[], object] = lambda: None
        self.left: int | None = None
        self._spacing = Spacing()
        # Who types answers at a terminal while the output goes elsewhere is to see the question.
        self._asks_on = sys.stderr if sys.stdin.isatty() and not sys.stdout.isatty() else sys.stdout
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._input = moved_input()
        self._runs = ExitStack()
        self._reading = False
        self._ended = False
        self._kept: list[Callable[[], None]] | None = None
        """What comes while a question is open, to be shown after it; None while none is."""
        self._in_text = False
        """Whether the row that was begun belongs to the assistant's text."""
        self._at_start = True
        """Whether the next character begins a row."""

    @property
    def room(self) -> Room | None:
        return Room.of(*size_of(self._asks_on)) if self._asks_on.isatty() else None

    async def __aenter__(self) -> Self:
        if LOOPS_HAVE_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: self.on_interrupt())
        self._runs.enter_context(no_input_for_tools(self._input))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.finish()
        self._runs.close()
        if LOOPS_HAVE_SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    async def next_line(self) -> str | None:
        if self._ended:
            return None
        if not self._reading:
            self._reading = True
            # A thread, for a file can be read but not waited for; a daemon, for nothing ends a read of a terminal.
            threading.Thread(
                target=_read, args=(self._input, asyncio.get_running_loop(), self._lines), daemon=True
            ).start()
        line = await self._lines.get()
        if line is None:
            self._ended = True
        return line

    async def ask(self, prompt: str, *, about: Callable[[Room], str]) -> str | None:
        if self._ended:
            return None
        self.finish()
        self._print(prompt if self._asks_on.isatty() else prompt.rstrip(), self._asks_on)
        self._kept = []
        try:
            return await self.next_line()
        finally:
            kept, self._kept = self._kept, None
            self._print("\n", self._asks_on)
            for show in kept:
                show()

    def write(self, text: str) -> None:
        if self._kept is not None:
            self._kept.append(partial(self.write, text))
            return
        if not self._in_text:
            self._print(self._spacing.before("text"))
            self._in_text = True
        self._print(clean(text))

    def finish(self) -> None:
        if self._kept is not None:
            self._kept.append(self.finish)
            return
        if not self._at_start:
            self._print("\n")
        self._in_text = False

    def line(self, kind: Kind, text: str, *, cut: bool = False) -> None:
        if self._kept is not None:
            self._kept.append(partial(self.line, kind, text, cut=cut))
            return
        self.finish()
        if kind == "failed":
            self._print(f"agents: {one_row(text)}\n", sys.stderr)
        elif kind != "user":  # who wrote the lines has them
            where = self._asks_on if kind == "question" else sys.stdout
            self._print(f"{self._spacing.before(kind)}{clean(text)}\n{self._spacing.after(kind)}", where)

    def markdown(self, text: str) -> None:
        self.write(text)
        self.finish()

    def busy(self, doing: str | None) -> None:
        pass

    def end(self) -> None:
        self._ended = True
        self._lines.put_nowait(None)

    def _print(self, text: str, where: TextIO | None = None) -> None:
        if text:
            stream = sys.stdout if where is None else where
            self._at_start = text.endswith("\n")
            try:
                stream.write(text)
                stream.flush()
            except OSError as error:
                self._lost(stream, error)

    def _lost(self, stream: TextIO, error: OSError) -> None:
        """Nothing more can be written to a stream. Who does not read the conversation does not go on with it either."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is in Python's buffer goes there too
        if self.left is not None or stream is not sys.stdout:
            return
        self.left = 1
        if not isinstance(error, BrokenPipeError):
            self._print(f"agents: The output cannot be written: {error.strerror or error}\n", sys.stderr)
        self.end()
        self.on_left()


def _read(source: int, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
    """Read to the end, past Python's own buffer: a thread that holds its lock would keep the program from ending."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    with suppress(RuntimeError):  # the loop is closed: nobody reads any more
        while data := _more(source):
            rest += decoder.decode(data)
            *whole, rest = rest.split("\n")
            for line in whole:
                loop.call_soon_threadsafe(lines.put_nowait, line.rstrip("\r"))
        if rest := rest + decoder.decode(b"", final=True):
            loop.call_soon_threadsafe(lines.put_nowait, rest)
        loop.call_soon_threadsafe(lines.put_nowait, None)


def _more(source: int) -> bytes:
    try:
        return os.read(source, 65536)
    except OSError:  # no such descriptor, or its other end is gone
        return b""
