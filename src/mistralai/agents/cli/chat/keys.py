"""The keys of a conversation that are not those of every line editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.key_binding import KeyPressEvent


def key_bindings(*, enter: Callable[[], None], interrupt: Callable[[], None], end: Callable[[], None]) -> KeyBindings:
    """Return them: Enter sends, Alt+Enter goes to the next row, Ctrl+C interrupts, Ctrl+D on an empty line ends."""
    keys = KeyBindings()

    @Condition
    def empty() -> bool:
        from prompt_toolkit.application import get_app

        return not get_app().current_buffer.text

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        enter()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        interrupt()

    @keys.add("c-d", filter=empty)
    def _(event: KeyPressEvent) -> None:
        end()

    return keys
