"""Named points at which a test lets the process die: AGENTS_SDK_CRASH_AT names one. docs/crash-table.md lists them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Final

from mistralai.agents.core.facts import (
    CallbackOpened,
    CallbackSettled,
    CallEnded,
    CallStarted,
    InterruptRequested,
    ReplyEnded,
    ReplyOpened,
    SessionEnded,
    SessionStarted,
    TurnAccepted,
    TurnEnded,
)
from mistralai.agents.local.journal.file import FileJournal
from mistralai.agents.local.journal.owned_file import OwnedFile
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mistralai.agents.core.facts import Fact

VARIABLE: Final = "AGENTS_SDK_CRASH_AT"
_BEFORE: Final[dict[str, type[Fact]]] = {
    "before_accept": TurnAccepted,
    "tool_ended_unsaved": CallEnded,
    "reply_ended_unsaved": ReplyEnded,
    "turn_ending": TurnEnded,
}
_AFTER: Final[dict[str, type[Fact]]] = {
    "session_started": SessionStarted,
    "after_accept": TurnAccepted,
    "stream_half_done": ReplyOpened,
    "reply_ended": ReplyEnded,
    "callback_opened": CallbackOpened,
    "answer_settled": CallbackSettled,
    "tool_started": CallStarted,
    "tool_ended": CallEnded,
    "interrupt_requested": InterruptRequested,
    "turn_ended": TurnEnded,
    "session_ended": SessionEnded,
}
_OTHER: Final = frozenset({"in_a_write", "before_sync", "parking", "unparking"})
POINTS: Final = frozenset({*_BEFORE, *_AFTER, *_OTHER})


def classes() -> tuple[type[FileJournal], type[OwnedFile]]:
    """Return the classes of journals and their files: such that die where the environment says so.

    Without it nothing is ever asked.
    """
    return (CrashingJournal, CrashingFile) if os.environ.get(VARIABLE) else (FileJournal, OwnedFile)


class CrashingJournal(FileJournal):
    """A journal that kills its process, by SIGKILL, at a point; `name@2` at the second time it gets there."""

    def write(self, facts: Sequence[Fact]) -> None:
        """Write, and die before or after it."""
        point = _point()
        if any(isinstance(fact, _BEFORE.get(point, ())) for fact in facts):
            _pass()
        super().write(facts)
        if any(isinstance(fact, _AFTER.get(point, ())) for fact in facts):
            _pass()

    def _sync(self, names: list[Path]) -> None:
        if _point() == "before_sync":
            _pass()
        super()._sync(names)


class CrashingFile(OwnedFile):
    """A journal's file that does the same."""

    def _put(self, data: bytes) -> None:
        if _point() == "in_a_write" and _is_due():
            os.write(self._fd, data[: len(data) // 2])
            _die()
        super()._put(data)

    def _close_parked(self, size: int) -> bool:
        if _point() == "parking":
            _pass()
        return super()._close_parked(size)

    def _open_again(self) -> None:
        super()._open_again()
        if _point() == "unparking":
            _pass()


_passed = 0


def _pass() -> None:
    if _is_due():
        _die()


def _is_due() -> bool:
    global _passed
    _passed += 1
    return _passed == int(os.environ[VARIABLE].partition("@")[2] or 1)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _point() -> str:
    name = os.environ[VARIABLE].partition("@")[0]
    if name not in POINTS:
        raise SdkError(f"{VARIABLE} is {name!r}. Set it to one of {', '.join(sorted(POINTS))}.")
    return name
