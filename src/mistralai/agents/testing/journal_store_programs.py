"""What the tests of a store run in processes that they kill, and the agent whose sessions they save."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from typing import TYPE_CHECKING, Final, Self

from mistralai import agents
from mistralai.agents.testing.scripted import ScriptedModel
from mistralai.agents.testing.steps import call, reply
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import TracebackType

    from mistralai.agents.authoring.journal_store import JournalStore
    from mistralai.agents.testing.steps import Step

    type Program = Callable[[Opens, Path, Connection], None]
    type Opens = Callable[[Path], JournalStore]

FIRST: Final = (b'{"format":"any"}', b'{"n":0}')
"""The first lines of a session whose lines mean nothing."""
BATCH: Final = 20
"""How many lines `write_on` adds at once."""
SECONDS: Final = 30.0
"""How long a program may take to say something."""


class OtherProcess:
    """A program that runs in a process of its own until it is killed."""

    def __init__(self, program: Program, opens: Opens, directory: Path) -> None:
        fresh = multiprocessing.get_context("spawn")  # a fork would share the connections of the stores that are open
        self._talk, theirs = fresh.Pipe()
        self._process = fresh.Process(target=_run, args=(program, opens, directory, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def says(self) -> str:
        """Return the next thing the program says."""
        if not self._talk.poll(SECONDS):
            raise TimeoutError(f"the other process said nothing for {SECONDS:g} s")
        said: str = self._talk.recv()
        return said

    def said_still(self) -> list[str]:
        """Return what a killed program had said."""
        said: list[str] = []
        try:
            while self._talk.poll():
                said.append(self._talk.recv())
        except (EOFError, OSError):
            pass  # its last word may have been cut
        return said

    def stop(self) -> None:
        """Let it stand still."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it run again, and do what it waits to do."""
        self._signal(signal.SIGCONT)
        self._talk.send("go on")

    def kill(self) -> None:
        """Kill it as `kill -9` does, and return when it is gone. Stopped or ended it may be."""
        self._process.kill()
        self._process.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill()

    def _signal(self, number: int) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)


def _run(program: Program, opens: Opens, directory: Path, talk: Connection) -> None:
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    program(opens, directory, talk)


def hold(opens: Opens, directory: Path, talk: Connection) -> None:
    """Hold a session; when told to go on, try to add a line."""
    store = opens(directory)
    session_id = uuid7()
    journal = store.create(session_id, FIRST)
    talk.send(session_id)
    journal.append(len(FIRST), [b"third"])
    talk.send("held")
    talk.recv()
    for start in (len(FIRST) + 1, len(store.read(session_id, 0))):
        try:
            journal.append(start, [b"late"])
        except agents.SessionInUseError:
            continue
        talk.send("added")
    talk.send("refused")


def write_on(opens: Opens, directory: Path, talk: Connection) -> None:
    """Add lines to a session, many at once, for ever."""
    store = opens(directory)
    session_id = uuid7()
    journal = store.create(session_id, FIRST)
    talk.send(session_id)
    n = 0
    while True:
        journal.append(len(FIRST) + n, [b"%d" % line for line in range(n, n + BATCH)])
        n += BATCH
        talk.send(str(n))


def start_paying(opens: Opens, directory: Path, talk: Connection) -> None:
    """Let an agent call a tool that does not end."""

    class Paid(list[str]):
        def append(self, what: str) -> None:
            talk.send("paying")
            while True:
                time.sleep(1)

    async def pay() -> None:
        async with agents.local_runtime(journal_factory=lambda: opens(directory)):
            session = await payer(Paid(), ask=False).start_session()
            turn = await session.send_message("Pay my bill.")
            talk.send(session.id)
            talk.send(turn.id)
            await turn.result()

    asyncio.run(pay())


def payer(paid: list[str], *, ask: bool = True) -> agents.Agent[str]:
    """Return an agent that pays once, and answers."""

    @agents.tool
    def pay() -> str:
        """Pay the bill."""
        paid.append("paid")
        return "paid"

    def next_step(request: agents.ModelRequest) -> Step:
        return reply("Done.") if isinstance(request.messages[-1], agents.ToolMessage) else call("pay", {})

    return agents.Agent(
        name="payer",
        model=ScriptedModel([next_step] * 4),
        tools=[pay],
        permission_mode="ask" if ask else "auto",
    )


async def blocked(paid: list[str]) -> tuple[str, str, str]:
    """Let the agent ask whether it may pay; return the session, the turn and the question."""
    session = await payer(paid).start_session()
    turn = await session.send_message("Pay my bill.")
    state = await turn.result()
    assert isinstance(state, agents.Blocked)
    return session.id, turn.id, state.callbacks[0].id
