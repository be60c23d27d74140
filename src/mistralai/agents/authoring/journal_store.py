"""A store of saved sessions: what its author writes, and the SDK calls. Public page: Save a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SessionJournal(Protocol):
    """One session in a store, held for writing: nobody else may hold it until it is closed or its process is gone.

    Each call is made in a thread and may take a while; there is one at a time for each journal.
    """

    def append(self, start: int, lines: Sequence[bytes], /) -> None:
        """Add lines, all of them or none. When it returns they outlive the process, and what else the store promises.

        `start` is how many lines the session has before them. Raise SessionInUseError, with nothing added, where it
        has another number of lines or is not held any more. Any other exception is taken for a failure that may pass,
        and that may have come after the lines were added: the same call is made again for a while, and what is there
        is looked at.
        """
        ...

    def close(self) -> None:
        """Let others hold the session. What was appended is safe already. Called once."""
        ...


@runtime_checkable
class JournalStore(Protocol):
    """Where sessions are saved: `local_runtime(journal_factory=)` takes a function that returns one.

    A session is a list of lines: bytes without a newline, UTF-8, of any length, never changed once they are there. What
    they say is the SDK's (docs/journal-format.md). Each call is made in a thread, several at once. The function is
    called when a block begins to save, and the store is closed when the block has ended.
    `agents.testing.JournalStoreTests` has the tests of a store.
    """

    def create(self, session_id: str, lines: Sequence[bytes], /) -> SessionJournal:
        """Add a session with its first lines, all or nothing, and hold it. Raise FileExistsError if it is there.

        Any other exception is taken for one that may have come after that, as in `append`.
        """
        ...

    def open(self, session_id: str, /) -> SessionJournal:
        """Hold a session for writing.

        Raise SessionNotFoundError where there is none, SessionInUseError while another store holds it. A holder
        whose process is gone holds nothing, at once or after a time of the store's choice. One that this store holds
        already is held anew: an earlier call that raised may have come that far.
        """
        ...

    def read(self, session_id: str, start: int, /) -> Sequence[bytes]:
        """Return the lines of a session from the one at `start`, 0 for all, whoever holds it.

        Raise SessionNotFoundError where there is none.
        """
        ...

    def ids(self) -> Iterable[str]:
        """Return the ids of the sessions, in any order."""
        ...

    def claim(self, key: str, session_id: str, /) -> str:
        """Return the session id that was first given with this key: this one where the key is new.

        Two calls at once, of two processes too, get the same answer. Keys are never forgotten.
        """
        ...

    def close(self) -> None:
        """Release what the store holds: connections, threads. No journal of it is open any more."""
        ...
