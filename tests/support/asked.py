"""What a model was asked, in lines that a test can compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai import agents

if TYPE_CHECKING:
    from mistralai.agents.testing import ScriptedModel


def asked(model: ScriptedModel, call: int = -1) -> list[str]:
    """The messages of one call, a line each: `user: Hello`, `context(feedback): Again`, `assistant: look_up({})`."""
    return [line_of(message) for message in model.requests[call].messages]


def line_of(message: agents.ModelMessage) -> str:
    """One message."""
    match message:
        case agents.UserMessage(content=content, context=None):
            return f"user: {content}"
        case agents.UserMessage(content=content, context=kind):
            return f"context({kind}): {content}"
        case agents.AssistantMessage(text=text, tool_calls=calls):
            return " ".join(
                ["assistant:", *([text] if text else []), *(f"{one.name}({one.arguments})" for one in calls)]
            )
        case agents.ToolMessage(content=content):
            return f"tool: {content}"
        case agents.SystemMessage(text=text):
            return f"system: {text}"
