"""What may change or go in any release: the journal that saves sessions in files, and stores of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from mistralai.agents.authoring.journal_store import JournalStore, SessionJournal
from mistralai.agents.local.journal.directory import JournalDirectory, directory
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    import os

__all__ = ["JournalDirectory", "JournalError", "JournalStore", "JsonFileSessionJournal", "SessionJournal"]


@final
class JsonFileSessionJournal:
    """Saves sessions in a directory, as lines of JSON. Public page: Save a session."""

    @staticmethod
    def in_directory(path: str | os.PathLike[str], *, fsync: bool = True) -> JournalDirectory:
        """Return what `local_runtime(journal_factory=)` takes: each session is saved in `<path>/<session id>/`.

        With `fsync` an accepted command, the start of a tool, its result and the end of a turn outlive a power cut;
        without it they outlive the process, however that ends. Raises UnsupportedAgentFeatureError on a system
        without POSIX file locks.
        """
        return directory(path, fsync=fsync)
