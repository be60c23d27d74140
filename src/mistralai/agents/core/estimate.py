"""Estimates of how many tokens messages are, where no provider has counted them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.model import AssistantMessage, SystemMessage
from mistralai.agents.core.imported import leading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.authoring.model import ModelMessage
    from mistralai.agents.core.state import SessionState

CHARACTERS_A_TOKEN: Final = 4
"""A common figure for European languages and JSON; it only has to be of the right size."""
TOKENS_AN_IMAGE: Final = 1000


def outgrown(state: SessionState, threshold: int | None) -> bool:
    """Whether the context of the next call passes the threshold, and there is something to compact."""
    if threshold is None or (state.active is not None and state.active.compacted):
        return False
    if len(state.history) - leading(state.history) < 2:
        return False
    new = state.history[state.context_length :]
    return state.context_tokens + tokens_of(new) > threshold


def tokens_of(messages: Iterable[ModelMessage]) -> int:
    """Return about how many tokens messages are."""
    return sum(tokens_of_message(message) for message in messages)


def tokens_of_message(message: ModelMessage) -> int:
    """Return about how many tokens a message is."""
    if isinstance(message, SystemMessage):
        return _of_text(message.text)
    if isinstance(message, AssistantMessage):
        calls = sum(_of_text(call.name) + _of_text(call.arguments) for call in message.tool_calls)
        return _of_text(message.text) + calls
    return _of_content(message.content)


def _of_content(content: str | list[dict[str, Any]]) -> int:
    if isinstance(content, str):
        return _of_text(content)
    return sum(
        TOKENS_AN_IMAGE if block.get("type") == "image" else _of_text(str(block.get("text") or "")) for block in content
    )


def _of_text(text: str) -> int:
    return 1 + len(text) // CHARACTERS_A_TOKEN
