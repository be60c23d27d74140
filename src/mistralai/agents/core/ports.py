"""The ports: what the core asks of its surroundings, each a small protocol with a fake for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Sequence
    from contextvars import Context

    from mistralai.agents.authoring.model import Model
    from mistralai.agents.core.facts import Fact
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

    def write(self, facts: Sequence[Fact]) -> None:
        """Hand the facts to the operating system, all or none, in this order. Raises where they cannot be kept."""
        ...

    async def commit(self) -> None:
        """Return once all that was written would outlive a power cut, as far as the journal's policy goes."""
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
