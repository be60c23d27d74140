"""`agents.local_runtime()`: the running loop's local runtime, as a block that ends its sessions and a look inside."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from mistralai.agents.authoring.experimental_keyword import warn_experimental
from mistralai.agents.local.registry import find, start
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mistralai.agents.authoring.journal_store import JournalStore
    from mistralai.agents.local.journal.directory import JournalDirectory
    from mistralai.agents.local.runtime import Runtime


@record
class LocalRuntimeStatistics:
    """What a local runtime holds at one moment. Public page: Local runtime."""

    running_sessions: int = 0
    """Sessions with a turn that runs."""
    waiting_sessions: int = 0
    """Sessions that are idle, or whose turn waits on a callback."""
    ended_sessions: int = 0
    """Sessions that ended and can still be read."""
    open_callbacks: int = 0
    """Questions that sessions wait on."""
    tasks: int = 0
    """Tasks of turns: model calls and tools that run now."""
    tool_threads: int = 0
    """Threads for tools that are not async, those that are idle and those of abandoned calls included."""
    connections: int = 0
    """Model calls whose reply is being read."""
    log_bytes: int = 0
    """Memory of the facts of all sessions, without the texts they share."""


class LocalRuntime:
    """The local runtime of an event loop. Getting it starts nothing. Public page: Run an agent in your process."""

    __slots__ = ("_entered", "_options")

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._entered: Runtime | None = None

    async def __aenter__(self) -> Self:
        if self._entered is not None:
            raise SdkError(
                "This local_runtime() block is open already. Call agents.local_runtime() again for a block in a block."
            )
        self._entered = await start(self._options)
        self._entered.blocks += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End every local session of the loop, if this is the outermost block."""
        runtime, self._entered = self._entered, None
        if runtime is None:
            return
        runtime.blocks -= 1
        if runtime.blocks == 0 and not runtime.closed:
            await runtime.end_all()
            await runtime.release()
            runtime.draining = False

    def statistics(self) -> LocalRuntimeStatistics:
        """Look inside. Zeros where nothing has started."""
        runtime = self._running()
        if runtime is None:
            return LocalRuntimeStatistics()
        states = [session.state for session in runtime.sessions.values()]
        return LocalRuntimeStatistics(
            running_sessions=sum(state.status == "running" for state in states),
            waiting_sessions=sum(state.status == "waiting" for state in states),
            ended_sessions=sum(state.status == "terminated" for state in states),
            open_callbacks=sum(len(state.active.open_callbacks) for state in states if state.active),
            tasks=len(runtime.tasks),
            tool_threads=runtime.threads.count,
            connections=runtime.connections,
            log_bytes=sum(fact.__sizeof__() for session in runtime.sessions.values() for fact in session.log),
        )

    async def drain(self, timeout: float | None = None) -> bool:
        """Accept no new session or turn, and let running turns end or block.

        False if some still run after `timeout` seconds; None waits without bound.
        """
        if timeout is not None:
            _check_seconds("drain", "timeout", timeout)
        runtime = await start(self._options)
        runtime.draining = True
        try:
            async with asyncio.timeout(timeout):
                for session in list(runtime.sessions.values()):
                    while session.state.status == "running":
                        await session.changed(milestones=True)
        except TimeoutError:
            return False
        return True

    def _running(self) -> Runtime | None:
        if self._entered is not None:
            return self._entered
        try:
            return find()
        except RuntimeError:
            return None  # no loop runs

    def __repr__(self) -> str:
        return f"LocalRuntime({'running' if self._running() is not None else 'not started'})"


def local_runtime(
    *,
    program_timeout_seconds: float | None = None,
    journal_factory: JournalDirectory | Callable[[], JournalStore | JournalDirectory] | None = None,
    keep_ended_sessions: int | None = None,
    max_model_calls: int | None = None,
) -> LocalRuntime:
    """Return the local runtime of the running event loop; as `async with`, a block that ends its sessions.

    `journal_factory` says where sessions are saved: `experimental.JsonFileSessionJournal.in_directory(path)`, or a
    function that returns a `JournalStore`. None keeps what a running runtime has, and where none runs yet saves
    nothing, gives programs 60 s, and bounds neither ended sessions nor model calls at once. Entering raises SdkError
    where the runtime already runs with another value.
    """
    _check_above_zero("program_timeout_seconds", program_timeout_seconds)
    _check_count("keep_ended_sessions", keep_ended_sessions, least=0)
    _check_count("max_model_calls", max_model_calls, least=1)
    if journal_factory is not None:
        _check_factory(journal_factory)
        warn_experimental("journal_factory")
    return LocalRuntime(
        {
            "program_timeout_seconds": program_timeout_seconds,
            "journal_factory": journal_factory,
            "keep_ended_sessions": keep_ended_sessions,
            "max_model_calls": max_model_calls,
        }
    )


def _check_above_zero(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise SdkError(f"local_runtime: {name} is {value!r}. Pass a number of seconds above 0, or None.")


def _check_seconds(owner: str, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise SdkError(f"{owner}: {name} is {value!r}. Pass a number of seconds, or None.")


def _check_factory(factory: object) -> None:
    if not callable(factory):
        raise SdkError(
            f"local_runtime: journal_factory is {factory!r}. Pass agents.experimental.JsonFileSessionJournal"
            ".in_directory(path), or a function that returns a JournalStore."
        )


def _check_count(name: str, value: object, *, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SdkError(f"local_runtime: {name} is {value!r}. Pass a whole number of at least {least}, or None.")
