"""What of ours may block the event loop for a moment, each with its reason; in the tests everything else raises."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from blockbuster import BlockBuster

from mistralai.agents.values import content

__all__ = ["ALLOWED", "content", "nothing_blocks"]  # content: pydantic looks for plugins at its first model

if TYPE_CHECKING:
    from collections.abc import Generator

ALLOWED = (
    # A line goes to the operating system before anything rests on it: microseconds, as nothing waits for the disk.
    ("os.write", "journal/owned_file.py", "_put"),
    # A session's directory, once a session.
    ("os.mkdir", "journal/directory.py", "create"),
    ("os.stat", "journal/directory.py", "create"),
    # Naming the directory, once a block.
    ("os.path.abspath", "journal/directory.py", "directory"),
    # The caller's own reading of an image, where he calls it.
    ("io.BufferedReader.read", "values/inline_image.py", "read_image"),
)


@contextmanager
def nothing_blocks() -> Generator[None]:
    """Whatever else blocks the loop, called from our own modules, raises."""
    buster = BlockBuster(scanned_modules="mistralai.agents")
    for lock in ("threading.Lock.acquire", "threading.Lock.acquire_lock"):
        buster.functions.pop(lock, None)  # a thread that is started is waited for, on Python 3.12 by a lock seen here
    for function, file, name in ALLOWED:
        buster.functions[function].can_block_in(file, name)
    buster.activate()
    try:
        yield
    finally:
        buster.deactivate()
