"""Messages as chat-completions JSON, repaired for what Mistral and OpenAI-compatible servers refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.model import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from mistralai.agents.models.content_parts import chat_parts, plain_or_parts
from mistralai.agents.models.pairing import Pairing
from mistralai.agents.models.wire_text import CallIds, arguments_text, encoded, sendable, tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mistralai.agents.authoring.model import JsonObject, ModelMessage

NINE_ALPHANUMERICS = re.compile(r"[a-zA-Z0-9]{9}")
AT_MOST_FORTY = re.compile(r"[\x21-\x7e]{1,40}")
CONTINUE = b'{"role":"user","content":"Continue."}'
"""The user's part where a server wants one and nobody said anything."""
MOVED_IMAGES = "Images returned by the tools:"


def late_instructions(text: str) -> str:
    """A system message from the middle of a history: servers take one at the start only."""
    return f"<system>\n{sendable(text)}\n</system>"


class OpenAIMessages:
    """Encodes for OpenAI and servers that follow its interface."""

    accepts_id: Callable[[str], object] = AT_MOST_FORTY.fullmatch
    sends_tool_name = False
    sends_reasoning_back = True
    takes_user_after_tool = True
    takes_assistant_first = True
    takes_assistant_last = True

    def __init__(self) -> None:
        self._role = ""
        self._pairing = Pairing()
        self._ids = CallIds(self.accepts_id, length=9)

    def encode(self, messages: Sequence[ModelMessage], /) -> list[bytes]:
        """JSON of the next messages."""
        pieces: list[bytes] = []
        images: list[JsonObject] = []
        for message in self._pairing.of(messages):
            if images and not isinstance(message, ToolMessage):
                self._show(images, pieces)
            match message:
                case UserMessage():
                    self._user(plain_or_parts(chat_parts(message.content)), pieces)
                case AssistantMessage():
                    self._assistant(message, pieces)
                case ToolMessage():
                    images += self._tool(message, pieces)
                case SystemMessage():
                    self._user(late_instructions(message.text), pieces)
        if images:
            self._show(images, pieces)
        return pieces

    def tail(self) -> bytes | None:
        """A user message where the server refuses to go on after an assistant's, or from nothing."""
        if self._role in ("", "assistant") and not self.takes_assistant_last:
            return CONTINUE
        return None

    def _user(self, content: str | list[JsonObject], pieces: list[bytes]) -> None:
        if self._role == "tool" and not self.takes_user_after_tool:
            pieces.append(b'{"role":"assistant","content":"Understood."}')
        pieces.append(encoded({"role": "user", "content": content}))
        self._role = "user"

    def _assistant(self, message: AssistantMessage, pieces: list[bytes]) -> None:
        calls = [
            {
                "id": self._ids.of(call.id),
                "type": "function",
                "function": {"name": tool_name(call.name), "arguments": arguments_text(call.arguments)},
            }
            for call in message.tool_calls
        ]
        if not calls and not message.text.strip():
            return
        data: dict[str, Any] = {"role": "assistant", "content": sendable(message.text)}
        if calls:
            data["tool_calls"] = calls
            reasoning = "".join(
                block["text"] for block in message.reasoning if block.get("type") == "reasoning_content"
            )
            if reasoning and self.sends_reasoning_back:
                data["reasoning_content"] = sendable(reasoning)
        if not self._role and not self.takes_assistant_first:
            pieces.append(CONTINUE)
        pieces.append(encoded(data))
        self._role = "assistant"

    def _tool(self, message: ToolMessage, pieces: list[bytes]) -> list[JsonObject]:
        """Append a result; return its images, which no server of this kind takes in a tool message."""
        parts = chat_parts(message.content)
        images: list[JsonObject] = []
        if isinstance(parts, str):
            content = parts
        else:
            images = [part for part in parts if part["type"] != "text"]
            texts = [part["text"] for part in parts if part["type"] == "text"]
            if images:
                texts.append("(The images of this result follow in a message of their own.)")
            content = "\n".join(texts)
        data = {"role": "tool", "tool_call_id": self._ids.of(message.tool_call_id), "content": content}
        if self.sends_tool_name:
            data["name"] = tool_name(message.name)
        pieces.append(encoded(data))
        self._role = "tool"
        return images

    def _show(self, images: list[JsonObject], pieces: list[bytes]) -> None:
        self._user([{"type": "text", "text": MOVED_IMAGES}, *images], pieces)
        images.clear()


class MistralMessages(OpenAIMessages):
    """Encodes for Mistral's API, whose rules on ids and roles are stricter."""

    accepts_id: Callable[[str], object] = NINE_ALPHANUMERICS.fullmatch
    sends_tool_name = True
    sends_reasoning_back = False
    takes_user_after_tool = False
    takes_assistant_first = False
    takes_assistant_last = False
