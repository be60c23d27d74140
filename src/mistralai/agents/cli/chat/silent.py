"""The conversation of a script that wants the turn's record alone: nothing is shown, and nobody can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.pipes import Pipes

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.cli.chat.asked import Room
    from mistralai.agents.cli.chat.face import Kind


class Silent(Pipes):
    """Implements `Face`. Ctrl+C interrupts here too."""

    async def next_line(self) -> str | None:
        return None

    async def ask(self, prompt: str, *, about: Callable[[Room], str]) -> str | None:
        return None

    def write(self, text: str) -> None:
        pass

    def finish(self) -> None:
        pass

    def line(self, kind: Kind, text: str, *, cut: bool = False) -> None:
        if kind == "failed":
            super().line(kind, text)
