"""What is logged of a session that cannot be saved, told to its conversation."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

LOGGER = logging.getLogger("mistralai.agents")


class Unsaved(logging.Handler):
    """Takes the errors that are logged with the session's id. Every thread may log."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, is_ours: Callable[[str], bool], tell: Callable[[str, float], None]
    ) -> None:
        super().__init__(logging.ERROR)
        self._loop = loop
        self._is_ours = is_ours
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell what it says, and when it was logged."""
        session_id: object = getattr(record, "session_id", None)
        if isinstance(session_id, str) and self._is_ours(session_id):
            self._loop.call_soon_threadsafe(self._tell, record.getMessage(), record.created)
