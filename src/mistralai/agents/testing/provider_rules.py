"""What the providers refuse in a request, as pure functions: a request in, what is wrong with it out."""

from __future__ import annotations

import json
import re
from typing import Any

from mistralai.agents.authoring.json_kinds import is_array, is_object

NINE_ALPHANUMERICS = re.compile(r"[a-zA-Z0-9]{9}")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
AFTER: dict[str | None, set[str]] = {
    None: {"system", "user"},
    "system": {"system", "user", "assistant"},
    "user": {"system", "user", "assistant"},
    "assistant": {"user", "assistant", "tool"},
    "tool": {"assistant", "tool"},
}

type Json = dict[str, Any]


def violations(mode: str, body: Json) -> list[str]:
    """Everything that the provider of the mode would refuse."""
    if body.get("stream") is not True:
        return ["stream must be true"]
    messages: list[Json] = body["messages"]
    if not messages:
        return ["messages must not be empty"]
    if mode == "anthropic":
        return [*_anthropic_body(body), *_anthropic_messages(messages)]
    found = [] if body.get("stream_options") == {"include_usage": True} else ["usage is not asked for"]
    found += [f"illegal tool name {tool['function']['name']!r}" for tool in body.get("tools", []) if not _is_name(tool)]
    found += _pairs(messages)
    if mode == "mistral":
        found += _mistral_order(messages)
    return found + [problem for message in messages for problem in _chat_message(mode, message)]


def _is_name(tool: Json) -> bool:
    return NAME.fullmatch(tool["function"]["name"]) is not None


def _chat_message(mode: str, message: Json) -> list[str]:
    found: list[str] = []
    role, content = message["role"], message.get("content")
    calls: list[Json] = message.get("tool_calls") or []
    if _holds_nul(message):
        found.append("a NUL character")
    if role not in ("system", "user", "assistant", "tool"):
        found.append(f"unknown role {role!r}")
    if role == "assistant" and not calls and not (content or "").strip():
        found.append("Assistant message must have either content or tool_calls, but not none.")
    if role == "tool" and not isinstance(content, str):
        found.append("a tool message takes text only")
    for call in calls:
        if call["type"] != "function" or not NAME.fullmatch(call["function"]["name"]):
            found.append(f"Function name was {call['function']['name']!r}")
        if not _is_object(call["function"]["arguments"]):
            found.append("arguments are no JSON object")
        if mode == "openai" and not 0 < len(call["id"]) <= 40:
            found.append(f"id {call['id']!r} is too long")
    for id in [call["id"] for call in calls] + ([message["tool_call_id"]] if role == "tool" else []):
        found += [f"Tool call id was {id!r}, must be nine letters or digits"] if not _is_id(mode, id) else []
    parts: list[Json] = [] if content is None or isinstance(content, str) else content
    kinds = {part["type"] for part in parts} - {"text", "image_url", "input_audio"}
    return found + [f"unknown part {kind!r}" for kind in kinds]


def _holds_nul(data: Any) -> bool:
    """Whether a string of the data holds a NUL. Walked through: written as JSON it would be escaped."""
    if is_object(data):
        return any(map(_holds_nul, (*data, *data.values())))
    if is_array(data):
        return any(map(_holds_nul, data))
    return isinstance(data, str) and "\x00" in data


def _is_id(mode: str, id: str) -> bool:
    return mode != "mistral" or NINE_ALPHANUMERICS.fullmatch(id) is not None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _mistral_order(messages: list[Json]) -> list[str]:
    found: list[str] = []
    before: str | None = None
    for message in messages:
        role = message["role"]
        if role not in AFTER[before]:
            found.append(f"Unexpected role '{role}' after role '{before}' (code 3230)")
        before = role
    if before not in ("user", "tool"):
        found.append(f"Expected last role User or Tool for serving but got {before}")
    return found


def _pairs(messages: list[Json]) -> list[str]:
    """Each call has exactly one result, right after its message."""
    found: list[str] = []
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                found.append(f"a result without its call: {message['tool_call_id']!r}")
            continue
        if waiting:
            found.append("Not the same number of function calls and responses")
        calls: list[Json] = message.get("tool_calls") or []
        waiting = [call["id"] for call in calls]
        if len(set(waiting)) != len(waiting):
            found.append("two calls of one id in one message")
    if waiting:
        found.append("Not the same number of function calls and responses")
    return found


def _anthropic_body(body: Json) -> list[str]:
    found: list[str] = []
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or limit < 1:
        found.append("max_tokens: Field required")
    elif (budget := body.get("thinking", {}).get("budget_tokens", 0)) >= limit:
        found.append("max_tokens must be greater than thinking.budget_tokens")
    elif body.get("thinking", {}).get("type") == "enabled" and budget < 1024:
        found.append("budget_tokens must be at least 1024")
    if "temperature" in body:
        found.append("temperature is refused")
    return found


def _anthropic_messages(messages: list[Json]) -> list[str]:
    found: list[str] = []
    if messages[0]["role"] != "user":
        found.append("first message must use the user role")
    if messages[-1]["role"] != "user":
        found.append("the conversation must end with a user message")
    waiting: set[str] = set()
    for message in messages:
        if _holds_nul(message):
            found.append("a NUL character")
        blocks = _blocks(message)
        if not blocks:
            found.append("messages must have non-empty content")
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(waiting):
            found.append("tool_use ids were found without tool_result blocks immediately after")
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
        found += [problem for block in blocks for problem in _anthropic_block(message["role"], block)]
    return found


def _blocks(message: Json) -> list[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _anthropic_block(role: str, block: Json) -> list[str]:
    kind = block["type"]
    if kind == "text":
        if not block["text"].strip():
            return ["text content blocks must contain non-whitespace text"]
        if role == "assistant" and block["text"] != block["text"].rstrip():
            return ["assistant content cannot end with trailing whitespace"]
    if kind == "tool_use" and not (
        role == "assistant"
        and isinstance(block["input"], dict)
        and NAME.fullmatch(block["name"])
        and ANTHROPIC_ID.fullmatch(block["id"])
    ):
        return [f"a malformed tool_use: {block}"]
    if kind in ("thinking", "redacted_thinking") and (
        role != "assistant" or not (block.get("signature") or block.get("data"))
    ):
        return ["thinking without its signature"]
    allowed = {
        "user": {"text", "image", "tool_result"},
        "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    }
    return [] if kind in allowed[role] else [f"unexpected block {kind!r} of role {role!r}"]
