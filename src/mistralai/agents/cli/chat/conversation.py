"""The conversation: messages go to the session, what happens in its turns comes back to the face."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.questions import Questions
from mistralai.agents.cli.chat.teller import THINKING, Teller
from mistralai.agents.cli.chat.unsaved import LOGGER, Unsaved
from mistralai.agents.cli.chat.wording import raised_by, spent, succeeded
from mistralai.agents.cli.problem import one_line
from mistralai.agents.core.stopping import GRACE_SECONDS
from mistralai.agents.values.errors import AgentsError
from mistralai.agents.values.events import CallbackOpened, CallbackResolved, TurnEnded
from mistralai.agents.values.turn_states import Blocked, Failed, Running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from types import TracebackType

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.cli.chat.owner import Owner
    from mistralai.agents.handles.session import Session
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_states import TurnState

TWICE_SECONDS = 1.0
"""Two Ctrl+C within this end the conversation."""
PATIENCE_SECONDS = 3.0
"""How long a conversation in which nobody can be asked waits for a session that cannot be saved."""
UNSAVED = "waiting until the session can be saved"
LAST_WAIT_SECONDS = 1.0
"""How long leaving waits for what should come at once."""
ENDS_HINT = "Ctrl+C again ends, and so do Ctrl+D and /exit."


class Conversation:
    """Holds one session's conversation with a face. Used as `async with`, which lets go of its turn."""

    def __init__(self, session: Callable[[], Awaitable[Session]], face: Face, owner: Owner, *, saved: bool) -> None:
        self.face = face
        self._owner = owner
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
        self._stopping: asyncio.Task[bool] | None = None
        """The latest interruption, which comes to whether the turn takes it."""
        self._unsaved_at: float | None = None
        """When it was last logged that the session cannot be saved; None where it went on since."""
        self._told_of: set[str] = set()
        """What was told of that, each once."""
        self._gives_up: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()
        """Set once nothing of the turn is waited for any more."""
        self._ended_by: asyncio.Task[None] | None = None
        self._log = Unsaved(asyncio.get_running_loop(), self._is_ours, self._cannot_be_saved)
        face.on_interrupt = self.interrupt

    async def __aenter__(self) -> Self:
        LOGGER.addHandler(self._log)
        self._owner.conversation = self
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._owner.conversation = None
        try:
            await self.leave()
        finally:
            LOGGER.removeHandler(self._log)

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
        """Return once no turn runs, the one that waits has nobody to ask, or nothing of it is waited for any more."""
        if self._following is None:
            return
        reasons = [asyncio.create_task(event.wait()) for event in (self._questions.left_open, self._over)]
        try:
            await asyncio.wait({self._following, *reasons}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for reason in reasons:
                reason.cancel()
        if self._following.done():
            self._following.result()

    async def leave(self) -> None:
        """Let go of the turn that is followed; it is not stopped unless that was asked for. Takes some seconds."""
        self._be_patient(None)
        if self._following is not None and not self._following.done():
            await self._wait_for_the_stop(self._following)
        if self._unsaved_at is not None:
            self.failed = True
        if self._following is not None and not self._following.done():
            await self._take_state()
            self._following.cancel()
            await asyncio.wait({self._following})
        self._questions.leave()

    def ended_by(self, error: BaseException) -> None:
        """Something that the turn ran ended the program: the conversation ends."""
        self.failed = True
        self._ended_by = asyncio.create_task(self._end_by(error))

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
    def is_over(self) -> bool:
        """Whether the conversation ended of itself: its session cannot be saved, or a tool ended the program."""
        return self._over.is_set()

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
            self._stopping = asyncio.create_task(self._stop(self._turn))
        else:
            self.face.line("note", ENDS_HINT)
        self._interrupted_at = now

    async def _stop(self, turn: Turn) -> bool:
        try:
            await turn.interrupt()
        except Exception as error:
            self.face.line("failed", one_line(error))
            if self._teller is not None:
                self._teller.say_what_runs()
            return False
        return True

    async def _wait_for_the_stop(self, following: asyncio.Task[None]) -> None:
        """Return once the turn that was interrupted has ended, or does not come to it in time."""
        if (stopping := self._stopping) is None:
            return
        await asyncio.wait({stopping}, timeout=LAST_WAIT_SECONDS if self._unsaved_at is not None else GRACE_SECONDS)
        if stopping.done() and stopping.result():
            await asyncio.wait({following}, timeout=LAST_WAIT_SECONDS)
        stopping.cancel()

    async def _take_state(self) -> None:
        if self._turn is not None:
            try:
                self.state = await self._turn.get()
            except AgentsError as error:
                self.failed = True
                self.face.line("failed", one_line(error))

    async def _end_by(self, error: BaseException) -> None:
        entries: Sequence[Entry] = ()
        if self.session is not None:
            with suppress(AgentsError):
                entries = await self.session.history()
        tool = raised_by(entries, error)
        what = f"Tool {one_row(tool)}" if tool is not None else "Something that the agent ran"
        self.face.line("failed", f"{what} ended the program: {one_line(error)}")
        self._give_up()

    def _is_ours(self, session_id: str) -> bool:
        return self.session is not None and session_id == self.session.id

    def _cannot_be_saved(self, said: str, at: float) -> None:
        if said not in self._told_of:
            self._told_of.add(said)
            self.face.line("failed", said)
            self.face.busy(UNSAVED)
        if self._unsaved_at is None and not self.face.types_ahead:
            self._be_patient(PATIENCE_SECONDS)
        self._unsaved_at = at

    def _goes_on(self, event: Event) -> None:
        """Take note of an event that was saved since it was said that none can be."""
        if self._unsaved_at is not None and event.created_at.timestamp() > self._unsaved_at:
            self._unsaved_at = None
            self._be_patient(None)

    def _be_patient(self, seconds: float | None) -> None:
        """Wait so long for the turn to go on; None for as long as it takes."""
        if self._gives_up is not None:
            self._gives_up.cancel()
        self._gives_up = asyncio.get_running_loop().call_later(seconds, self._give_up) if seconds is not None else None

    def _give_up(self) -> None:
        self.failed = True
        self.face.end()
        self._over.set()

    async def _follow(self, turn: Turn, teller: Teller, *, retold: bool) -> None:
        try:
            async for event in self._events(turn, retold=retold):
                self._goes_on(event)
                teller.tell(event)
                if self._unsaved_at is not None:  # it was logged before this was told
                    self.face.busy(UNSAVED)
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
