"""The one interface of every place a session can live in. Handles know nothing else of where their session is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    from mistralai.agents.core.commands import Accepted, Command, Refusal
    from mistralai.agents.core.facts import Content, Json
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.entries import Entry
    from mistralai.agents.values.events import Event
    from mistralai.agents.values.sessions import SessionInfo
    from mistralai.agents.values.turn_states import TurnState
    from mistralai.agents.values.usage import TokenUsage


@record
class Reading:
    """A turn as it was read."""

    state: TurnState[str]
    """Its record; the output is its text."""
    fresh: frozenset[str] = frozenset()
    """The ids of its open callbacks that opened after the position the reader named."""


@record
class Start:
    """What a new session is started with."""

    customization: Mapping[str, Json]
    inputs: Mapping[str, Json]
    history: tuple[Mapping[str, Json], ...] = ()
    key: str | None = None
    ends_with_turn: bool = False
    """The session closes when its first turn ends."""
    message: Content | None = None
    """A first message, accepted with the session."""


class Place(Protocol):
    """Where sessions live. A read of an id it has not raises SessionNotFoundError or TurnNotFoundError."""

    @property
    def identity(self) -> object:
        """What two handles of the same place have in common; hashable."""
        ...

    async def command(self, session_id: str, command: Command) -> Accepted | Refusal:
        """Carry out a command as one step, or say why not."""
        ...

    async def cancel(self, session_id: str) -> None:
        """End the session and return once it has ended."""
        ...

    async def read_turn(self, session_id: str, turn_id: str, after: str | None = None) -> Reading:
        """Read a turn now."""
        ...

    async def read_callback(self, session_id: str, callback_id: str) -> OpenCallback | bool:
        """Return an open callback, True for one that is closed, False for one that never was."""
        ...

    async def read_events(self, session_id: str, turn_id: str | None, after: str | None, until: str) -> list[Event]:
        """Return the events between two cursors, the second included; of one turn, or of the session."""
        ...

    def follow(self, session_id: str, turn_id: str | None, after: str | None) -> AsyncIterator[Event]:
        """Yield the events after a cursor, then the live ones, to the end of the turn or session."""
        ...

    async def changed(self, session_id: str, since: str, *, milestones: bool) -> None:
        """Return once there is something after a cursor; with `milestones`, a callback or an end."""
        ...

    async def started_turn(self, session_id: str) -> str | None:
        """Return the id of the session's first turn; None if it has none."""
        ...

    async def history(self, session_id: str) -> tuple[Entry, ...]:
        """Return the session's entries, oldest first."""
        ...

    async def info(self, session_id: str) -> SessionInfo:
        """Return what a list of sessions shows of this one."""
        ...

    async def usage(self, session_id: str, turn_id: str) -> TokenUsage:
        """Return the tokens of a turn's model calls."""
        ...

    def holding(self, session_id: str) -> AbstractContextManager[None]:
        """Keep a session readable for a wait, even if it ends meanwhile and the place keeps no more ended ones."""
        ...

    def inputs(self, session_id: str) -> Callable[[type[Any]], Any]:
        """Return the reader of the session's inputs, by their class."""
        ...

    def run_in_thread(self, function: Callable[[], Any]) -> Awaitable[Any]:
        """Run a client tool's function in a thread for tools."""
        ...

    def shared(self, callback_id: str, start: Callable[[], Awaitable[None]]) -> Awaitable[None]:
        """Run the answering of a client tool's call once, however many wait for it."""
        ...
