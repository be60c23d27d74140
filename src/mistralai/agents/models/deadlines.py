"""How long a model call may take: the bounds, and the reading of a reply under them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai.agents.models.failures import CallFailure, timed_out
from mistralai.agents.models.retry import DEFAULT_RETRY_SECONDS
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp import StreamReader

IDLE_VARIABLE = "AGENTS_SDK_MODEL_IDLE_TIMEOUT_SECONDS"
CALL_VARIABLE = "AGENTS_SDK_MODEL_CALL_TIMEOUT_SECONDS"
RETRY_VARIABLE = "AGENTS_SDK_MODEL_RETRY_SECONDS"


class CallLimits:
    """The bounds of every call, in seconds, from the environment."""

    __slots__ = ("_given", "call", "first", "idle", "retry")

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._given = given(environ)
        self.idle: float = _seconds(environ, IDLE_VARIABLE, 120.0)
        """Longest wait between two chunks."""
        self.call: float = _seconds(environ, CALL_VARIABLE, 900.0)
        """Longest time for the call with all its attempts."""
        self.retry: float = _seconds(environ, RETRY_VARIABLE, DEFAULT_RETRY_SECONDS)
        """Time within which attempts may begin."""
        self.first: float | None = self.idle if environ.get(IDLE_VARIABLE) else None
        """Longest wait for the first chunk where the agent sets none; None leaves it to `call`: a slow server may
        read a long prompt for minutes."""

    def still_hold(self, environ: Mapping[str, str]) -> bool:
        """True if the environment says what it said when they were read."""
        return self._given == given(environ)


def given(environ: Mapping[str, str]) -> tuple[str | None, ...]:
    """What the environment says of the bounds."""
    return environ.get(IDLE_VARIABLE), environ.get(CALL_VARIABLE), environ.get(RETRY_VARIABLE)


def _seconds(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value < float("inf"):
        raise SdkError(f"The environment variable {name} is {text!r}. Set it to a number of seconds.")
    return value


class Arrivals:
    """The bytes of a reply, awaited no longer than the bounds allow. The consumer's own time counts for the call only.

    One timer serves a whole call: it looks at when the wait began instead of being set anew for each chunk.
    """

    __slots__ = ("_bound", "_end", "_expired", "_limits", "_loop", "_reader", "_reason", "_since", "_timer")

    def __init__(
        self, reader: StreamReader, limits: CallLimits, *, started: float, end: float, first: float | None
    ) -> None:
        self._reader = reader
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._end = end
        self._bound = first
        self._reason = "first_output_timeout"
        self._since: float | None = started
        self._timer: asyncio.TimerHandle | None = None
        self._expired: CallFailure | None = None

    async def next(self) -> bytes:
        """The next bytes; `b""` at the end. Raises ModelError if a bound is passed."""
        reader = self._reader
        if self._expired is not None:
            raise self._expired
        if data := reader.read_nowait():
            return data
        if reader.at_eof():
            return b""
        if self._since is None:
            self._since = self._loop.time()
        if self._timer is None:
            self._arm()
        return await reader.readany()

    def output_came(self) -> None:
        """A chunk came, not a mere comment: from here on the bound is the one between chunks."""
        self._since = None
        if self._reason != "idle_timeout":
            self._reason, self._bound = "idle_timeout", self._limits.idle
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def stop(self) -> None:
        """End the watch."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> tuple[float, str]:
        since = self._loop.time() if self._since is None else self._since
        own = float("inf") if self._bound is None else since + self._bound
        return (own, self._reason) if own < self._end else (self._end, "call_timeout")

    def _arm(self) -> None:
        self._timer = self._loop.call_at(self._due()[0], self._check)

    def _check(self) -> None:
        due, reason = self._due()
        if self._loop.time() < due:
            self._arm()
            return
        self._timer = None
        self._expired = timed_out(reason, self._limits.call if reason == "call_timeout" else self._bound or 0.0)
        self._reader.set_exception(self._expired)
