"""What the tests of saved sessions start from."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.local.journal.open_files import OPEN_FILES
from tests.journal import crowd
from tests.journal.holder import MOST_FILES, Holder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from tests.journal.crowd import Question

ROOT = Path(__file__).parents[2]
LIMIT = 256
"""How many files macOS lets a process open."""


@pytest.fixture(autouse=True)
def no_experimental_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where sessions are saved."""
    return tmp_path / "sessions"


@pytest.fixture
async def another(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Holder]]]:
    """Starts a process that may open few files."""
    processes: list[Holder] = []

    async def start(limit: int = LIMIT) -> Holder:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(crowd.__file__)),
            str(tmp_path),
            str(limit),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
            limit=1 << 20,
        )
        processes.append(Holder(process))
        assert await processes[-1].heard() == {"up": True}
        return processes[-1]

    yield start
    for process in processes:
        await process.killed()


@pytest.fixture
async def owner(another: Callable[..., Awaitable[Holder]]) -> Holder:
    """A process in which most sessions that wait are parked."""
    return await another(limit=64)


@pytest.fixture
async def parked(owner: Holder, directory: Path) -> Question:
    """What a session waits for that the owner has parked."""
    first, *_ = await owner.questions("start", 40)
    assert (directory / first[0] / "parked").exists()
    return first


@pytest.fixture
def few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process parks sessions beyond the fourth."""
    monkeypatch.setattr(OPEN_FILES, "most", MOST_FILES)
    monkeypatch.setattr(OPEN_FILES, "most_in_a_burst", 2 * MOST_FILES)
