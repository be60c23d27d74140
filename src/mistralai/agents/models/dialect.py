"""What differs between providers, as the calling code sees it: where calls go, what is sent, how a reply is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mistralai.agents.authoring.model import ModelEvent, ModelRequest
    from mistralai.agents.models.endpoint import Endpoint
    from mistralai.agents.models.history import EncodedHistory


class Body:
    """The bytes of a request, in pieces that are shared with the session and the provider."""

    __slots__ = ("pieces", "size")

    def __init__(self, pieces: Sequence[bytes | memoryview], size: int) -> None:
        self.pieces: Sequence[bytes | memoryview] = pieces
        self.size: int = size


def body_of(head: bytes, history: EncodedHistory, end: bytes, *, has_first: bool) -> Body:
    """Head, messages and end. `has_first`: the head's list of messages holds one already."""
    segments: list[bytes | memoryview] = [head, *history.segments]
    size = len(head) + history.size
    if history.segments and not has_first:  # every message brings the comma before it
        segments[1] = memoryview(history.segments[0])[1:]
        size -= 1
    if (tail := history.tail()) is not None:
        end = (b"," + tail if size > len(head) or has_first else tail) + end
    segments.append(end)
    return Body(segments, size + len(end))


class ReplyReader(Protocol):
    """Reads one reply."""

    done: bool
    """True once the server said that the reply ended."""
    chunks: int
    """Chunks read so far."""

    def feed(self, data: bytes, /) -> list[ModelEvent]:
        """The events that the next bytes complete."""
        ...

    def end(self) -> list[ModelEvent]:
        """The last events. Raises ModelError for a reply that is not whole."""
        ...


class Dialect(Protocol):
    """A provider's calls."""

    def endpoint(self, environ: Mapping[str, str], /) -> Endpoint:
        """Where calls go, and with which key. Raises SdkError if the key is missing."""
        ...

    def body(self, request: ModelRequest, endpoint: Endpoint, /) -> Body:
        """The request's JSON."""
        ...

    def reply(self) -> ReplyReader:
        """A reader for a new reply."""
        ...
