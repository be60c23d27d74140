"""The program's input while a conversation is held: the conversation reads it, and to tools it is empty."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

STDIN = 0
_CAN_MOVE = sys.platform != "win32"
"""Elsewhere a console is read through its handle, which goes where the descriptor goes."""


def moved_input() -> int:
    """Return a descriptor of the input that stays with the conversation; without any input, one that ends at once."""
    if not _CAN_MOVE:
        return STDIN
    try:
        return os.dup(STDIN)
    except OSError:
        return os.open(os.devnull, os.O_RDONLY)


@contextmanager
def no_input_for_tools(moved: int) -> Generator[None]:
    """Let `sys.stdin`, and the input that child processes get, be at its end. `moved` is put back afterwards."""
    was = sys.stdin
    with open(os.devnull, encoding="utf-8") as empty:
        sys.stdin = empty
        if _CAN_MOVE:
            os.dup2(empty.fileno(), STDIN)
        try:
            yield
        finally:
            sys.stdin = was
            if _CAN_MOVE:
                os.dup2(moved, STDIN)
