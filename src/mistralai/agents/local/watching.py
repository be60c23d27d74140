"""Looking at a saved session that this process does not write: it follows the journal, and takes over when it may."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Final

from mistralai.agents.values.errors import AgentsError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.core.ports import SavedLog
    from mistralai.agents.core.session import OpenSession

_LOGGER = logging.getLogger("mistralai.agents")
POLL_SECONDS: Final = 0.05
"""How often the file is looked at while somebody waits. No process can tell another that it wrote."""
TRIES: Final = 20
"""Every so many looks, the session is taken over if its writer is gone."""
FETCH_SECONDS: Final = 0.25
"""As `POLL_SECONDS`, where looking is a call to a store."""
FETCH_TRIES: Final = 4


class Watch:
    """A session that is read here, and where its reading has got to."""

    __slots__ = (
        "_in_thread",
        "_log",
        "_looking",
        "_looks",
        "_stopped",
        "_take_over",
        "_taking",
        "_timer",
        "reason",
        "session",
    )

    def __init__(
        self,
        session: OpenSession,
        log: SavedLog,
        reason: AgentsError,
        take_over: Callable[[], Awaitable[None]],
        in_thread: Callable[[Callable[[], None]], Awaitable[None]],
    ) -> None:
        self.session: OpenSession = session
        self.reason: AgentsError = reason
        """Why it is not written here."""
        self._log = log
        self._take_over = take_over
        self._in_thread = in_thread
        self._looking: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._taking: asyncio.Task[None] | None = None
        self._looks = 0
        self._stopped = False

    @property
    def over(self) -> bool:
        """Whether the session has ended: nothing follows."""
        return self.session.state.ended is not None

    def refresh(self) -> None:
        """Read what was written since, and wake who waits for it."""
        if not self.over and not self._stopped and (facts := self._log.more()):
            self.session.load(facts)

    async def fetch(self) -> None:
        """Read what was written since, for the next refresh, where reading takes a while."""
        if self._log.fetch is not None and not self.over:
            await self._in_thread(self._log.fetch)

    def keep_up(self) -> None:
        """Look again shortly, and on as long as somebody waits."""
        if self._timer is None and not self.over and not self._stopped:
            seconds = POLL_SECONDS if self._log.fetch is None else FETCH_SECONDS
            self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._looking is not None:
            self._looking.cancel()
        self.session.wake(milestone=True)

    def _look(self) -> None:
        self._timer = None
        if self._log.fetch is not None:
            self._looking = asyncio.ensure_future(self._look_up())
        else:
            self._see()

    async def _look_up(self) -> None:
        try:
            await self.fetch()
        except (AgentsError, OSError) as error:
            self._fail(error)
        else:
            self._see()

    def _see(self) -> None:
        try:
            self.refresh()
        except (AgentsError, OSError) as error:
            self._fail(error)
            return
        if not self.session.waited_for:
            return
        self._looks += 1
        tries = TRIES if self._log.fetch is None else FETCH_TRIES
        if self._looks % tries == 0 and (self._taking is None or self._taking.done()):
            self._taking = asyncio.ensure_future(self._try())
        self.keep_up()

    def _fail(self, error: Exception) -> None:
        _LOGGER.warning("Session %s cannot be followed: %s", self.session.session_id, error)
        self.session.wake(milestone=True)  # who waits reads again, and is told

    async def _try(self) -> None:
        with contextlib.suppress(AgentsError):  # whoever sends a command is told why
            await self._take_over()
