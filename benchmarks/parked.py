"""Ten thousand saved sessions that wait for a person, in a process that may open 1,024 files."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import subject
from benchmarks.sessions import blocked, opened, resident_bytes
from mistralai import agents
from mistralai.agents.experimental import JsonFileSessionJournal

SESSIONS = 10_000
OPEN_FILES = 1024
ANSWERED = 100


async def crowd(directory: Path) -> dict[str, float]:
    """Memory of the whole process, CPU of leaving a session blocked, and of answering one that is parked or is not."""
    async with agents.local_runtime(journal_factory=JsonFileSessionJournal.in_directory(directory)):
        agent = subject.agent(permission_mode="ask")
        await opened(blocked, agent, ANSWERED)
        spent = time.process_time()
        turns = [turn for _, turn in await opened(blocked, agent, SESSIONS)]
        blocking = (time.process_time() - spent) * 1000 / SESSIONS
        gc.collect()
        memory = resident_bytes() / 1024 / 1024
        # In pairs, for the machine is not as fast at all times. So few that the newest stay open meanwhile.
        pairs = zip(turns[:ANSWERED], turns[-ANSWERED:], strict=True)
        spent_of = [(await answering(parked), await answering(unparked)) for parked, unparked in pairs]
        parked_ms, open_ms = (sum(column) * 1000 / ANSWERED for column in zip(*spent_of, strict=True))
        return {"mb": memory, "block_ms": blocking, "open_ms": open_ms, "parked_ms": parked_ms}


async def answering(turn: agents.Turn) -> float:
    """CPU of answering a question, until the turn runs again, in seconds. Its end is waited for."""
    began = time.process_time()
    match await turn.get():
        case agents.Blocked(callbacks=(question, *_)):
            await turn.answer(question.id, agents.AllowApproval())
        case other:
            raise RuntimeError(f"The turn does not wait: {other!r}")
    spent = time.process_time() - began
    await turn.result()
    return spent


def main(url: str) -> None:
    """Print the figures as JSON."""
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    subject.use_server(url)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory() as name:
        print(json.dumps(asyncio.run(crowd(Path(name)))))


if __name__ == "__main__":
    main(sys.argv[1])
