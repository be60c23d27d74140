"""The handle of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from mistralai.agents.core.commands import Accepted, Ended, Interrupt, NotActive, Steer
from mistralai.agents.handles.answering import encode_answer
from mistralai.agents.handles.arguments import check_on_event, check_timeout, cursor_of, encode_content, output_of
from mistralai.agents.handles.dress import dressed_event, dressed_state
from mistralai.agents.handles.sending import send
from mistralai.agents.handles.waiting import wait_for
from mistralai.agents.values.answers import AlreadySettled, NotFound
from mistralai.agents.values.conflicts import TurnConflict
from mistralai.agents.values.errors import SdkError, SessionTerminatedError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic import BaseModel

    from mistralai.agents.core.commands import Refusal
    from mistralai.agents.handles.bound import Bound
    from mistralai.agents.handles.session import Session
    from mistralai.agents.handles.waiting import OnEvent
    from mistralai.agents.values.answers import Answered
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.turn_input import TurnInput
    from mistralai.agents.values.turn_states import TurnState
    from mistralai.agents.values.usage import TokenUsage


class Turn:
    """A turn of a session, named by its ID. Public page: Session and Turn.

    Two handles of the same turn in the same place are equal. Only the methods that are awaited reach the session.
    """

    __slots__ = ("_bound", "_id", "_session", "_started")

    def __init__(self, session: Session, bound: Bound, turn_id: str, started: bool | None = None) -> None:
        if not isinstance(turn_id, str) or not turn_id:  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
            raise SdkError(f"turn_id is {turn_id!r}. Pass the turn_id of a record or an event.")
        self._session = session
        self._bound = bound
        self._id = turn_id
        self._started = started

    @property
    def id(self) -> str:
        """The turn's ID."""
        return self._id

    @property
    def session_id(self) -> str:
        """The ID of its session."""
        return self._session.id

    @property
    def session(self) -> Session:
        """The handle of its session."""
        return self._session

    @property
    def started(self) -> bool | None:
        """Whether the message this handle came from started the turn; None on a handle that was bound by ID."""
        return self._started

    async def get(self) -> TurnState[Any]:
        """Read the turn's record now, without waiting. Raises TurnNotFoundError where the session has no such turn."""
        bound = self._bound
        place = await bound.place()
        reading = await place.read_turn(bound.session_id, self._id)
        return dressed_state(reading.state, bound.agent, place, output_of(bound.agent, None))

    async def result(
        self,
        *,
        output_type: type[BaseModel] | None = None,
        after: TurnState[object] | str | None = None,
        timeout: float | None = None,
        on_event: OnEvent | None = None,
    ) -> TurnState[Any]:
        """Wait until the turn ends, or a callback that opened after `after` is open and no handler answers it.

        `timeout` is in seconds: past it the record of that moment is returned, Running or Blocked; None waits without
        bound. `output_type` parses the answer for this call; None goes by the agent. `on_event` is called with each
        event after `after`, from the turn's start without one; what it raises is raised here, and the turn goes on.
        """
        output = output_of(self._bound.agent, output_type)
        timeout = check_timeout(timeout)
        check_on_event(on_event)
        place = await self._bound.place()
        return await wait_for(self, self._bound, place, output, cursor_of(after), timeout, on_event)

    def iter_events(self, *, after: TurnState[object] | str | None = None) -> AsyncIterator[Event]:
        """Yield the turn's events after a record or cursor, or from its start, up to its TurnEnded. Changes nothing."""
        return self._follow(cursor_of(after))

    async def _follow(self, after: str | None) -> AsyncIterator[Event]:
        bound = self._bound
        place = await bound.place()
        output = output_of(bound.agent, None)
        async for event in place.follow(bound.session_id, self._id, after):
            yield dressed_event(event, bound.agent, place, output)

    async def steer(self, content: TurnInput) -> Turn | TurnConflict:
        """Add a message to the turn while it runs: the model reads it before its next reply.

        Returns TurnConflict, with nothing added, when the turn is not the active one.
        """
        encoded = encode_content(content)
        place = await self._bound.place()
        command = Steer(turn_id=self._id, entry_id=uuid7(), content=encoded)
        return self._conflict(await place.command(self._session.id, command))

    async def interrupt(self) -> Turn | TurnConflict:
        """Stop the turn and return once it has ended, within 5 s; the session stays open.

        Returns TurnConflict when the turn is not the active one.
        """
        place = await self._bound.place()
        return self._conflict(await place.command(self._session.id, Interrupt(turn_id=self._id)))

    async def answer(self, callback_id: str, answer: object) -> Answered | AlreadySettled | NotFound:
        """Answer an open callback of the turn's session, whichever of its turns opened it. Public page: Callbacks.

        Raises SdkError, with nothing sent, where the answer does not suit the callback.
        """
        bound = self._bound
        session_id = bound.session_id
        _check_callback_id(callback_id)
        place = await bound.place()
        callback = await place.read_callback(session_id, callback_id)
        if callback is True:
            return AlreadySettled(session_id=session_id, callback_id=callback_id)
        if callback is False:
            return NotFound(session_id=session_id, callback_id=callback_id)
        return await send(place, session_id, callback_id, encode_answer(callback, answer, bound.agent))

    async def usage(self) -> TokenUsage:
        """Return the tokens of the turn's model calls so far, summed."""
        place = await self._bound.place()
        return await place.usage(self._session.id, self._id)

    def _conflict(self, outcome: Accepted | Refusal) -> Turn | TurnConflict:
        match outcome:
            case Ended():
                raise SessionTerminatedError("The local Session has ended")
            case NotActive(active_turn_id=active):
                return TurnConflict(session_id=self._session.id, expected_turn_id=self._id, active_turn_id=active)
            case _:
                return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Turn):
            return NotImplemented
        return self._id == other._id and self._session == other._session

    def __hash__(self) -> int:
        return hash((Turn, self._session.id, self._id))

    def __repr__(self) -> str:
        return f"Turn(id={self._id!r}, session_id={self.session_id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A Turn cannot be pickled: it belongs to its process. Keep session_id and id, and bind them again."
        )


def _check_callback_id(callback_id: object) -> None:
    if not isinstance(callback_id, str) or not callback_id:
        raise SdkError(f"callback_id is {callback_id!r:.200}. Pass the id of an open callback: callback.id.")
