"""A bound on how many model calls of a runtime run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.core.first_output import begun_in_time

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator

    from mistralai.agents.authoring.model import Model, ModelEvent, ModelRequest
    from mistralai.agents.core.ports import Clock


class Bounded:
    """A model whose calls wait for their turn."""

    __slots__ = ("_clock", "_model", "_turnstile")

    keeps_first_output_bound = True
    """The time that a call waits for its turn is not the model's."""

    def __init__(self, model: Model, turnstile: asyncio.Semaphore, clock: Clock) -> None:
        self._clock = clock
        self._model = model
        self._turnstile = turnstile

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Call the model once fewer calls run than the bound allows."""
        async with self._turnstile:
            stream = self._model.stream(request)
            async for event in begun_in_time(stream, self._model, request, self._clock):
                yield event
