"""The runtime in which the command opens sessions: saved under the user's data directory unless told otherwise."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from mistralai.agents.cli.data_directory import sessions_directory
from mistralai.agents.values.errors import ExperimentalWarning

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.local.block import LocalRuntime
    from mistralai.agents.local.journal.directory import DirectoryJournals, JournalDirectory


def runtime(data: Path, *, saved: bool = True) -> LocalRuntime:
    """Return the block to open sessions in."""
    from mistralai.agents.local.block import local_runtime

    if not saved:
        return local_runtime()
    with warnings.catch_warnings():
        # That this may change is for programs to know; whoever talks in a terminal did not choose it.
        warnings.simplefilter("ignore", ExperimentalWarning)
        return local_runtime(journal_factory=_directory(data))


def journals(data: Path) -> DirectoryJournals:
    """Return the saved sessions as files, to be looked at."""
    return _directory(data)()


def _directory(data: Path) -> JournalDirectory:
    from mistralai.agents.local.journal.directory import directory

    return directory(sessions_directory(data), fsync=True)
