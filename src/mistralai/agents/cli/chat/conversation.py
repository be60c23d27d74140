"""The conversation: messages go to the session, what happens in its turns comes back to the face."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.questions import Questions
from mistralai.agents.cli.chat.teller import THINKING, Teller
from mistralai.agents.cli.chat.wording import spent, succeeded
from mistralai.agents.cli.problem import one_line
from mistralai.agents.values.events import CallbackOpened, CallbackResolved, TurnEnded
from mistralai.agents.values.turn_states import Blocked, Failed, Running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.handles.session import Session
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_states import TurnState

TWICE_SECONDS = 1.0
"""Two Ctrl+C within this end the conversation."""
ENDS_HINT = "Ctrl+C again ends, and so do Ctrl+D and /exit."


class Conversation:
    """Holds one session's conversation with a face."""

    def __init__(self, session: Callable[[], Awaitable[Session]], face: Face, *, saved: bool) -> None:
        self.face = face
        self.session: Session | None = None
        """The session; None before the first message, so that none is saved in which nothing was said."""
        self._open = session
        self.state: TurnState[Any] | None = None
        """The latest record of the latest turn; None while it is followed."""
        self.failed: bool = False
        """Whether a message came to a turn that failed, or to none. At a terminal the last message: who saw an earlier
        one fail went on."""
        self._questions = Questions(face, keep_open=saved)
        self._turn: Turn | None = None
        self._teller: Teller | None = None
        self._told_up_to: str | None = None
        """The latest event of the session that was told; None for none."""
        self._following: asyncio.Task[None] | None = None
        self._interrupted_at = float("-inf")
        self._stopping: set[asyncio.Task[Any]] = set()
        face.on_interrupt = self.interrupt

    async def say(self, text: str) -> None:
        """Send a message: it starts a turn, or joins the one that runs."""
        if self.session is None:
            self.session = await self._open()
        turn = await self.session.send_message(text)
        if turn.started:
            await self.settled()
            self.follow(turn)
        else:
            self.face.line("note", "  added to the running turn")

    def follow(self, turn: Turn, *, retold: bool = False) -> None:
        """Show a turn from its start on, and answer what it asks."""
        self._turn = turn
        self.state = None
        if self.face.types_ahead:
            self.failed = False
        self.face.busy(THINKING)
        self._teller = Teller(self.face, retold=retold)
        self._following = asyncio.create_task(self._follow(turn, self._teller, retold=retold))

    async def go_on(self) -> None:
        """Show the latest turn of a saved session again: one that waits asks, one that runs goes on."""
        self.session = await self._open()
        history = await self.session.history()
        latest = next((entry.turn_id for entry in reversed(history) if entry.turn_id is not None), None)
        if latest is not None:
            self.follow(self.session.turn(latest), retold=True)

    async def settled(self) -> None:
        """Return once no turn runs, or the one that waits has nobody to ask."""
        if self._following is None:
            return
        left_open = asyncio.create_task(self._questions.left_open.wait())
        await asyncio.wait({self._following, left_open}, return_when=asyncio.FIRST_COMPLETED)
        left_open.cancel()
        if self._following.done():
            self._following.result()

    async def leave(self) -> None:
        """Let go of the turn that is followed; it is not stopped unless that was asked for."""
        if self._stopping and self._following is not None:
            await asyncio.wait({*self._stopping, self._following})
        if self._following is not None and not self._following.done():
            if self._turn is not None:
                self.state = await self._turn.get()
            self._following.cancel()
            await asyncio.wait({self._following})
        self._questions.leave()

    @property
    def turn(self) -> Turn | None:
        """The latest turn that was followed."""
        return self._turn

    @property
    def runs(self) -> bool:
        """Whether a turn is being followed."""
        return self._following is not None and not self._following.done()

    @property
    def running_tools(self) -> list[str]:
        """The tools that run now."""
        return self._teller.running_tools if self._teller is not None else []

    @property
    def went_well(self) -> bool:
        """Whether the latest turn completed."""
        return not self.failed and succeeded(self.state)

    @property
    def unfinished(self) -> bool:
        """Whether the latest turn runs or waits still."""
        return isinstance(self.state, Running | Blocked)

    @property
    def nobody_answers(self) -> bool:
        """Whether the input ended with a question still open."""
        return self._questions.nobody_answers

    @property
    def waits(self) -> bool:
        """Whether the latest turn waits for an answer."""
        return isinstance(self.state, Blocked)

    def interrupt(self) -> None:
        """Stop the turn that runs. A second time within a second: end the conversation."""
        now = time.monotonic()
        if now - self._interrupted_at < TWICE_SECONDS:
            self.face.end()
        elif self.runs and self._turn is not None:
            self.face.busy("stopping")
            task = asyncio.create_task(self._turn.interrupt())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)
        else:
            self.face.line("note", ENDS_HINT)
        self._interrupted_at = now

    async def _follow(self, turn: Turn, teller: Teller, *, retold: bool) -> None:
        try:
            async for event in self._events(turn, retold=retold):
                teller.tell(event)
                if isinstance(event, CallbackOpened):
                    self._questions.opened(turn, event.callback)
                elif isinstance(event, CallbackResolved):
                    self._questions.closed(event.callback_id)
            self.state = teller.state
            if isinstance(self.state, Failed) and not retold:
                self.failed = True
            usage = await turn.usage()
        except Exception as error:
            self.failed = True
            self.face.busy(None)
            self.face.line("failed", one_line(error))
            return
        self.face.line("end", spent(usage, teller.seconds))

    async def _events(self, turn: Turn, *, retold: bool) -> AsyncIterator[Event]:
        """Yield the turn's events up to its end, with what was said of the session as a whole since the last turn."""
        begun = not retold
        async for event in turn.session.iter_events(after=self._told_up_to):
            self._told_up_to = event.id
            ours = event.turn_id == turn.id
            begun = begun or ours
            if ours or (begun and event.turn_id is None):
                yield event
            if ours and isinstance(event, TurnEnded):
                return
