"""The bound on the wait for a model's first output, kept here for the models that do not keep it themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from mistralai.agents.authoring.model import ModelError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mistralai.agents.authoring.model import Model, ModelEvent, ModelRequest
    from mistralai.agents.core.ports import Clock


def begun_in_time(
    stream: AsyncIterator[ModelEvent], model: Model, request: ModelRequest, clock: Clock
) -> AsyncIterator[ModelEvent]:
    """Return the stream; where the request bounds the wait for its first event, one that raises ModelError past it.

    A model that keeps the bound itself has `keeps_first_output_bound`. Over HTTP one does: it sees chunks that are no
    event yet, and bounds each attempt.
    """
    seconds = request.first_output_timeout_seconds
    if seconds is None or getattr(model, "keeps_first_output_bound", False):
        return stream
    return _Bounded(stream, seconds, clock)


class _Bounded:
    __slots__ = ("_begun", "_clock", "_events", "_seconds")

    def __init__(self, stream: AsyncIterator[ModelEvent], seconds: float, clock: Clock) -> None:
        self._events = aiter(stream)
        self._seconds = seconds
        self._clock = clock
        self._begun = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ModelEvent:
        if self._begun:
            return await anext(self._events)
        self._begun = True
        loop = asyncio.get_running_loop()
        bound = asyncio.timeout(None)
        try:
            async with bound:
                timer = self._clock.call_later(self._seconds, lambda: bound.reschedule(loop.time()))
                try:
                    return await anext(self._events)
                finally:
                    timer.cancel()
        except TimeoutError as error:
            if not bound.expired():
                raise  # the model's own
            raise ModelError(
                f"The model gave no output within {self._seconds:g} s.",
                code="completion_timed_out",
                retryable=True,
                details={"reason": "first_output_timeout"},
            ) from error
