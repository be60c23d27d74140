"""The handle of a session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NoReturn

from mistralai.agents.core.commands import Accepted, Ended, KeyReused, Occupied, SendMessage, StartTurn
from mistralai.agents.handles.arguments import (
    check_key,
    check_on_event,
    check_timeout,
    cursor_of,
    encode_content,
    output_of,
)
from mistralai.agents.handles.bound import Bound
from mistralai.agents.handles.busy import Busy
from mistralai.agents.handles.dress import dressed_event
from mistralai.agents.handles.turn import Turn
from mistralai.agents.values.errors import (
    SdkError,
    SessionBusyError,
    SessionIdempotencyConflictError,
    SessionTerminatedError,
)
from mistralai.agents.values.ids import uuid7
from mistralai.agents.values.turn_states import Blocked, Running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic import BaseModel

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.core.commands import Refusal
    from mistralai.agents.core.place import Place
    from mistralai.agents.handles.handlers import Handlers
    from mistralai.agents.handles.waiting import OnEvent
    from mistralai.agents.handles.where import Where
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.sessions import SessionInfo
    from mistralai.agents.values.turn_input import TurnInput
    from mistralai.agents.values.turn_states import TurnState


class Session:
    """A session, named by its ID. Get one from an agent. Public page: Session and Turn.

    Two handles of the same session in the same place are equal. Only the methods that are awaited reach the session.
    """

    __slots__ = ("_bound",)

    def __init__(self, session_id: str, where: Where, agent: AgentDefinition[Any] | None, handlers: Handlers) -> None:
        if not isinstance(session_id, str) or not session_id:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
            raise SdkError(f"session_id is {session_id!r}. Pass the session_id of a record or an event.")
        self._bound = Bound(session_id, where, agent, handlers)

    @property
    def id(self) -> str:
        """The session's ID."""
        return self._bound.session_id

    def turn(self, turn_id: str) -> Turn:
        """Return the handle of a turn by its ID. Sends nothing."""
        return Turn(self, self._bound, turn_id)

    async def send_message(self, content: TurnInput, *, idempotency_key: str | None = None) -> Turn:
        """Start a turn with the message, or add it to the one that runs; `turn.started` says which.

        Raises SessionBusyError, with nothing applied, where the session cannot take it now.
        """
        command = SendMessage(
            turn_id=uuid7(), entry_id=uuid7(), content=encode_content(content), key=check_key(idempotency_key)
        )
        place = await self._bound.place()
        outcome = await place.command(self.id, command)
        if isinstance(outcome, Occupied):
            await self._stopped(place, outcome.active_turn_id)
            outcome = await place.command(self.id, command)
        if isinstance(outcome, Occupied):
            raise SessionBusyError(
                f"Session {self.id} takes no message now: its turn {outcome.active_turn_id} is being stopped. "
                "Send it again when that has ended."
            )
        accepted = self._accepted(outcome)
        return Turn(self, self._bound, accepted.turn_id, accepted.started)

    async def start_turn(self, content: TurnInput, *, idempotency_key: str | None = None) -> Turn | Busy:
        """Start a turn, only if none is active; otherwise return Busy with the active one.

        The same `idempotency_key` with the same message returns the turn it started; with another message it raises
        SessionIdempotencyConflictError. A key that was refused with Busy stays free.
        """
        encoded, key = encode_content(content), check_key(idempotency_key)
        command = StartTurn(turn_id=uuid7(), entry_id=uuid7(), content=encoded, key=key)
        place = await self._bound.place()
        outcome = await place.command(self.id, command)
        if isinstance(outcome, Occupied):
            active = outcome.active_turn_id
            return Busy(session_id=self.id, active_turn_id=active, turn=self.turn(active))
        return Turn(self, self._bound, self._accepted(outcome).turn_id, started=True)

    async def run(
        self,
        content: TurnInput,
        *,
        output_type: type[BaseModel] | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        on_event: OnEvent | None = None,
    ) -> TurnState[Any] | Busy:
        """Start a turn and wait as `Turn.result` does; Busy where another is active. Leaving the wait stops nothing."""
        # What the wait cannot use is refused before the turn starts.
        output_of(self._bound.agent, output_type)
        check_timeout(timeout)
        check_on_event(on_event)
        turn = await self.start_turn(content, idempotency_key=idempotency_key)
        if isinstance(turn, Busy):
            return turn
        return await turn.result(output_type=output_type, timeout=timeout, on_event=on_event)

    def iter_events(self, *, after: TurnState[object] | str | None = None) -> AsyncIterator[Event]:
        """Yield the session's events after a record or cursor, or from its start, until it ends. Changes nothing."""
        return self._follow(cursor_of(after))

    async def _follow(self, after: str | None) -> AsyncIterator[Event]:
        place = await self._bound.place()
        output = output_of(self._bound.agent, None)
        async for event in place.follow(self.id, None, after):
            yield dressed_event(event, self._bound.agent, place, output)

    async def cancel(self) -> None:
        """End the session and what it runs; returns once it has ended. A session that has ended is left as it is."""
        place = await self._bound.place()
        await place.cancel(self.id)

    async def subagents(self) -> list[Session]:
        """Return the handles of the session's direct subagents, newest first."""
        place = await self._bound.place()
        await place.info(self.id)  # a session that is not there has no subagents either, and says so
        return []

    async def history(self) -> tuple[Entry, ...]:
        """Return the session's complete entries, oldest first."""
        place = await self._bound.place()
        return await place.history(self.id)

    async def info(self) -> SessionInfo:
        """Return what a list of sessions shows of this one."""
        place = await self._bound.place()
        return await place.info(self.id)

    async def _stopped(self, place: Place, turn_id: str) -> None:
        """Wait for a turn that is being stopped and reads no more messages: its end makes room."""
        state = (await place.read_turn(self.id, turn_id)).state
        try:
            async with asyncio.timeout(_STOPPING_SECONDS):
                while isinstance(state, Running | Blocked):
                    await place.changed(self.id, state.cursor, milestones=True)
                    state = (await place.read_turn(self.id, turn_id)).state
        except TimeoutError:
            return  # the command says that the session is busy

    def _accepted(self, outcome: Accepted | Refusal) -> Accepted:
        match outcome:
            case Accepted():
                return outcome
            case Ended():
                raise SessionTerminatedError("The local Session has ended")
            case KeyReused(key=key):
                raise SessionIdempotencyConflictError(
                    f"Session {self.id}: idempotency key {key!r} was used for another message. "
                    "Use a new key for a new message."
                )
            case _:
                raise SessionBusyError(f"Session {self.id} takes no message now. Send it again later.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Session):
            return NotImplemented
        return self.id == other.id and self._bound.where.identity == other._bound.where.identity

    def __hash__(self) -> int:
        return hash((Session, self.id))

    def __repr__(self) -> str:
        return f"Session(id={self.id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A Session cannot be pickled: it belongs to its process. "
            "Keep its id, and bind it again with agent.session(id)."
        )


def bound_of(session: Session) -> Bound:
    """Return what a handle is bound to, for who works on its session without being one of its methods."""
    return session._bound  # pyright: ignore[reportPrivateUsage]  # of this module's own class


_STOPPING_SECONDS = 6.0
