"""The ports: what the core asks of its surroundings, each a small protocol with a fake for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from mistralai.agents.values.errors import AgentsError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from contextvars import Context

    from mistralai.agents.authoring.model import Model
    from mistralai.agents.core.facts import Content, ErrorData, Fact
    from mistralai.agents.core.session import OpenSession


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Drop it. Without effect once it was made."""
        ...


class Clock(Protocol):
    """Time, and waiting for it."""

    def time(self) -> float:
        """Return seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Return seconds of a clock that only goes forward."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` in `delay` seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Journal(Protocol):
    """Where the facts of one session are kept beyond the process."""

    @property
    def outlives_the_process(self) -> bool:
        """Whether what is written does so at once. Where it does not, nothing is told of it before it is committed."""
        ...

    def write(self, facts: Sequence[Fact]) -> None:
        """Hand the facts to the operating system, all or none, in this order.

        Raises JournalError where it refuses, and JournalLostError where it will refuse whatever follows: another
        process writes the session now, or what the file holds is in doubt. Then the session is let go of.
        """
        ...

    async def commit(self) -> None:
        """Return once all that was written would outlive a power cut, as far as the journal's policy goes."""
        ...

    def close_if_safe(self) -> bool:
        """Let others write, if nothing has to be committed first. Takes no time; returns whether it was done."""
        ...

    def sync_and_close(self) -> None:
        """Commit, and let others write. May take a while: for a thread, or for the end of a loop."""
        ...


class Surroundings(Protocol):
    """What a session's loop needs from the place it runs in."""

    @property
    def clock(self) -> Clock:
        """The place's clock."""
        ...

    @property
    def callback_timeout(self) -> float:
        """Seconds that a callback stays open."""
        ...

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task in the place's own context, never the caller's."""
        ...

    def run_in_thread[T](self, function: Callable[[], T], context: Context) -> asyncio.Future[T]:
        """Run a function in a thread for tools. Cancelling the future abandons the thread."""
        ...

    async def model(self, session: OpenSession) -> Model:
        """Return the model that the session's next call goes to. Raises SdkError where there is none."""
        ...

    def ended(self, session: OpenSession) -> None:
        """Take note that the session ended."""
        ...

    def lost(self, session: OpenSession) -> None:
        """Let go of a session whose journal no longer knows what it holds: it is opened again from there."""
        ...


class StartedElsewhereError(AgentsError):
    """Another process started the session of the same idempotency key at the same moment: the place opens that."""


class Claim(msgspec.Struct):
    """An idempotency key of a session that starts."""

    session_id: str
    """The session that the key stands for."""
    there: bool
    """Whether it was started before."""
    release: Callable[[], None]
    """To be called when the session is there, or will not be: until then nobody else gets the key."""


class SavedLog(msgspec.Struct):
    """A saved session, as its journal gives it."""

    about: dict[str, Any]
    """What it was started with beside its facts."""
    facts: list[Fact]
    journal: Journal | None
    """Takes what follows; None where this process may only read."""
    repair: str | None
    """What was mended of the journal to open it; None for nothing."""
    more: Callable[[], Sequence[Fact]]
    """Gives the facts that came since, where somebody else writes."""
    fetch: Callable[[], None] | None = None
    """Reads what `more` gives then, in a thread, for it may take a while; None where `more` reads by itself."""


class SavedSummary(msgspec.Struct, kw_only=True):
    """What a list shows of a saved session."""

    session_id: str
    about: dict[str, Any]
    started_at: float
    updated_at: float
    status: str
    open_callbacks: int = 0
    ended: str | None = None
    """Its termination; None while it has not ended."""
    error: ErrorData | None = None
    """Of a termination that failed."""
    first_message: Content | None = None
    problem: str | None = None
    """Why it cannot be read; None where it can."""


class Journals(Protocol):
    """Where sessions are saved. One for each runtime."""

    def create(self, session_id: str, about: Mapping[str, Any]) -> Journal:
        """Return the journal of a new session, which this runtime alone may write."""
        ...

    def open(self, session_id: str) -> SavedLog:
        """Return a saved session to go on with. Raises SessionNotFoundError, or SessionInUseError if another writes."""
        ...

    def read(self, session_id: str) -> SavedLog:
        """Return a saved session to look at. Raises SessionNotFoundError."""
        ...

    def ids(self) -> list[str]:
        """Return the ids of what is saved, newest first."""
        ...

    def summary(self, session_id: str) -> SavedSummary | None:
        """Return what a list shows of a session; None where there is none of this id."""
        ...

    def claim(self, agent_name: str, key: str, session_id: str) -> Claim:
        """Return the session that an idempotency key started; else claim the key for a new one. For a thread."""
        ...

    def close(self) -> None:
        """Release what the sessions share, once none is open."""
        ...
