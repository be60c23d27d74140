"""What `local_runtime(journal_factory=)` was given, as the journals of one runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.journal_store import JournalStore
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.ports import Journals


def journals_of(factory: Callable[[], Any]) -> Journals:
    """Return what the factory makes; a function that returns a factory will do as well."""
    from mistralai.agents.local.journal.directory import DirectoryJournals
    from mistralai.agents.local.journal.store import StoreJournals

    made: Any = factory
    for _ in range(3):
        if not callable(made):
            break
        make: Callable[[], Any] = made
        made = make()
        if isinstance(made, DirectoryJournals):
            return made
        if isinstance(made, JournalStore):
            return StoreJournals(make, made)
    raise SdkError(
        f"local_runtime: journal_factory is {factory!r}, which gives no journals. "
        "Pass agents.experimental.JsonFileSessionJournal.in_directory(path), or a function that returns a JournalStore."
    )
