"""Which session an idempotency key started: a small file a key, locked while its session is being made."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from mistralai.agents.core.ports import Claim

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

KEYS_NAME: Final = ".keys"
_LONGEST_ID: Final = 64


class HeldKey:
    """The file of a key, open to be locked. Calling it gives the key free; so does leaving it behind."""

    __slots__ = ("_at_once", "_fd")

    def __init__(self, path: Path, at_once: threading.Semaphore) -> None:
        self._at_once = at_once
        self._fd = -1
        at_once.acquire()
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except BaseException:
            at_once.release()
            raise

    def fileno(self) -> int:
        """Return its descriptor."""
        return self._fd

    def __call__(self) -> None:
        import fcntl

        fcntl.flock(self._fd, fcntl.LOCK_UN)  # closing would not do it while a forked child has a copy
        self._close()

    def __del__(self) -> None:
        if self._fd >= 0:
            self._close()  # and no more: in a forked child the lock is its parent's

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        os.close(fd)
        self._at_once.release()


def claim(
    directory: Path,
    agent_name: str,
    key: str,
    session_id: str,
    is_there: Callable[[str], bool],
    *,
    fsync: bool,
    at_once: threading.Semaphore,
) -> Claim:
    """Return the session that a key started, if it is there; else note `session_id`, and keep the key till released.

    Waits while another process makes the key's session.
    """
    import fcntl

    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    release = HeldKey(directory / digest(agent_name, key), at_once)
    fd = release.fileno()
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        earlier = os.read(fd, _LONGEST_ID).decode()
        if earlier and is_there(earlier):
            release()
            return Claim(earlier, there=True, release=_nothing)
        os.ftruncate(fd, 0)
        os.pwrite(fd, session_id.encode(), 0)
        if fsync:
            os.fsync(fd)
    except BaseException:
        release()
        raise
    return Claim(session_id, there=False, release=release)


def digest(agent_name: str, key: str) -> str:
    """Return the name under which a key of an agent is kept."""
    return sha256(f"{len(agent_name)}:{agent_name}:{key}".encode("utf-8", "surrogatepass")).hexdigest()


def _nothing() -> None:
    pass
