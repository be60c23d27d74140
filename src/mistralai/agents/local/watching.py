"""Looking at a saved session that this process does not write: it follows the journal, and takes over when it may."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Final

from mistralai.agents.values.errors import AgentsError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession

_LOGGER = logging.getLogger("mistralai.agents")
POLL_SECONDS: Final = 0.05
"""How often the file is looked at while somebody waits. No process can tell another that it wrote."""
TRIES: Final = 20
"""Every so many looks, the session is taken over if its writer is gone."""


class Watch:
    """A session that is read here, and where its reading has got to."""

    __slots__ = ("_looks", "_more", "_stopped", "_take_over", "_taking", "_timer", "reason", "session")

    def __init__(
        self,
        session: OpenSession,
        more: Callable[[], Sequence[Fact]],
        reason: AgentsError,
        take_over: Callable[[], Awaitable[None]],
    ) -> None:
        self.session: OpenSession = session
        self.reason: AgentsError = reason
        """Why it is not written here."""
        self._more = more
        self._take_over = take_over
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
        if not self.over and not self._stopped and (facts := self._more()):
            self.session.load(facts)

    def keep_up(self) -> None:
        """Look again shortly, and on as long as somebody waits."""
        if self._timer is None and not self.over and not self._stopped:
            self._timer = asyncio.get_running_loop().call_later(POLL_SECONDS, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.session.wake(milestone=True)

    def _look(self) -> None:
        self._timer = None
        try:
            self.refresh()
        except (AgentsError, OSError) as error:
            _LOGGER.warning("Session %s cannot be followed: %s", self.session.session_id, error)
            self.session.wake(milestone=True)  # who waits reads again, and is told
            return
        if not self.session.waited_for:
            return
        self._looks += 1
        if self._looks % TRIES == 0 and (self._taking is None or self._taking.done()):
            self._taking = asyncio.ensure_future(self._try())
        self.keep_up()

    async def _try(self) -> None:
        with contextlib.suppress(AgentsError):  # whoever sends a command is told why
            await self._take_over()
