"""An open session: its log, the state it comes to, and who waits for the next fact. The loop and the place share it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai.agents.core.facts import CallbackOpened, CallbackSettled, ReplyEnded, SessionEnded, TurnEnded
from mistralai.agents.core.fold import apply
from mistralai.agents.core.state import SessionState
from mistralai.agents.values.errors import JournalError, JournalLostError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mistralai.agents.authoring.model import Model
    from mistralai.agents.authoring.session_inputs import SessionInputs
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.hooks import SessionHooks
    from mistralai.agents.core.live import LiveReply
    from mistralai.agents.core.ports import Journal, Surroundings, Timer
    from mistralai.agents.core.settings import Settings
    from mistralai.agents.core.works import Work

_MILESTONES = (CallbackOpened, CallbackSettled, TurnEnded, SessionEnded)


class OpenSession:
    """A session that this process writes. Holds no task while it is idle or blocked."""

    __slots__ = (
        "__weakref__",
        "_any_waiters",
        "_inputs",
        "_milestone_waiters",
        "expiry",
        "hooks",
        "journal",
        "live",
        "log",
        "override",
        "settings",
        "stalled",
        "state",
        "stop_timer",
        "surroundings",
        "unloading",
        "wire",
        "works",
    )

    def __init__(self, settings: Settings, surroundings: Surroundings, journal: Journal | None = None) -> None:
        self.settings: Settings = settings
        self.surroundings: Surroundings = surroundings
        self.journal: Journal | None = journal
        self.state: SessionState = SessionState()
        self.log: list[Fact] = []
        self.live: LiveReply | None = None
        self.works: dict[str, Work] = {}
        """What runs now: the model's call and the tools, by key."""
        self.hooks: SessionHooks | None = None
        """The session's own hooks, from the first point that runs."""
        self.stalled: int = 0
        """How many times in a row the journal refused the next step."""
        self.unloading: bool = False
        """Whether this process lets go of the session: what runs may end, and no further step is taken."""
        self.stop_timer: Timer | None = None
        self.expiry: Timer | None = None
        """Due when the first open callback expires."""
        self.wire: dict[str, Any] = {}
        """What a provider has encoded of the history."""
        self.override: Model | None = None
        """The model object that stood in for the agent's when the session started."""
        self._inputs: SessionInputs | None = None
        self._any_waiters: list[asyncio.Future[None]] = []
        self._milestone_waiters: list[asyncio.Future[None]] = []

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.state.session_id

    @property
    def inputs(self) -> SessionInputs:
        """The session's inputs, read when a tool or hook first asks for one."""
        if self._inputs is None:
            from mistralai.agents.authoring.session_inputs import SessionInputs

            self._inputs = SessionInputs(self.state.started.inputs if self.state.started else {})
        return self._inputs

    def now(self) -> float:
        """Return the time for the next fact: never before the last one, even where the clock was set back."""
        return max(self.surroundings.clock.time(), self.state.last_at)

    def append(self, facts: Sequence[Fact]) -> None:
        """Add facts to the log as one: all of them, or none where the journal cannot keep them. Wakes who waits."""
        if not facts:
            return
        if self.journal is not None:
            try:
                self.journal.write(facts)
            except JournalLostError:
                self.surroundings.lost(self)  # to ask again would be in vain
                raise
        self.stalled = 0
        state = self.state
        generation = state.generation
        milestone = False
        for fact in facts:
            if self.live is not None:
                self.live.passed[state.next_position] = (state.last_event, self.live.length)
            apply(state, fact)
            self.log.append(fact)
            if type(fact) is ReplyEnded and fact.opened:
                self.live = None
            if isinstance(fact, _MILESTONES):
                milestone = True
        if state.generation != generation:
            self.wire.clear()
        self.wake(milestone=milestone)
        if state.ended is not None:
            self.surroundings.ended(self)

    def load(self, facts: Sequence[Fact]) -> None:
        """Take facts that a journal holds. Wakes who waits."""
        for fact in facts:
            apply(self.state, fact)
            self.log.append(fact)
        self.wake(milestone=True)

    @property
    def waited_for(self) -> bool:
        """Whether anybody waits for what comes next."""
        return bool(self._any_waiters or self._milestone_waiters)

    async def commit(self) -> None:
        """Return once what was appended is as safe as the journal makes it. Raises JournalError if it may be lost."""
        if self.journal is None:
            return
        try:
            await self.journal.commit()
        except JournalError:
            self.surroundings.lost(self)
            raise

    async def told(self, *, vital: bool) -> None:
        """Return once what was appended may be told: it will be there after a crash.

        What is `vital` is acted on, an answer sought or a payment ticked off, and a power cut must not take it either.
        """
        if self.journal is not None and (vital or not self.journal.outlives_the_process):
            await self.commit()

    def wake(self, *, milestone: bool = False) -> None:
        """Wake who follows the log, and at a milestone who waits for a turn."""
        if self._any_waiters:
            self._release(self._any_waiters)
        if milestone and self._milestone_waiters:
            self._release(self._milestone_waiters)

    async def changed(self, *, milestones: bool = False) -> None:
        """Wait for the next fact or chunk; with `milestones`, for a callback that opens or closes, or an end."""
        waiters = self._milestone_waiters if milestones else self._any_waiters
        waiter = asyncio.get_running_loop().create_future()
        waiters.append(waiter)
        try:
            await waiter
        finally:
            # A wait that was cancelled in the same step of the loop as a wake is off the list already.
            if (not waiter.done() or waiter.cancelled()) and waiter in waiters:
                waiters.remove(waiter)

    @staticmethod
    def _release(waiters: list[asyncio.Future[None]]) -> None:
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        waiters.clear()
