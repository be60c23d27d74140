"""The demo's model: a script that streams like a language model, and follows what tools and people said."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

REFERENCE = re.compile(r"\b[A-Z]{2}-\d{4}\b")
INTRODUCTION = (
    "I am the demo's script, not a language model, and payments are all I know. "
    "Name one and I review it: TR-2209 or TR-2214."
)
type Move = tuple[str, tuple[str, dict[str, Any]] | None]
"""What to say, and which tool to call with what."""


class DemoModel:
    """A model object for the demo's agent."""

    def __init__(self, *, pace_seconds: float = 0.015) -> None:
        self.pace_seconds = pace_seconds
        """The wait after each word; 0 for none."""

    async def stream(self, request: agents.ModelRequest, /) -> AsyncIterator[agents.ModelEvent]:
        """Say the next thing, a word at a time."""
        text, call = next_move(request.messages)
        for word in re.findall(r"\S+\s*", text):
            yield agents.TextChunk(word)
            await asyncio.sleep(self.pace_seconds)
        written = text
        if call is not None:
            name, arguments = call
            written += json.dumps(arguments)
            number = sum(isinstance(message, agents.ToolMessage) for message in request.messages)
            made = agents.ModelToolCall(id=f"demo{number:05}", name=name, arguments=json.dumps(arguments))
            yield agents.ToolCallBlock(call=made)
        read = request.instructions + "".join(map(_text, request.messages))
        usage = agents.TokenUsage(
            input_tokens=len(read) // 4,
            output_tokens=len(written) // 4,
            total_tokens=len(read) // 4 + len(written) // 4,
        )
        yield agents.ReplyFinished(reason="tool_calls" if call else "stop", usage=usage)


def next_move(messages: Sequence[agents.ModelMessage]) -> Move:
    """What the script does after these messages: it looks at those since the user's last one."""
    last = max((at for at, message in enumerate(messages) if isinstance(message, agents.UserMessage)), default=0)
    named = REFERENCE.search(_text(messages[last])) if messages else None
    if named is None:
        return INTRODUCTION, None
    reference = named[0]
    results = [message for message in messages[last:] if isinstance(message, agents.ToolMessage)]
    if not results:
        return f"Let me look at {reference} first. ", ("find_payment", {"reference": reference})
    if len(results) == 1:
        return _judge(reference, results[0])
    opened = results[1]
    if opened.is_error:
        return f"No case was opened: you decided against it. Payment {reference} goes through.", None
    case = _text(opened)
    return f"Case {case} is open, and payment {reference} waits until an investigator has looked at it.", None


def _judge(reference: str, found: agents.ToolMessage) -> Move:
    if found.is_error:
        return f"I cannot review {reference}. {_text(found)}", None
    payment = json.loads(_text(found))
    times = payment["amount_eur"] / payment["usual_amount_eur"]
    if times < 10 or payment["payee_known_days"] > 30:
        return f"Nothing is unusual about {reference}: a common amount, to a payee the account knows. No case.", None
    reason = f"{times:.0f} times the usual amount, to a payee added today"
    return f"That is {reason}. I would open a case. ", ("open_case", {"reference": reference, "reason": reason})


def _text(message: agents.ModelMessage) -> str:
    match message:
        case agents.UserMessage() | agents.ToolMessage():
            content = message.content
            return content if isinstance(content, str) else " ".join(str(block.get("text", "")) for block in content)
        case agents.AssistantMessage() | agents.SystemMessage():
            return message.text
