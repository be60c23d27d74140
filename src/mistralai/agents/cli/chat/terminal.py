"""The conversation at a terminal: lines can be typed while the model writes, and questions are answered in place."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from functools import cache
from typing import TYPE_CHECKING, Self

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_input
from prompt_toolkit.output import ColorDepth

from mistralai.agents.cli.chat.asked import Room
from mistralai.agents.cli.chat.audience import LOOPS_HAVE_SIGNALS
from mistralai.agents.cli.chat.blocks import Blocks, end_of
from mistralai.agents.cli.chat.clean import clean
from mistralai.agents.cli.chat.face import PROMPT, Spacing
from mistralai.agents.cli.chat.held_output import HeldOutput
from mistralai.agents.cli.chat.keys import key_bindings
from mistralai.agents.cli.chat.own_input import moved_input, no_input_for_tools
from mistralai.agents.cli.chat.paper import Paper
from mistralai.agents.cli.chat.relay import Relay
from mistralai.agents.cli.chat.screen import FRAME_SECONDS, Screen
from mistralai.agents.cli.chat.typed import TypedLines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from mistralai.agents.cli.chat.face import Kind


class Terminal:
    """Implements `Face`."""

    types_ahead = True

    def __init__(self, typed_lines: Path) -> None:
        self.on_interrupt: Callable[[], None] = lambda: None
        self.on_left: Callable[[], object] = lambda: None
        self.left: int | None = None
        output = HeldOutput(sys.stdout)
        self._paper = Paper(colours=ColorDepth.from_env() != ColorDepth.DEPTH_1_BIT)
        self._spacing = Spacing()
        self._blocks = Blocks()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._ended = False
        self._question: asyncio.Future[str | None] | None = None
        self._about: Callable[[Room], str] = lambda room: ""
        """What the open question is about."""
        self._torn = False
        """Whether something was shown between that and the input, so that it is shown by the input too."""
        self._buffer = Buffer(history=TypedLines(typed_lines), multiline=True)
        self._input = os.fdopen(moved_input(), encoding="utf-8", errors="replace")
        keys = key_bindings(enter=self._entered, interrupt=self._interrupted, end=self.end)
        self._screen = Screen(self._buffer, keys, self._written, self._asked, create_input(self._input), output)
        self._shown: tuple[str, int] = ("", 0)
        self._rows = ""
        self._draw_again_at = 0.0
        self._runs = ExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._relay = Relay(asyncio.get_running_loop(), self._printed, sys.stdout)

    @property
    def room(self) -> Room:
        return self._screen.room

    async def __aenter__(self) -> Self:
        application = self._screen.application
        started = asyncio.Event()
        running = asyncio.create_task(application.run_async(pre_run=started.set, set_exception_handler=False))
        running.add_done_callback(lambda _: started.set())
        running.add_done_callback(lambda _: self.end())
        self._tasks = [running, asyncio.create_task(self._spin())]
        await started.wait()
        if LOOPS_HAVE_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._told_to_end)
        printed = self._relay.stream()
        self._runs.enter_context(redirect_stdout(printed))
        self._runs.enter_context(redirect_stderr(printed))
        self._runs.enter_context(no_input_for_tools(self._input.fileno()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.finish()
        self._runs.close()
        self._relay.end()
        self._above_printed()
        running, spinning = self._tasks
        spinning.cancel()
        application = self._screen.application
        if application.future is not None and not application.future.done():
            application.exit()
        await asyncio.wait(self._tasks)
        if not running.cancelled():
            with suppress(EOFError):  # the terminal was closed
                running.result()
        self._screen.output.release()
        if LOOPS_HAVE_SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        self._input.close()

    async def next_line(self) -> str | None:
        return None if self._ended else await self._lines.get()

    async def ask(self, prompt: str, *, about: Callable[[Room], str]) -> str | None:
        if self._ended:
            return None
        draft = self._buffer.document
        self._question = asyncio.get_running_loop().create_future()
        self._about, self._torn = cache(about), False
        self._put(Document(), prompt)
        answer = None
        try:
            answer = await self._question
            return answer
        finally:
            self._question = None
            self._put(draft, PROMPT)
            if answer is not None:
                if self._torn:
                    self.line("question", about(self.room))
                self.line("question", f"{prompt}{answer}")

    def write(self, text: str) -> None:
        for block in self._blocks.feed(clean(text)):
            self.markdown(block)
        self._screen.application.invalidate()

    def finish(self) -> None:
        if rest := self._blocks.rest():
            self.markdown(rest)

    def markdown(self, text: str) -> None:
        self._above("text", self._paper.markdown(text, self._screen.columns))

    def line(self, kind: Kind, text: str, *, cut: bool = False) -> None:
        self.finish()
        self._above(kind, self._paper.line(kind, clean(text), self._screen.columns, cut=cut))

    def busy(self, doing: str | None) -> None:
        self._screen.busy(doing)

    def end(self) -> None:
        self._ended = True
        self._lines.put_nowait(None)
        if self._question is not None and not self._question.done():
            self._question.set_result(None)

    def _printed(self) -> None:
        self.finish()
        if lines := self._relay.lines():
            self._note(lines)

    def _above(self, kind: Kind, rows: list[str]) -> None:
        self._above_printed()
        self._put_above(kind, rows)

    def _above_printed(self) -> None:
        """Show what was printed up to here, whether its line has ended or not."""
        if printed := self._relay.rest():
            self._note(printed.rstrip("\n"))

    def _note(self, printed: str) -> None:
        self._put_above("note", self._paper.line("note", clean(printed), self._screen.columns))

    def _put_above(self, kind: Kind, rows: list[str]) -> None:
        self._torn = True
        spacing = self._spacing
        self._screen.above(spacing.before(kind) + "".join(f"{row}\n" for row in rows) + spacing.after(kind))

    def _entered(self) -> None:
        text = self._buffer.text.strip()
        if self._question is not None:
            self._buffer.reset()
            if not self._question.done():
                self._question.set_result(text)
        elif text:
            self._buffer.append_to_history()
            self._buffer.reset()
            self.line("user", f"{PROMPT}{text}")
            self._lines.put_nowait(text)

    def _interrupted(self) -> None:
        if not self._screen.is_busy:
            self._buffer.reset()
        self.on_interrupt()

    def _told_to_end(self) -> None:
        """End as on leaving: the terminal would stay as it is set here, without what is typed."""
        self.left = 128 + signal.SIGTERM
        self.end()
        self.on_left()

    def _put(self, document: Document, prompt: str) -> None:
        self._screen.prompt = prompt
        self._buffer.reset(document)
        self._screen.application.invalidate()

    def _written(self) -> str:
        """The rows of the block being written that there is room for, the last ones."""
        wanted = self._blocks.open, self._screen.columns
        began = time.monotonic()
        if wanted != self._shown and (began >= self._draw_again_at or not wanted[0]):
            rows = self._paper.markdown(end_of(wanted[0]), wanted[1]) if wanted[0].strip() else []
            self._rows = "\n".join(rows[-self._screen.rows :])
            self._shown = wanted
            # A long block takes long to draw: no more than a third of the time goes into it.
            self._draw_again_at = began + 3 * (time.monotonic() - began)
        return self._rows

    def _asked(self) -> str:
        """The open question again, as much of it as there is room for, where it does not stand right above."""
        if self._question is None or not self._torn:
            return ""
        room = self._screen.rows // 2
        about = clean(self._about(Room(self._screen.columns, room)))
        rows = self._paper.line("question", about, self._screen.columns)
        return "\n".join(rows if len(rows) <= room else [*rows[: room - 1], "    …"])

    async def _spin(self) -> None:
        while True:
            await asyncio.sleep(FRAME_SECONDS)
            if self._screen.is_busy or self._shown[0] != self._blocks.open:
                self._screen.application.invalidate()
