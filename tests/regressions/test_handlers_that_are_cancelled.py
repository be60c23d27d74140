"""A handler whose code raises CancelledError: the wait is not cancelled by that, it raises."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

if TYPE_CHECKING:
    from collections.abc import Callable


@agents.tool
def pay() -> str:
    """Pay."""
    return "paid"


def raises(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
    raise asyncio.CancelledError


async def cancels_itself(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)
    return agents.AllowApproval()


@pytest.mark.parametrize("handler", [raises, cancels_itself])
async def test_it_leaves_its_callback_open_and_the_wait_raises(
    handler: Callable[[agents.ApprovalCallbackContext, agents.ApprovalRequest], agents.AllowApproval],
) -> None:
    """In a TaskGroup a CancelledError would have ended the waiting task in silence."""
    model = ScriptedModel([call("pay"), reply("Paid.")])
    session = await agents.Agent(model=model, tools=[pay], permission_mode="ask").start_session(on_approval=handler)
    turn = await session.send_message("Pay.")
    with pytest.raises(agents.SdkError, match="was cancelled"):
        await turn.result()
    assert isinstance(await turn.get(), agents.Blocked)
    await session.cancel()
