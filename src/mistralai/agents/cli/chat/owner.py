"""The owner of the event loop that a conversation is held on: what a tool raises to end the program comes to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from mistralai.agents.cli.chat.conversation import Conversation


class Owner:
    """Runs one command's loop. A tool that exits ends the conversation it was called in, in order."""

    def __init__(self) -> None:
        self.conversation: Conversation | None = None
        """The one that is held now."""
        self.left: Conversation | None = None
        """The one that was left before the end of its turn, for a command that holds several."""

    def run(self, command: Coroutine[Any, Any, int]) -> int:
        """Run the command to its end, and return its exit code."""
        with asyncio.Runner() as runner:
            task = runner.get_loop().create_task(command)
            while not task.done():
                try:
                    runner.run(_until_done(task))
                except (SystemExit, KeyboardInterrupt) as error:
                    if task.done() or self.conversation is None:
                        raise
                    runner.get_loop().call_soon(self.conversation.ended_by, error)
            return task.result()


async def _until_done(task: asyncio.Task[int]) -> None:
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:  # Ctrl+C, where nothing else takes it
        task.cancel()
        await asyncio.wait({task})
        raise
