"""What a list shows of a saved session, read from both ends of its journal where that is enough."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.core.facts import TurnAccepted
from mistralai.agents.core.ports import SavedSummary
from mistralai.agents.local.journal.file import UPLOADS_NAME
from mistralai.agents.local.journal.lines import After, Damaged, read_header, read_line
from mistralai.agents.local.journal.owned_file import FILE_NAME
from mistralai.agents.local.journal.reader import JournalReader
from mistralai.agents.local.journal.uploads import Uploads
from mistralai.agents.values.errors import JournalError
from mistralai.agents.values.ids import made_at

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.local.journal.decoder import Decoder

_HEAD: Final = 16 * 1024
_TAIL: Final = 4 * 1024


def summary(place: Path) -> SavedSummary | None:
    """Return the summary of a session's directory, readable or not; None where no session was started in it."""
    try:
        head, tail = _ends(place / FILE_NAME)
        try:
            found = _from_ends(place.name, head, tail)
        except Damaged:
            found = None  # where only the last line is not whole, opening would cut it
        return found or _from_all(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return unreadable(place.name, f"{place / FILE_NAME} cannot be read: {error.strerror or error}")
    except JournalError as error:
        return unreadable(place.name, str(error))


def _from_ends(session_id: str, head: bytes, tail: bytes) -> SavedSummary | None:
    lines = head.split(b"\n")[:-1]
    last = tail.rstrip(b"\n").rpartition(b"\n")[2]
    if len(lines) < 2 or not tail.endswith(b"\n") or not last.startswith(b'{"n":'):
        return None
    after = read_line(last).after
    if after.ended == "failed":
        return None  # its error is in the fact
    about = read_header(lines[0]).about
    started = read_line(lines[1]).facts[0]
    first = next((f for line in lines[1:] for f in read_line(line).facts if isinstance(f, TurnAccepted)), None)
    if first is None and len(head) == _HEAD:
        return None
    return _summarise(session_id, about, started.at, first, after)


def _from_all(place: Path) -> SavedSummary | None:
    reader = JournalReader(place / FILE_NAME, Uploads(place / UPLOADS_NAME))
    facts, _ = reader.read()
    return summary_of(place.name, reader, facts)


def summary_of(session_id: str, read: Decoder, facts: Sequence[Fact]) -> SavedSummary | None:
    """Return the summary of a session all of whose facts were read; None where it never started."""
    if read.header is None or read.after is None:
        return None
    first = next((fact for fact in facts if isinstance(fact, TurnAccepted)), None)
    found = _summarise(session_id, read.header.about, facts[0].at, first, read.after)
    found.error = getattr(facts[-1], "error", None)
    return found


def unreadable(session_id: str, problem: str) -> SavedSummary:
    """Return the summary of a session that is there and cannot be read."""
    made = made_at(session_id)
    return SavedSummary(
        session_id=session_id, about={}, started_at=made, updated_at=made, status="terminated", problem=problem
    )


def _summarise(
    session_id: str, about: dict[str, Any], started_at: float, first: TurnAccepted | None, after: After
) -> SavedSummary:
    return SavedSummary(
        session_id=session_id,
        about=about,
        started_at=started_at,
        updated_at=after.at,
        status=after.status,
        open_callbacks=after.open,
        ended=after.ended,
        first_message=first.content if first is not None else None,
    )


def _ends(path: Path) -> tuple[bytes, bytes]:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        head = os.read(fd, _HEAD)
        if len(head) < _HEAD:
            return head, head
        size = os.fstat(fd).st_size
        return head, os.pread(fd, _TAIL, max(0, size - _TAIL))
    finally:
        os.close(fd)
