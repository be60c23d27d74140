"""The price of saving sessions: a turn with a journal beside one without, and opening a long session again."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import subject
from benchmarks.turns import cpu_ms
from mistralai import agents
from mistralai.agents.experimental import JsonFileSessionJournal

if TYPE_CHECKING:
    from mistralai.agents.experimental import JournalDirectory

ROUNDS = 5
TURNS = 100
EVENTS = 10_000
OPENINGS = 5


def saved_in(directory: Path) -> JournalDirectory:
    """A journal whose commits reach the disk."""
    return JsonFileSessionJournal.in_directory(directory)


async def turns(directory: Path | None) -> float:
    """CPU of a turn of one session, saved or not."""
    factory = None if directory is None else saved_in(directory)
    async with agents.local_runtime(journal_factory=factory):
        session = await subject.agent().start_session()
        return await cpu_ms(lambda: session.run(subject.QUESTION), at_once=1, turns=TURNS)


async def written(directory: Path) -> str:
    """Save a session of so many events; return its ID."""
    seen = 0

    def count(event: agents.Event) -> None:
        nonlocal seen
        seen += not isinstance(event, agents.TextDelta)

    async with agents.local_runtime(journal_factory=JsonFileSessionJournal.in_directory(directory, fsync=False)):
        session = await subject.agent().start_session()
        while seen < EVENTS:
            await session.run(subject.QUESTION, on_event=count)
        return session.id


async def opened(directory: Path, session_id: str) -> float:
    """CPU of the first look at a saved session in milliseconds."""
    async with agents.local_runtime(journal_factory=saved_in(directory)):
        session = subject.agent().session(session_id)
        started = time.process_time()
        await session.info()
        return (time.process_time() - started) * 1000


def main(url: str) -> None:
    """Print the figures as JSON."""
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    subject.use_server(url)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        rounds = [(asyncio.run(turns(directory / str(index))), asyncio.run(turns(None))) for index in range(ROUNDS)]
        saved, floor = (median(column) for column in zip(*rounds, strict=True))
        session_id = asyncio.run(written(directory / "long"))
        opening = median(asyncio.run(opened(directory / "long", session_id)) for _ in range(OPENINGS))
    print(json.dumps({"turn": {"value": saved, "floor": floor}, "opening": opening}))


if __name__ == "__main__":
    main(sys.argv[1])
