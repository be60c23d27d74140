"""What stands below the conversation in a terminal: the block being written, what is waited for, and the input."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, FormattedText
from prompt_toolkit.layout import BufferControl, ConditionalContainer, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import BeforeInput

from mistralai.agents.cli.chat.asked import Room
from mistralai.agents.cli.chat.face import PROMPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings

    from mistralai.agents.cli.chat.held_output import HeldOutput

MOST_INPUT_ROWS = 8
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1
LEAST_SECONDS_BETWEEN_DRAWS = 0.03
"""A model may write faster than a terminal can show."""


class Screen:
    """The lowest rows of the terminal, drawn by prompt_toolkit; what was said before stands above them for good."""

    def __init__(
        self,
        buffer: Buffer,
        keys: KeyBindings,
        written: Callable[[], str],
        asked: Callable[[], str],
        source: Input,
        output: HeldOutput,
    ) -> None:
        self.output = output
        self.prompt = PROMPT
        self._doing: str | None = None
        self._since = 0.0
        below = HSplit(
            [
                _rows(written),
                ConditionalContainer(
                    Window(FormattedTextControl(self._status), height=1, dont_extend_height=True),
                    Condition(lambda: self._doing is not None),
                ),
                _rows(asked),
                Window(
                    BufferControl(buffer, input_processors=[BeforeInput(lambda: self.prompt)]),
                    height=Dimension(min=1, max=MOST_INPUT_ROWS),
                    dont_extend_height=True,
                    wrap_lines=True,
                ),
            ]
        )
        self.application: Application[None] = Application(
            layout=Layout(below),
            key_bindings=keys,
            input=source,
            output=output,
            erase_when_done=True,
            min_redraw_interval=LEAST_SECONDS_BETWEEN_DRAWS,
        )
        self.application.after_render.add_handler(self._drawn)

    def _drawn(self, application: Application[None]) -> None:
        self.output.release()

    @property
    def columns(self) -> int:
        """How wide the terminal is."""
        return self.output.get_size().columns

    @property
    def room(self) -> Room:
        """What a question may take of the terminal."""
        size = self.output.get_size()
        return Room.of(size.columns, size.rows)

    @property
    def rows(self) -> int:
        """How many rows there are for what is being written."""
        return max(3, self.output.get_size().rows - MOST_INPUT_ROWS)

    def above(self, text: str) -> None:
        """Put whole rows above, for good."""
        application = self.application
        if application.is_running:
            self.output.hold()
            application.renderer.erase()
            self.output.write_raw(text)
            application.invalidate()
        else:
            self.output.write_raw(text)
            self.output.flush()

    def busy(self, doing: str | None) -> None:
        """Say what is waited for, with the time it takes."""
        if _kind(doing) != _kind(self._doing):
            self._since = time.monotonic()
        self._doing = doing
        self.application.invalidate()

    @property
    def is_busy(self) -> bool:
        """Whether something is waited for."""
        return self._doing is not None

    def _status(self) -> Any:
        took = time.monotonic() - self._since
        frame = FRAMES[int(took / FRAME_SECONDS) % len(FRAMES)]
        seconds = f" {took:.0f} s" if took >= 2 else ""
        return FormattedText([("fg:ansibrightblack", f"{frame} {self._doing}{seconds}")])


def _rows(text: Callable[[], str]) -> ConditionalContainer:
    """Rows that are there while there is text for them."""
    control = FormattedTextControl(lambda: ANSI(text()))
    return ConditionalContainer(Window(control, dont_extend_height=True), Condition(lambda: bool(text())))


def _kind(doing: str | None) -> str | None:
    """What is done, without to what: the time runs on while one tool after the other ends."""
    return doing.partition(" ")[0] if doing is not None else None
