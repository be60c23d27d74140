"""Taking a step again later, where the journal took nothing of it now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.values.errors import JournalError

_LOGGER = logging.getLogger("mistralai.agents")
RETRY_SECONDS: Final = 1.0
"""How long a turn waits before it asks its journal again."""


def try_later(session: OpenSession, error: JournalError, again: Callable[[], None]) -> None:
    """The journal takes nothing now. What it refused was not applied, so the same step can be taken again."""
    if session.unloading:
        return
    session.stalled += 1
    if session.stalled.bit_count() == 1:  # a disk may be full for hours: told at the first time, the second, the fourth
        told = {"session_id": session.session_id}
        _LOGGER.error("%s It is tried again every %g s.", error, RETRY_SECONDS, extra=told)
    session.surroundings.clock.call_later(RETRY_SECONDS, again)
