"""Taking the person's lines: messages, commands that begin with a slash, and the end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.slash import is_exit, run_slash
from mistralai.agents.cli.problem import one_line
from mistralai.agents.values.errors import AgentsError

if TYPE_CHECKING:
    from mistralai.agents.cli.chat.conversation import Conversation


async def listen(conversation: Conversation) -> None:
    """Take lines until the input ends."""
    face = conversation.face
    while (line := await face.next_line()) is not None:
        line = line.strip()
        if is_exit(line):
            return
        if line.startswith("/"):
            await run_slash(conversation, line)
        elif line:
            await _say(conversation, line)


async def listen_until_settled(conversation: Conversation) -> bool:
    """Return once the turn is settled, or the person leaves before: whether it is. What is typed steers the turn."""
    listening = asyncio.create_task(listen(conversation)) if conversation.face.types_ahead else None
    settled = asyncio.create_task(conversation.settled())
    try:
        await asyncio.wait({settled, *([listening] if listening else [])}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (listening, settled):
            if task is not None and not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
    if settled.cancelled():
        return False
    settled.result()
    return True


async def _say(conversation: Conversation, line: str) -> None:
    """Send a line; one that is refused does not end the conversation."""
    try:
        await conversation.say(line)
    except AgentsError as error:
        conversation.failed = True
        conversation.face.line("failed", one_line(error))
    if not conversation.face.types_ahead:
        await conversation.settled()
