"""The kit's steps as a strict provider answers them: the same script for a scripted model and for a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.authoring.model import ModelError, ReasoningBlock
from mistralai.agents.testing.gates import Gate
from mistralai.agents.testing.scripted import USUAL_TOKENS
from mistralai.agents.testing.steps import ScriptedCall, Step
from mistralai.agents.testing.strict_replies import Answer, Call, Disconnect, Refusal, Stream, chunk, events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.testing.strict_replies import Mode, Reply

FINISH = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}
"""Anthropic's words for how a reply ends."""


def as_replies(mode: Mode, script: Iterable[Reply | Step]) -> list[Reply]:
    """A script with its steps made replies. Raises ValueError for a step that no server can play."""
    return [_reply(mode, number, part) if isinstance(part, Step) else part for number, part in enumerate(script, 1)]


def _reply(mode: Mode, number: int, step: Step) -> Reply:
    if any(isinstance(part, ReasoningBlock) for part in step.parts):
        raise ValueError(f"StrictProvider: step {number} has reasoning, which it cannot stream. Use a ScriptedModel.")
    if (failure := next((part for part in step.parts if isinstance(part, ModelError)), None)) is not None:
        return _refusal(number, step, failure)
    said = tuple(part for part in step.parts if isinstance(part, str | Gate))
    if step.finish is None:
        if mode == "anthropic":
            raise ValueError(f"StrictProvider: step {number} stops in mid-stream. Give a Stream of the bytes to send.")
        pieces = (events(chunk(content=piece)) if isinstance(piece, str) else piece for piece in said)
        return Stream(pieces=(events(chunk(role="assistant", content="")), *pieces), end="cut")
    usage = step.usage or USUAL_TOKENS
    made = [part for part in step.parts if isinstance(part, ScriptedCall)]
    return Answer(
        pieces=said,
        calls=tuple(
            Call(name=one.name, arguments=one.arguments, id=one.id or f"call{number:03}{index:02}")
            for index, one in enumerate(made)
        ),
        finish=FINISH.get(step.finish, step.finish) if mode == "anthropic" else step.finish,
        usage=step.reports_usage,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def _refusal(number: int, step: Step, failure: ModelError) -> Reply:
    details = failure.details or {}
    if len(step.parts) == 1 and "status_code" in details:
        told = {"message": details.get("provider_message", failure.message), "type": details.get("reason")}
        return Refusal(status=details["status_code"], body=told)
    if len(step.parts) == 1 and failure.code == "completion_failed":
        return Disconnect()
    raise ValueError(
        f"StrictProvider: step {number}, {step}, has no HTTP status of its own or fails in mid-stream. "
        "Give a Refusal, Disconnect or Stream."
    )
