"""The local place: sessions of this process, in the runtime of one event loop."""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.call_errors import InputUnavailable
from mistralai.agents.core.commands import (
    Answer,
    Cancel,
    Interrupt,
    SendMessage,
    StartTurn,
    Steer,
)
from mistralai.agents.core.decide import (
    decide_answer,
    decide_cancel,
    decide_interrupt,
    decide_send,
    decide_start,
    decide_steer,
)
from mistralai.agents.core.loop import advance
from mistralai.agents.core.place import Reading
from mistralai.agents.core.ports import StartedElsewhereError
from mistralai.agents.core.positions import START, Position, end_of, position_of
from mistralai.agents.local.runtime import cancel
from mistralai.agents.values.errors import (
    SdkError,
    SessionNotFoundError,
    SessionTerminatedError,
    TurnNotFoundError,
)
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Generator

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.model import OutputFormat
    from mistralai.agents.core.commands import Accepted, Command, Refusal
    from mistralai.agents.core.decide import Decision
    from mistralai.agents.core.place import Start
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import SessionState, TurnProgress
    from mistralai.agents.local.runtime import Runtime
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.sessions import SessionInfo
    from mistralai.agents.values.usage import TokenUsage

_DECIDE: dict[type[Command], Callable[[SessionState, Any, float], Decision]] = {
    StartTurn: decide_start,
    SendMessage: decide_send,
    Steer: decide_steer,
    Answer: decide_answer,
    Interrupt: decide_interrupt,
    Cancel: decide_cancel,
}


UNLOADED = (
    "Session {} was unloaded from this event loop, and is saved as it was. "
    "Open it again with agent.session(id) where journal_factory names its directory."
)


