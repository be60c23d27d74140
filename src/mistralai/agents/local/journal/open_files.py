"""The files of journals that are open in this process: a bounded number, the one written longest ago parked first."""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.local.journal.owned_file import OwnedFile

_FEWEST: Final = 16
_MOST: Final = 500
_UNLIMITED: Final = 1 << 20


class OpenFiles:
    """Makes room before a file is opened. One for the process, as the limit of the operating system is.

    Safe to use from any thread. Its lock is held for a moment only, and never while a file's lock is waited for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: OrderedDict[OwnedFile, None] = OrderedDict()
        """The one written longest ago first."""
        self._leaving: dict[OwnedFile, None] = {}
        """Those that a thread is to park."""
        self.most: int = 0
        """How many may be open before some are parked; 0 before the first."""
        self.most_in_a_burst: int = 0
        """How many may be open before one is parked on the spot, whatever the disk takes for it."""

    def make_room(self) -> None:
        """Let the file written longest ago go, if as many are open as may be."""
        if not self.most:
            self.most, self.most_in_a_burst = _bounds()
        with self._lock:
            count = len(self._used)
            if count < self.most:
                return
            burst = count + len(self._leaving) >= self.most_in_a_burst
            file, _ = self._used.popitem(last=False)
            self._leaving[file] = None
        if burst:
            self._let_one_go()
        file.soon(partial(self._park, file))

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """Open a file. Where the process has no descriptor left, others are parked for it."""
        while True:
            try:
                return os.open(path, flags | os.O_CLOEXEC, mode)
            except OSError as error:
                if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._let_one_go():
                    raise

    def used(self, file: OwnedFile) -> None:
        """Take note that a file was opened or written."""
        with self._lock:
            if self._leaving:
                self._leaving.pop(file, None)
            self._used[file] = None
            self._used.move_to_end(file)

    def closed(self, file: OwnedFile) -> None:
        """Take note that a file is open no longer."""
        with self._lock:
            self._used.pop(file, None)
            self._leaving.pop(file, None)

    def leave_to_the_parent(self) -> None:
        """A forked child lets go of its copies: the locks are its parent's and must not outlive it."""
        files = [*self._used, *self._leaving]
        self._used.clear()
        self._leaving.clear()
        self._lock = threading.Lock()
        for file in files:
            file.leave_to_the_parent()

    def _park(self, file: OwnedFile) -> None:
        """Park a file, unless it was used meanwhile."""
        if file in self._leaving and not file.park():
            with self._lock:
                if file in self._leaving:
                    del self._leaving[file]
                    self._used[file] = None  # as if it had just been used: others are tried before it

    def _let_one_go(self) -> bool:
        with self._lock:
            files = [*self._leaving, *self._used]
        return any(file.park() for file in files)


def _bounds() -> tuple[int, int]:
    """Return how many files of journals may be open, and how many in a burst: the rest is for connections and tools."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        soft = _UNLIMITED
    most = max(_FEWEST, min(_MOST, soft // 4))
    return most, max(most, soft // 2)


OPEN_FILES: Final = OpenFiles()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=OPEN_FILES.leave_to_the_parent)
