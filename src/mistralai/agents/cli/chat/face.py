"""`Face`: what a conversation needs of the terminal or the pipes it is held over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mistralai.agents.cli.chat.asked import Room

type Kind = Literal["user", "text", "tool", "question", "note", "page", "failed", "end"]
"""What a line is: it decides how the line looks, and where an empty line goes before it."""


PROMPT = "> "
"""Stands before what the person says, typed or shown."""


class Face(Protocol):
    """Implemented by `Terminal` and `Pipes`. Used as `async with`."""

    types_ahead: bool
    """Whether lines may come while a turn runs; otherwise they wait for its end."""
    on_interrupt: Callable[[], None]
    """Called at Ctrl+C."""
    on_left: Callable[[], object]
    """Called once nobody is there any more."""
    left: int | None
    """The exit code where nobody is: the reader of the output has left, or the program was told to end. Else None."""

    @property
    def room(self) -> Room | None:
        """What a question may take of the terminal that it is shown at; None where it goes elsewhere."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    async def next_line(self) -> str | None:
        """Return the next line that is no answer to a question; None at the end of input."""
        ...

    async def ask(self, prompt: str, *, about: Callable[[Room], str]) -> str | None:
        """Return the line that answers a question; None at the end of input. Cancelling takes the question back.

        `about` gives the question, which was shown as a line: what comes meanwhile does not come between the two.
        """
        ...

    def write(self, text: str) -> None:
        """Show more of the assistant's text."""
        ...

    def finish(self) -> None:
        """The assistant's text is complete."""
        ...

    def line(self, kind: Kind, text: str, *, cut: bool = False) -> None:
        """Show a line of its own; `cut` keeps it to one row of a terminal."""
        ...

    def markdown(self, text: str) -> None:
        """Show a whole Markdown text."""
        ...

    def busy(self, doing: str | None) -> None:
        """Say what is waited for, until told otherwise; None for nothing."""
        ...

    def end(self) -> None:
        """End the input: `next_line` and `ask` return None from here on."""
        ...


class Spacing:
    """Where empty lines go: before what is of another kind, but not between a text and the calls that follow it."""

    def __init__(self) -> None:
        self._last: Kind | None = None

    def before(self, kind: Kind) -> str:
        """Return the empty line to write before something of this kind, or nothing."""
        last, self._last = self._last, kind
        if last == "page":
            return ""
        together = last is None or kind == "end" or (last != "text" and last == kind) or (last, kind) in _TOGETHER
        return "" if together else "\n"

    def after(self, kind: Kind) -> str:
        """Return the empty line to write after it: a page of rows stands apart from what is typed below it too."""
        return "\n" if kind == "page" else ""


_TOGETHER = {("text", "tool"), ("question", "tool"), ("tool", "failed"), ("text", "failed"), ("question", "note")}
