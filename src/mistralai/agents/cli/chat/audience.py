"""Work that goes on as long as somebody is there: not past the end of the output's reader, nor past a SIGTERM."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from mistralai.agents.cli.chat.face import Face


LOOPS_HAVE_SIGNALS = sys.platform != "win32"
"""Elsewhere Ctrl+C and a SIGTERM end the program."""


async def while_heard(face: Face, work: Coroutine[Any, Any, int]) -> int:
    """Do the work and return its exit code; the one that `face.left` says where nobody was there to its end."""
    doing = asyncio.create_task(work)
    face.on_left = doing.cancel
    try:
        code = await doing
    except asyncio.CancelledError:
        if face.left is None:
            raise
    else:
        if face.left is None:
            return code
    return face.left