class LocalPlace:
    """Implements `Place` on the runtime of one event loop."""

    __slots__ = ("runtime",)

    def __init__(self, runtime: Runtime) -> None:
        self.runtime: Runtime = runtime

    async def start(self, agent: AgentDefinition[Any], start: Start, output: OutputFormat | None = None) -> OpenSession:
        """Start a session of an agent, or return the one that the same key started."""
        from mistralai.agents.local.starting import same_start, start_session

        saved, session_id = self.runtime.saved, uuid7()
        if saved is None or start.key is None:
            session = start_session(self.runtime, agent, start, output, session_id)
            await self._started(session)
            return session
        claim = await saved.claim(agent.name, start.key, session_id)
        session_id = claim.session_id
        if claim.there:
            await self.open_saved(session_id, agent)
            return same_start(self._session(session_id), start)
        try:
            session = start_session(self.runtime, agent, start, output, session_id)
        finally:
            claim.release()
        try:
            await session.commit()
        except StartedElsewhereError:
            saved.lose(session)
            await self.open_saved(session_id, agent)
            return same_start(self._session(session_id), start)
        return session

    async def _started(self, session: OpenSession) -> None:
        """Wait until a new session is safe. One that nobody will know of, because who asked has left, ends."""
        try:
            await session.commit()
        except asyncio.CancelledError:
            if session.state.ended is None and not session.unloading:
                cancel(session)
            raise

    @property
    def identity(self) -> object:
        """The runtime itself: two of one process are two places."""
        return self.runtime

    async def command(self, session_id: str, command: Command) -> Accepted | Refusal:
        """Decide on a command, log what comes of it, and let the turn go on."""
        session = self._session(session_id)
        if isinstance(command, StartTurn | SendMessage):
            self.runtime.check_accepts()
            await self.runtime.check_model(session)
        return await self.carry_out(session, command)

    async def open_saved(self, session_id: str, agent: AgentDefinition[Any] | None) -> None:
        """Open a session that is saved and not open here; nothing where the runtime saves none."""
        saved = self.runtime.saved
        if saved is not None and agent is not None and session_id not in self.runtime.sessions:
            self._check_loop()
            await saved.ensure(session_id, agent)

    async def carry_out(self, session: OpenSession, command: Command) -> Accepted | Refusal:
        """Carry out a command on an open session."""
        if session.unloading:
            raise SessionTerminatedError(UNLOADED.format(session.session_id))
        decision = _DECIDE[type(command)](session.state, command, session.now())
        if not isinstance(decision, tuple):
            return decision
        accepted, facts = decision
        saved = self.runtime.saved
        if saved is not None and (watch := saved.watches.get(session.session_id)) is not None and not watch.over:
            if facts:
                raise watch.reason
            return accepted  # the same command was taken before, by who writes the session
        session.append(facts)
        advance(session)
        await session.commit()
        if isinstance(command, Interrupt):
            await self._stopped(session, command.turn_id)
        return accepted

    async def cancel(self, session_id: str) -> None:
        """End a session; it returns at once where the session has ended, or went with its block."""
        if session_id in self.runtime.gone:
            return
        session = self._session(session_id)
        await self.carry_out(session, Cancel())
        while session.state.ended is None:
            await self._next(session, milestones=True)
        await session.commit()

    async def read_turn(self, session_id: str, turn_id: str, after: str | None = None) -> Reading:
        """Read a turn now."""
        from mistralai.agents.core.present import turn_state

        session = self._session(session_id)
        turn = self._turn(session, turn_id)
        fresh: frozenset[str] = frozenset()
        if turn.open_callbacks:
            position = START if after is None else position_of(session, after)
            fresh = frozenset(key for key, callback in turn.open_callbacks.items() if callback.position > position.fact)
        elif after is not None:
            position_of(session, after)
        state = turn_state(session, turn)
        await session.told(vital=bool(turn.open_callbacks) or turn.end is not None)
        return Reading(state=state, fresh=fresh)

    async def read_callback(self, session_id: str, callback_id: str) -> OpenCallback | bool:
        """Return an open callback, True for one that is closed, False for one that never was."""
        from mistralai.agents.core.present import open_callback

        session = self._session(session_id)
        callback = session.state.callbacks.get(callback_id)
        if callback is None:
            return False
        if callback.settled is not None or session.state.ending:
            return True
        return open_callback(session, callback.opened)

    async def read_events(self, session_id: str, turn_id: str | None, after: str | None, until: str) -> list[Event]:
        """Return the events between two cursors, the second included."""
        from mistralai.agents.local.follow import Reader

        session = self._session(session_id)
        reader = Reader(session, turn_id, self._from(session, turn_id, after))
        return list(reader.read(position_of(session, until)))

    async def follow(self, session_id: str, turn_id: str | None, after: str | None) -> AsyncIterator[Event]:
        """Yield the events after a cursor, then the live ones, to the end of the turn or session."""
        from mistralai.agents.local.follow import Reader
        from mistralai.agents.values.events import CallbackOpened, TurnEnded

        session = self._session(session_id)
        if turn_id is not None:
            self._turn(session, turn_id)
        reader = Reader(session, turn_id, self._from(session, turn_id, after))
        with self.holding(session_id):
            while True:
                for event in reader.read():
                    await session.told(vital=isinstance(event, CallbackOpened | TurnEnded))
                    yield event
                if reader.at_end():
                    return
                if not reader.behind():
                    await self._next(session)

    async def changed(self, session_id: str, since: str, *, milestones: bool) -> None:
        """Return once there is something after a cursor."""
        session = self._session(session_id)
        if session.state.ended is None and end_of(session) == position_of(session, since):
            await self._next(session, milestones=milestones)

    async def started_turn(self, session_id: str) -> str | None:
        """Return the id of the session's first turn."""
        return next(iter(self._session(session_id).state.turns), None)

    async def history(self, session_id: str) -> tuple[Entry, ...]:
        """Return the session's entries, oldest first."""
        from mistralai.agents.local.follow import Reader
        from mistralai.agents.values.events import EntryCompleted

        session = self._session(session_id)
        reader = Reader(session, None, START)
        await session.told(vital=False)
        return tuple(event.entry for event in reader.read() if isinstance(event, EntryCompleted))

    async def info(self, session_id: str) -> SessionInfo:
        """Return what a list of sessions shows of this one."""
        from mistralai.agents.local.listing import session_info

        session = self._session(session_id)
        await session.told(vital=False)
        return session_info(session)

    async def usage(self, session_id: str, turn_id: str) -> TokenUsage:
        """Return the tokens of a turn's model calls."""
        from mistralai.agents.core.present import token_usage

        return token_usage(self._turn(self._session(session_id), turn_id).usage)

    @contextmanager
    def holding(self, session_id: str) -> Generator[None]:
        """Keep a session readable for a wait; a block that ends releases it all the same."""
        runtime = self.runtime
        runtime.held[session_id] += 1
        try:
            yield
        finally:
            runtime.held[session_id] -= 1
            if not runtime.held[session_id]:
                del runtime.held[session_id]
                runtime.release_ended()

    def inputs(self, session_id: str) -> Callable[[type[Any]], Any]:
        """Return the reader of the session's inputs. It raises SdkError for one that is missing or rejected."""
        inputs = self._session(session_id).inputs

        def read(kind: type[Any]) -> Any:
            try:
                return inputs.get(kind)
            except InputUnavailable as error:
                raise SdkError(str(error)) from None

        return read

    def run_in_thread(self, function: Callable[[], Any]) -> Awaitable[Any]:
        """Run a client tool's function in a thread for tools."""
        return self.runtime.threads.run(function, contextvars.copy_context())

    async def shared(self, callback_id: str, start: Callable[[], Awaitable[None]]) -> None:
        """Run the answering of a call once, however many wait for it; it is given up when nobody waits any more."""
        from mistralai.agents.local.shared import join

        await join(self.runtime.shared, callback_id, start)

    def session(self, session_id: str) -> OpenSession:
        """Return an open session.

        Raises SessionNotFoundError, or SessionTerminatedError for one that went with its block.
        """
        return self._session(session_id)

    def _session(self, session_id: str) -> OpenSession:
        self._check_loop()
        if (session := self.runtime.sessions.get(session_id)) is not None:
            return session
        if self.runtime.saved is not None and (view := self.runtime.saved.view(session_id)) is not None:
            return view
        if session_id in self.runtime.gone or self.runtime.closed:
            raise SessionTerminatedError("The local Session has ended")
        raise SessionNotFoundError(
            f"This event loop's local runtime has no session {session_id!r}. Start one with agent.start_session(); "
            "a session in memory is gone with its event loop."
        )

    async def _next(self, session: OpenSession, *, milestones: bool = False) -> None:
        """Wait for what comes next in a session. Raises SessionTerminatedError where it is let go of meanwhile."""
        if self.runtime.saved is not None:
            self.runtime.saved.keep_up(session.session_id)
        if not session.unloading:
            await session.changed(milestones=milestones)
        if session.unloading:
            raise SessionTerminatedError(UNLOADED.format(session.session_id))
        if self.runtime.saved is not None:
            self.runtime.saved.view(session.session_id)  # raises what keeps the journal from being read on

    def _check_loop(self) -> None:
        if asyncio.get_running_loop() is not self.runtime.loop:
            raise SessionNotFoundError(
                f"This handle belongs to another event loop ({self.runtime.loop!r}) than the one that runs. "
                "Use it there, or start a session in this loop."
            )

    def _turn(self, session: OpenSession, turn_id: str) -> TurnProgress:
        if (turn := session.state.turns.get(turn_id)) is None:
            raise TurnNotFoundError(
                f"Session {session.session_id} has no turn {turn_id!r}. "
                "Use the turn_id of one of its records or events."
            )
        return turn

    def _from(self, session: OpenSession, turn_id: str | None, after: str | None) -> Position:
        if after is not None:
            return position_of(session, after)
        return START if turn_id is None else Position(self._turn(session, turn_id).start_position, 0)

    async def _stopped(self, session: OpenSession, turn_id: str) -> None:
        """Wait for the end of a turn that is being interrupted."""
        turn = session.state.turn(turn_id)
        while turn.end is None:
            await self._next(session, milestones=True)
        await session.commit()
