"""What a model object yields, checked before the log takes it: nothing later could, and a journal would not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from mistralai.agents.authoring.model import ModelToolCall, ReasoningBlock, ReplyFinished, TextChunk, ToolCallBlock
from mistralai.agents.authoring.results import to_plain
from mistralai.agents.values.usage import TokenUsage

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelEvent

_COUNTS = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens", "reasoning_tokens")


def checked(event: object) -> ModelEvent:
    """Return an event of a model's stream. Raises TypeError for what is none, or holds what it cannot hold."""
    match event:
        case TextChunk(text=str()):
            return event
        case ToolCallBlock(call=ModelToolCall(id=str(), name=str(), arguments=str())):
            return event
        case ReasoningBlock(text=str(), data=dict()):
            return structs.replace(event, data=to_plain(event.data))
        case ReplyFinished(reason=str(), usage=None):
            return event
        case ReplyFinished(reason=str(), usage=TokenUsage()) if _are_counts(event.usage):
            return event
        case _:
            raise TypeError(
                f"the model's stream yielded {event!r:.200}. "
                "Yield TextChunk, ReasoningBlock, ToolCallBlock and ReplyFinished, with the types their fields have."
            )


def _are_counts(usage: TokenUsage | None) -> bool:
    return all(type(getattr(usage, name)) is int for name in _COUNTS)
