"""A bound on how many model calls of a runtime run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator

    from mistralai.agents.authoring.model import Model, ModelEvent, ModelRequest


class Bounded:
    """A model whose calls wait for their turn."""

    __slots__ = ("_model", "_turnstile")

    def __init__(self, model: Model, turnstile: asyncio.Semaphore) -> None:
        self._model = model
        self._turnstile = turnstile

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Call the model once fewer calls run than the bound allows."""
        async with self._turnstile:
            async for event in self._model.stream(request):
                yield event
