"""One model call over HTTP: its attempts and the waits between them. What is sent and read is the dialect's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai.agents.models.attempt import Attempt
from mistralai.agents.models.deadlines import CallLimits
from mistralai.agents.models.failures import CallFailure
from mistralai.agents.models.outgoing import OUTGOING_CHECKS
from mistralai.agents.models.retry import RetrySchedule, SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from mistralai.agents.authoring.model import ModelEvent, ModelRequest
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.dialect import Dialect
    from mistralai.agents.models.retry import RetryClock


class HttpModel:
    """A `Model` that calls a provider over HTTP."""

    keeps_first_output_bound = True
    """Each attempt here bounds the wait for its first output: whoever reads the stream need not."""

    def __init__(
        self, dialect: Dialect, client: ModelClient, environ: Mapping[str, str], *, clock: RetryClock | None = None
    ) -> None:
        self._dialect = dialect
        self._client = client
        self._environ = environ
        self._clock: RetryClock = clock or SystemClock()
        self._limits: CallLimits | None = None

    def check(self) -> None:
        """Raise SdkError where no call can be made: there is no key, or no address. Sends nothing."""
        self._dialect.endpoint(self._environ)

    async def stream(self, request: ModelRequest, /) -> AsyncGenerator[ModelEvent]:
        """Call the model and yield its reply as it comes. Raises ModelError, and SdkError for a missing key."""
        dialect, client = self._dialect, self._client
        endpoint = dialect.endpoint(self._environ)
        for check in OUTGOING_CHECKS:
            check(endpoint)
        limits = self._current_limits()
        body = dialect.body(request, endpoint)
        end = asyncio.get_running_loop().time() + limits.call
        schedule = RetrySchedule(self._clock, total_seconds=limits.retry)
        attempts = 0
        client.open_calls += 1
        try:
            while True:
                attempt = Attempt(client, dialect.reply(), limits, end, request.first_output_timeout_seconds)
                attempts += 1
                shown = False
                try:
                    await attempt.open(endpoint, body)
                    while (events := await attempt.events()) is not None:
                        for event in events:
                            shown = True
                            yield event
                    return
                except CallFailure as failure:
                    if shown or not failure.again:
                        raise
                    wait = 0.0 if failure.stale and attempts == 1 else schedule.next_wait(failure.retry_after)
                    if wait is None or asyncio.get_running_loop().time() + wait >= end:
                        raise
                    if wait and request.on_retry is not None:
                        request.on_retry(failure, wait)
                finally:
                    attempt.close()
                await self._clock.sleep(wait)
        finally:
            client.open_calls -= 1

    def _current_limits(self) -> CallLimits:
        if self._limits is None or not self._limits.still_hold(self._environ):
            self._limits = CallLimits(self._environ)
        return self._limits
