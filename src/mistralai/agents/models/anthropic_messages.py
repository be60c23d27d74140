"""Messages as Anthropic's JSON: the results of one reply's calls in one user message, thinking blocks kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.model import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from mistralai.agents.models.chat_messages import CONTINUE, late_instructions
from mistralai.agents.models.content_parts import base64_of, field, image_uri, media_type, spoken
from mistralai.agents.models.pairing import Pairing
from mistralai.agents.models.wire_text import CallIds, arguments_object, encoded, sendable, tool_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.authoring.model import JsonObject, ModelMessage

ID_LETTERS = re.compile(r"[a-zA-Z0-9_-]{1,64}")
EMPTY = "(empty)"
"""Stands for a text that the API refuses: one without any character but spaces."""
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class AnthropicMessages:
    """Encodes for Anthropic's messages API."""

    def __init__(self) -> None:
        self._role = ""
        self._pairing = Pairing()
        self._ids = CallIds(ID_LETTERS.fullmatch, length=24)

    def encode(self, messages: Sequence[ModelMessage], /) -> list[bytes]:
        """JSON of the next messages."""
        pieces: list[bytes] = []
        results: list[JsonObject] = []
        for message in self._pairing.of(messages):
            if results and not isinstance(message, ToolMessage):
                self._append("user", results, pieces)
                results = []
            match message:
                case UserMessage():
                    self._append("user", _blocks(message.content), pieces)
                case AssistantMessage():
                    self._assistant(message, pieces)
                case ToolMessage():
                    results.append(self._result(message))
                case SystemMessage():
                    self._append("user", late_instructions(message.text), pieces)
        if results:
            self._append("user", results, pieces)
        return pieces

    def tail(self) -> bytes | None:
        """A user message after an assistant's: the API would take that one for the beginning of its own reply."""
        return None if self._role == "user" else CONTINUE

    def _append(self, role: str, content: Any, pieces: list[bytes]) -> None:
        if role == "assistant" and not self._role:  # the first message must be a user's
            pieces.append(CONTINUE)
        pieces.append(encoded({"role": role, "content": content}))
        self._role = role

    def _assistant(self, message: AssistantMessage, pieces: list[bytes]) -> None:
        blocks: list[Any] = [block for block in message.reasoning if _is_signed(block)]
        if text := sendable(message.text).rstrip():
            blocks.append({"type": "text", "text": text})
        blocks += [
            {
                "type": "tool_use",
                "id": self._ids.of(call.id),
                "name": tool_name(call.name),
                "input": arguments_object(call.arguments),
            }
            for call in message.tool_calls
        ]
        if text or message.tool_calls:
            self._append("assistant", blocks, pieces)

    def _result(self, message: ToolMessage) -> JsonObject:
        result: JsonObject = {"type": "tool_result", "tool_use_id": self._ids.of(message.tool_call_id)}
        content = _blocks(message.content)
        if content != EMPTY:
            result["content"] = content
        if message.is_error:
            result["is_error"] = True
            result.setdefault("content", "The call failed.")
        return result


def _is_signed(block: JsonObject) -> bool:
    return block.get("type") == "redacted_thinking" or (
        block.get("type") == "thinking" and bool(block.get("signature"))
    )


def _blocks(content: str | list[JsonObject]) -> str | list[JsonObject]:
    if isinstance(content, str):
        text = sendable(content)
        return text if text.strip() else EMPTY
    blocks = [_image(block, uri) if (uri := image_uri(block)) else _text(block) for block in content]
    kept = [block for block in blocks if block is not None]
    return kept or EMPTY


def _text(block: JsonObject) -> JsonObject | None:
    text = field(block, "text") if block.get("type") == "text" else spoken(block)
    return {"type": "text", "text": text} if text.strip() else None


def _image(block: JsonObject, uri: str) -> JsonObject:
    if not uri.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": uri}}
    kind, data = media_type(block), base64_of(uri)
    if data is None or kind not in IMAGE_TYPES:
        return {"type": "text", "text": spoken(block)}
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
