"""The encoded history of a session: JSON of its messages, extended between calls and never joined again as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mistralai.agents.authoring.model import SystemMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.authoring.model import ModelMessage, ModelRequest


class MessageEncoder(Protocol):
    """Turns messages into one provider's JSON, with what it must remember of the messages before."""

    def encode(self, messages: Sequence[ModelMessage], /) -> list[bytes]:
        """JSON of the next messages, each without a comma. A message may give none, or several."""
        ...

    def tail(self) -> bytes | None:
        """A message for this call only, where the provider wants another one last; None if it is content."""
        ...


class EncodedHistory:
    """What one provider has encoded of one session's messages.

    Segments double in size as they age: a long history is a few buffers, and each byte is joined a few times only.
    """

    __slots__ = ("_encoder", "_last", "count", "leading", "segments", "size")

    def __init__(self, encoder: MessageEncoder) -> None:
        self._encoder = encoder
        self._last: ModelMessage | None = None
        self.count: int = 0
        """Messages encoded so far."""
        self.leading: tuple[str, ...] = ()
        """Texts of the system messages the history starts with: they belong to the instructions."""
        self.segments: list[bytes] = []
        """JSON of the messages with a comma before each, the first included."""
        self.size: int = 0
        """Bytes in all segments."""

    def extends_to(self, messages: Sequence[ModelMessage]) -> bool:
        """True if the messages begin with the ones that were encoded."""
        count = self.count
        return count <= len(messages) and (count == 0 or messages[count - 1] is self._last)

    def extend(self, messages: Sequence[ModelMessage]) -> None:
        """Encode what is new."""
        count = self.count
        if count == len(messages):
            return
        new = messages[count:]
        if len(self.leading) == count:
            texts: list[str] = []
            for message in new:
                if not isinstance(message, SystemMessage):
                    break
                texts.append(message.text)
            self.leading = (*self.leading, *texts)
            new = new[len(texts) :]
        pieces = self._encoder.encode(new)
        if pieces:
            self._append(b"," + b",".join(pieces))
        self.count = len(messages)
        self._last = messages[-1]

    def tail(self) -> bytes | None:
        """A message for this call only."""
        return self._encoder.tail()

    def _append(self, segment: bytes) -> None:
        segments = self.segments
        self.size += len(segment)
        while segments and len(segments[-1]) <= len(segment):
            segment = segments.pop() + segment
        segments.append(segment)


def encoded_history(request: ModelRequest, slot: str, encoder: type[MessageEncoder]) -> EncodedHistory:
    """The session's encoded messages for a provider, brought up to the request."""
    history = request.wire.get(slot)
    if not isinstance(history, EncodedHistory) or not history.extends_to(request.messages):
        history = request.wire[slot] = EncodedHistory(encoder())
    history.extend(request.messages)
    return history
