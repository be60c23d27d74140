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
_OTHER: Final = frozenset({"in_a_write", "before_sync"})
POINTS: Final = frozenset({*_BEFORE, *_AFTER, *_OTHER})


def journal_class() -> type[FileJournal]:
    """Return the class of journals: one that dies where the environment says so. Without it nothing is ever asked."""
    return CrashingJournal if os.environ.get(VARIABLE) else FileJournal


class CrashingJournal(FileJournal):
    """A journal that kills its process, by SIGKILL, at a point; `name@2` at the second time it gets there."""

    _left = -1

    def write(self, facts: Sequence[Fact]) -> None:
        """Write, and die before, within or after it."""
        point = _point()
        if point == "in_a_write" or any(isinstance(fact, _BEFORE.get(point, ())) for fact in facts):
            self._pass(within=point == "in_a_write", facts=facts)
        super().write(facts)
        if any(isinstance(fact, _AFTER.get(point, ())) for fact in facts):
            self._pass()

    def _sync(self, names: list[Path]) -> None:
        if _point() == "before_sync":
            self._pass()
        super()._sync(names)

    def _pass(self, *, within: bool = False, facts: Sequence[Fact] = ()) -> None:
        if CrashingJournal._left < 0:
            CrashingJournal._left = int(os.environ[VARIABLE].partition("@")[2] or 1)
        CrashingJournal._left -= 1
        if CrashingJournal._left:
            return
        if within:
            line = self._header + self._line(facts, self._after)
            os.write(self._fd, line[: len(line) // 2])
        os.kill(os.getpid(), signal.SIGKILL)


def _point() -> str:
    name = os.environ[VARIABLE].partition("@")[0]
    if name not in POINTS:
        raise SdkError(f"{VARIABLE} is {name!r}. Set it to one of {', '.join(sorted(POINTS))}.")
    return name
