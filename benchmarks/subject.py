"""The agent whose turns are measured, and the bodies that its two model calls send."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from benchmarks.model_server import model_name
from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTION = "Is there a copy of Middlemarch on the shelf?"
INSTRUCTIONS = "Help readers find books. Answer in one sentence, and only from what the tools say."


@agents.tool
async def look_up(title: str) -> dict[str, Any]:
    """Look a book up in the catalogue.

    Args:
        title: The title on the cover, without the author.
    """
    return {"title": title, "copies": 2, "shelf": "C 14"}


@agents.tool(name="look_up")
def look_up_in_a_thread(title: str) -> dict[str, Any]:
    """Look a book up in the catalogue.

    Args:
        title: The title on the cover, without the author.
    """
    return {"title": title, "copies": 2, "shelf": "C 14"}


TOOLS = {"async": look_up, "sync": look_up_in_a_thread}


def use_server(url: str) -> None:
    """Send this process's model calls to the loopback server."""
    os.environ["MISTRAL_SERVER_URL"] = url
    os.environ["MISTRAL_API_KEY"] = "key"


def agent(*, calls: int = 1, chunks: int = 10, tools: Sequence[Any] = (look_up,), **options: Any) -> agents.Agent[str]:
    """An agent whose model calls `look_up` so many times at once, then answers in so many chunks."""
    model = model_name(calls=calls, chunks=chunks)
    return agents.Agent(model=model, instructions=INSTRUCTIONS, tools=[*tools], **options)


def bodies_of_a_turn() -> list[bytes]:
    """What the two calls send: the same JSON as the agent's, to the byte."""
    described = {"name": look_up.name, "description": look_up.description, "parameters": look_up.input_schema}
    arguments = json.dumps({"title": "Middlemarch 0"})
    call = {"id": "call00000", "type": "function", "function": {"name": "look_up", "arguments": arguments}}
    result = _json({"title": "Middlemarch 0", "copies": 2, "shelf": "C 14"})
    first = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": QUESTION}]
    second = [
        *first,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00000", "content": result, "name": "look_up"},
    ]
    tool = {"type": "function", "function": described}
    head = {"model": model_name(), "stream": True, "stream_options": {"include_usage": True}, "tools": [tool]}
    return [_json({**head, "messages": messages}).encode() for messages in (first, second)]


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
