"""The part of a request before its messages, kept so that calls of one agent encode its tools once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.authoring.model import ModelRequest
    from mistralai.agents.models.endpoint import Endpoint

MOST_KEPT = 256

type BuildHead = Callable[[ModelRequest, tuple[str, ...], Endpoint], tuple[bytes, bool]]


class Heads:
    """Encoded heads by what they are made of. Tools and output are known by identity: both are held while kept."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[object, tuple[tuple[bytes, bool], object, object]] = {}

    def of(
        self, request: ModelRequest, leading: tuple[str, ...], endpoint: Endpoint, build: BuildHead
    ) -> tuple[bytes, bool]:
        """The head of a request, and whether its list of messages holds one already."""
        key = (
            request.model,
            request.instructions,
            id(request.tools),
            len(request.tools),
            id(request.output),
            request.temperature,
            request.reasoning_effort,
            request.max_output_tokens,
            request.tool_choice,
            leading,
            endpoint,
        )
        kept = self._kept.get(key)
        if kept is None:
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            kept = self._kept[key] = (build(request, leading, endpoint), request.tools, request.output)
        return kept[0]
