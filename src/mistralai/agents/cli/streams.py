"""The program's own streams: those that were closed when it started, and a stdout that is kept for one thing alone."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_STDIN, _STDOUT, _STDERR = 0, 1, 2


def replace_closed() -> bool:
    """Let a closed stdin be one without a line, and say whether there is a stdout. What is opened next would be it."""
    if sys.stdin is None:  # services close it
        sys.stdin = os.fdopen(_nothing(_STDIN, os.O_RDONLY), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(_nothing(_STDERR, os.O_WRONLY), "w", encoding="utf-8")
    return sys.stdout is not None


@contextmanager
def stdout_kept() -> Generator[Callable[[str], None]]:
    """Keep stdout for what the function that this gives prints.

    Whatever else is printed meanwhile, by a tool, a process that it starts or the project's module, goes to stderr.
    """
    stdout = sys.stdout
    with _kept(stdout) as kept, redirect_stdout(sys.stderr):

        def say(text: str) -> None:
            print(text, file=kept, flush=True)

        yield say


@contextmanager
def _kept(stdout: TextIO) -> Generator[TextIO]:
    """A stream to where stdout leads, whose own descriptor leads to stderr meanwhile."""
    stdout.flush()
    if not _is_real(stdout):
        yield stdout
        return
    descriptor = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    kept = os.fdopen(descriptor, "w", encoding=stdout.encoding, errors="replace")
    try:
        yield kept
    finally:
        with suppress(OSError):
            os.dup2(descriptor, _STDOUT)
        with suppress(OSError):  # what could not be written was said
            kept.close()


def _is_real(stdout: TextIO) -> bool:
    try:
        return stdout.fileno() == _STDOUT
    except OSError:  # a test's
        return False


def _nothing(descriptor: int, flags: int) -> int:
    """Open nothing under a descriptor that is closed; where something took that meanwhile, under another."""
    opened = os.open(os.devnull, flags)
    try:
        os.fstat(descriptor)
    except OSError:
        os.dup2(opened, descriptor)
        os.close(opened)
        return descriptor
    return opened
