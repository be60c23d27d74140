"""Waiting for a turn: until it ends, or a callback is open that nobody here answers. Leaving a wait changes nothing."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from mistralai.agents.handles.asking import handler_for
from mistralai.agents.handles.dress import dressed_event, dressed_state
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.turn_states import Blocked, Running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.authoring.output import OutputType
    from mistralai.agents.core.place import Place, Reading
    from mistralai.agents.handles.bound import Bound
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_states import TurnState

type OnEvent = Callable[[Event], Awaitable[None] | None]
"""Called with each event while a call waits."""


async def wait_for(
    turn: Turn,
    bound: Bound,
    place: Place,
    output: OutputType[Any] | None,
    after: str | None,
    timeout: float | None,
    on_event: OnEvent | None,
) -> TurnState[Any]:
    """Wait, and return the turn's record. Public page: Session and Turn, `Turn.result`."""
    wait = _Wait(turn, bound, place, output, after, on_event)
    try:
        with place.holding(turn.session_id):
            return await wait.run(timeout)
    except asyncio.CancelledError as error:
        error.add_note(_left(turn))
        raise
    finally:
        wait.leave()


def _left(turn: Turn) -> str:
    return (
        f"The wait was left; turn {turn.id} of session {turn.session_id} goes on. "
        "Stop it with turn.interrupt(), or end the session with session.cancel()."
    )


class _Wait:
    """One wait: what it has shown to `on_event`, and which callbacks it has offered to their handlers."""

    def __init__(
        self,
        turn: Turn,
        bound: Bound,
        place: Place,
        output: OutputType[Any] | None,
        after: str | None,
        on_event: OnEvent | None,
    ) -> None:
        self.turn = turn
        self.bound = bound
        self.place = place
        self.output = output
        self.after = after
        self.shown = after
        self.on_event = on_event
        self.offered: set[str] = set()
        self.asking: set[asyncio.Task[None]] = set()

    async def run(self, timeout: float | None) -> TurnState[Any]:
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        while True:
            reading = await self.place.read_turn(self.turn.session_id, self.turn.id, self.after)
            waited = self.on_event is not None and await self.show(reading.state.cursor)
            self.raise_what_handlers_raised()
            late = deadline is not None and loop.time() >= deadline
            if waited and not late:
                continue  # the log may have moved on while `on_event` took its time
            if self.is_over(reading) or late:
                return dressed_state(reading.state, self.bound.agent, self.place, self.output)
            await self.change(reading.state.cursor, deadline)

    def is_over(self, reading: Reading) -> bool:
        """Whether there is nothing to wait for: the turn ended, or a fresh callback stays open that was offered."""
        state = reading.state
        if isinstance(state, Running):
            return False
        if not isinstance(state, Blocked):
            return True
        fresh = [callback for callback in state.callbacks if callback.id in reading.fresh]
        for callback in fresh:
            self.offer(callback)
        return bool(fresh) and not self.asking

    def offer(self, callback: OpenCallback) -> None:
        """Let the handler of its kind answer a callback, once a wait."""
        if callback.id in self.offered:
            return
        self.offered.add(callback.id)
        if (handling := handler_for(self.turn, self.bound, self.place, callback)) is not None:
            self.asking.add(asyncio.create_task(handling))

    def raise_what_handlers_raised(self) -> None:
        for task in [task for task in self.asking if task.done()]:
            self.asking.discard(task)
            if task.cancelled():  # by itself: raised here, it would read as if the wait had been cancelled
                raise SdkError(
                    f"A handler of turn {self.turn.id} was cancelled, by its own code or by who cancels every task. "
                    f"Its callback stays open. {_left(self.turn)}"
                )
            if (raised := task.exception()) is not None:
                raised.add_note(_left(self.turn))
                raise raised

    async def show(self, until: str) -> bool:
        """Hand over the events up to a cursor: with a record, each event it rests on is handed over before it.

        Returns whether the function was awaited.
        """
        assert self.on_event is not None
        waited = False
        for event in await self.place.read_events(self.turn.session_id, self.turn.id, self.shown, until):
            # The position counts as reached when the function was called: one that raises has seen the event.
            self.shown = event.id
            told = self.on_event(dressed_event(event, self.bound.agent, self.place, self.output))
            if inspect.isawaitable(told):
                waited = True
                await told
        self.shown = until
        return waited

    async def change(self, since: str, deadline: float | None) -> None:
        """Return once the log moved on, a handler is done, or the time is up."""
        changed = self.place.changed(self.turn.session_id, since, milestones=self.on_event is None)
        if not self.asking:
            if deadline is None:
                await changed
                return
            try:
                async with asyncio.timeout_at(deadline):
                    await changed
            except TimeoutError:
                pass
            return
        watching = asyncio.ensure_future(changed)
        timeout = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        try:
            await asyncio.wait({watching, *self.asking}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
        if watching.done() and not watching.cancelled():
            watching.result()

    def leave(self) -> None:
        """Give up the handlers that still run: what they would answer, the next wait asks again."""
        for task in self.asking:
            task.cancel()
            task.add_done_callback(_read)


def _read(task: asyncio.Task[None]) -> None:
    """Take note of how a handler ended: of several that fail at once the wait raises one."""
    if not task.cancelled():
        task.exception()
