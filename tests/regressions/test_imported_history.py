"""Histories that are imported in the order in which things happened."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, reply
from tests.sessions.reading import completed, sent

CALL = {"type": "tool_call", "tool_call_id": "aaaaaaaaa", "name": "pay", "arguments": {"amount": 5}}
RESULT = {"type": "tool_result", "tool_call_id": "aaaaaaaaa", "result": "paid"}


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("between", [said("user", "And quickly."), said("assistant", "One moment.")])
async def test_a_result_after_another_message_is_still_that_of_its_call(between: dict[str, Any]) -> None:
    """A message that steered the turn stands before the results of the calls that ran. Told there is none, the model
    would pay again."""
    model = ScriptedModel([reply("Paid.")])
    session = await agents.Agent(model=model).start_session(history=[said("user", "Pay."), CALL, between, RESULT])
    completed(await session.run("Well?"))
    assert sent(model)[1:3] == ['assistant: pay({"amount":5})', "tool: paid"]
    await session.cancel()
