"""Another process that holds saved sessions, and what is seen of parking in their directory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mistralai import agents

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from tests.journal.crowd import Question

MOST_FILES = 4
"""How many sessions this process keeps unparked where a test wants few."""


class Holder:
    """A process that runs `crowd.py`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def heard(self) -> dict[str, Any]:
        """Return the next thing it says."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, "the process died"
        said: dict[str, Any] = json.loads(line)
        return said

    async def told(self, order: str, *values: Any) -> dict[str, Any]:
        """Tell it what to do, and return what it says to that."""
        await self._say(json.dumps([order, *values]))
        return await self.heard()

    async def questions(self, order: str, *values: Any) -> list[Question]:
        """Tell it to start sessions, and return what they wait for."""
        return [(session, turn, callback) for session, turn, callback in (await self.told(order, *values))["questions"]]

    async def ends_its_block(self) -> None:
        """Let it leave its block, and live on."""
        await self._say("")
        assert await self.heard() == {"ended": True}

    async def killed(self) -> None:
        """Kill it, by SIGKILL."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    async def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()


def left_in(directory: Path) -> list[Path]:
    """Return what parking has left in a directory."""
    return [*directory.glob("*/parked"), *directory.glob(".writers/*")]


def check_lines(directory: Path) -> None:
    """Every journal holds whole lines that continue each other, in one file each."""
    for journal in directory.glob("*/journal.jsonl"):
        n = 0
        for line in journal.read_text().splitlines()[1:]:
            read = json.loads(line)
            assert read["n"] == n
            n += len(read["facts"])
    assert list(directory.glob("*/cut-at-*")) == []


async def blocked(teller: agents.Agent[str], count: int) -> list[tuple[agents.Turn, str]]:
    """Start sessions here that wait, one after the other."""
    found: list[tuple[agents.Turn, str]] = []
    for _ in range(count):
        session = await teller.start_session()
        state = await session.run("Pay.")
        assert isinstance(state, agents.Blocked)
        found.append((session.turn(state.turn_id), state.callbacks[0].id))
    return found
