"""The local runtime of one event loop: its open sessions and what they share. Handles know it by the local place."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
from collections import Counter, OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.overrides import stand_in
from mistralai.agents.core.commands import Cancel
from mistralai.agents.core.decide import decide_cancel
from mistralai.agents.core.loop import advance
from mistralai.agents.core.settings import Settings
from mistralai.agents.local.bounded import Bounded
from mistralai.agents.local.clock import LoopClock
from mistralai.agents.local.saving import SavedSessions
from mistralai.agents.local.threads import ToolThreads
from mistralai.agents.values.errors import SdkError, SessionBusyError, SessionTerminatedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine
    from contextvars import Context

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.model import Model
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.local.place import LocalPlace
    from mistralai.agents.local.shared import SharedWork
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.http_model import HttpModel

_LOGGER = logging.getLogger("mistralai.agents")
CLOSED_WITH_OPEN_SESSIONS: Final = "agents_sdk_local_runtime_closed_open_sessions"
DEFAULT_CALLBACK_TIMEOUT_SECONDS: Final = 3600.0
LONGEST_CALLBACK_TIMEOUT_SECONDS: Final = 100 * 365 * 24 * 3600.0
"""Past it a deadline would be no date any more."""
MOST_AGENTS: Final = 100
"""How many agents' settings are kept for their next session. A server may well make an agent for each request."""
LAST_WAIT_SECONDS: Final = 0.5
"""How long the end of a block waits for tasks whose turn has ended without them."""


class Runtime:
    """Everything local of one event loop. Implements the port `Surroundings`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, options: dict[str, Any]) -> None:
        self.loop = loop
        self.options = options
        """The settings of `local_runtime` that were given when the runtime started."""
        self.clock: LoopClock = LoopClock(loop)
        self.threads: ToolThreads = ToolThreads(loop)
        self.sessions: dict[str, OpenSession] = {}
        self.ended_sessions: OrderedDict[str, None] = OrderedDict()
        """Ids of the sessions that have ended and can still be read, oldest first."""
        self.held: Counter[str] = Counter()
        """Ids of the sessions that waits hold, and how many do."""
        self.gone: set[str] = set()
        """Ids of the sessions that ended with a block: nothing can be read of them."""
        self.keys: dict[tuple[str, str], str] = {}
        """Agent name and idempotency key -> the session they started."""
        self.shared: dict[str, SharedWork] = {}
        """The answering of client tool calls that waits share, by callback id."""
        factory = options.get("journal_factory")
        self.saved: SavedSessions | None = SavedSessions(self, factory) if factory is not None else None
        """The sessions that outlive the runtime; None where all live in memory."""
        self.place: LocalPlace
        """The place that handles of this loop share."""
        self.blocks = 0
        self.closed: bool = False
        self.draining = False
        self.ending: bool = False
        """Whether a block is ending the sessions."""
        self.tasks: set[asyncio.Task[None]] = set()
        self._context = contextvars.Context()
        self._settings: OrderedDict[AgentDefinition[Any], Settings] = OrderedDict()
        self._models: dict[str, HttpModel] = {}
        self._client: ModelClient | None = None
        self._sentinel: AsyncGenerator[None] | None = None
        bound = options.get("max_model_calls")
        self._turnstile = asyncio.Semaphore(bound) if bound is not None else None

    @property
    def callback_timeout(self) -> float:
        """Seconds that a callback stays open."""
        text = os.environ.get("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS")
        if not text:
            return DEFAULT_CALLBACK_TIMEOUT_SECONDS
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not 0 < seconds <= LONGEST_CALLBACK_TIMEOUT_SECONDS:
            raise SdkError(
                f"AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS is {text!r}. "
                f"Set it to a number of seconds above 0, at most {LONGEST_CALLBACK_TIMEOUT_SECONDS:.0f} (100 years)."
            )
        return seconds

    def settings(self, definition: AgentDefinition[Any]) -> Settings:
        """Return the settings of an agent's sessions; the same object as long as the agent is in use."""
        if (known := self._settings.get(definition)) is None:
            known = self._settings[definition] = Settings(definition)
            if len(self._settings) > MOST_AGENTS:
                self._settings.popitem(last=False)
        else:
            self._settings.move_to_end(definition)
        return known

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task of a turn, in a context of the runtime's own."""
        task = self.loop.create_task(coroutine, context=self._context.copy())
        self.tasks.add(task)
        task.add_done_callback(self._done, context=self._context)  # in the caller's, it would keep that alive
        return task

    def run_in_thread[T](self, function: Callable[[], T], context: Context) -> asyncio.Future[T]:
        """Run a tool's function in a thread."""
        return self.threads.run(function, context)

    async def model(self, session: OpenSession) -> Model:
        """Return the model that a session's next call goes to."""
        chosen = _chosen(session)
        provider = session.settings.definition.provider
        model = await self._provider(provider) if isinstance(chosen, str) else chosen
        return model if self._turnstile is None else Bounded(model, self._turnstile, self.clock)

    async def check_model(self, session: OpenSession) -> None:
        """Raise SdkError where the session's model cannot be called: there is no key, or no address."""
        if isinstance(_chosen(session), str):
            (await self._provider(session.settings.definition.provider)).check()

    async def check_model_of(self, definition: AgentDefinition[Any]) -> None:
        """Do the same before a session of the agent is there."""
        if isinstance(stand_in(definition) or definition.model, str):
            (await self._provider(definition.provider)).check()

    def ended(self, session: OpenSession) -> None:
        """Take note that a session ended: it can be read until the loop or the block ends."""
        self.ended_sessions[session.session_id] = None
        self.release_ended()
        if self.saved is not None and session.journal is not None:
            self.spawn(self.saved.finish(session))

    def lost(self, session: OpenSession) -> None:
        """Let go of a session whose journal is in doubt. One that is only being opened or started goes by itself."""
        if session.unloading or self.sessions.get(session.session_id) is not session:
            return
        _LOGGER.error("Session %s is let go of: its journal failed. It is opened again from it.", session.session_id)
        if self.saved is not None:
            self.saved.lose(session)

    def release_ended(self) -> None:
        """Release the ended sessions past the bound, oldest end first, but none that a wait is about to read."""
        bound = self.options.get("keep_ended_sessions")
        if bound is None or (excess := len(self.ended_sessions) - bound) <= 0:
            return
        free = (session_id for session_id in self.ended_sessions if session_id not in self.held)
        for session_id in list(islice(free, excess)):
            self.forget(session_id)

    def check_accepts(self) -> None:
        """Raise SessionBusyError while the runtime is drained, SdkError for a callback timeout that is none."""
        _ = self.callback_timeout  # a turn that could not ask its question does not start
        self.check_goes_on()
        if self.draining:
            raise SessionBusyError(
                "This event loop's local runtime is being drained and starts nothing. "
                "Start the session or turn in another process."
            )

    def check_goes_on(self) -> None:
        """Raise SessionTerminatedError while a block ends all sessions: what started now would be left behind."""
        if self.ending:
            raise SessionTerminatedError(
                "The local_runtime() block of this event loop is ending and starts nothing. "
                "Start or open the session when it has ended, or before its end."
            )

    def forget(self, session_id: str) -> None:
        """Release a session that has ended, and its idempotency key."""
        self.drop(session_id)
        if self.saved is None:
            self.gone.add(session_id)

    def drop(self, session_id: str) -> None:
        """Hold a session in memory no longer."""
        session = self.sessions.pop(session_id, None)
        if session is not None and (started := session.state.started) is not None and started.key is not None:
            self.keys.pop((started.agent_name, started.key), None)
        self.ended_sessions.pop(session_id, None)

    def open_sessions(self) -> list[OpenSession]:
        """Return the sessions that have not ended."""
        return [session for session in self.sessions.values() if session.state.ended is None]

    async def end_all(self) -> None:
        """End every session, and release them. Saved ones are released as they are. Meanwhile none starts."""
        self.ending = True
        try:
            if self.saved is not None:
                await self.saved.unload_all()
            open_ones = self.open_sessions()
            for session in open_ones:
                cancel(session)
            for session in open_ones:
                while session.state.ended is None:
                    await session.changed(milestones=True)
            for session_id in list(self.sessions):
                self.forget(session_id)
        finally:
            self.ending = False
        if left := self.tasks - {asyncio.current_task()}:
            await asyncio.wait(left, timeout=LAST_WAIT_SECONDS)

    async def prime(self) -> None:
        """Let the loop's own end be noticed: `shutdown_asyncgens` runs the rest of a generator that was begun in it."""
        self._sentinel = self._watch_the_loop()
        await anext(self._sentinel)

    @property
    def connections(self) -> int:
        """How many model calls are being read."""
        return self._client.open_calls if self._client is not None else 0

    async def release(self) -> None:
        """Close connections and threads; a later session opens new ones."""
        if self._client is not None:
            await self._client.close()
        self.threads.close()

    async def close(self) -> None:
        """End with the loop: warn of open sessions, release everything."""
        if self.closed:
            return
        if self.saved is not None:
            await self.saved.unload_all()
        self.closed = True
        self.report_open()
        for session in self.sessions.values():
            for timer in (session.expiry, session.stop_timer):
                if timer is not None:
                    timer.cancel()
        await self.release()

    def report_open(self) -> None:
        """Warn of the sessions that are still open."""
        ids = [session.session_id for session in self.open_sessions()]
        if ids:
            _LOGGER.warning(
                "%s: the event loop stopped while these sessions were open: %s. "
                "Cancel each one when you are done with it.",
                CLOSED_WITH_OPEN_SESSIONS,
                ", ".join(ids),
                extra={"session_ids": ids},
            )

    def _done(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled():
            task.exception()  # one that ends the program went to the loop's owner: nobody else is to retrieve it

    async def _watch_the_loop(self) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await self.close()

    async def _provider(self, name: str) -> HttpModel:
        if (model := self._models.get(name)) is None:
            # The HTTP library takes a while to import: in a thread, so that the loop goes on.
            await self.threads.run(_import_providers, contextvars.Context())
            if (model := self._models.get(name)) is None:
                model = self._models[name] = self._connect(name)
        return model

    def _connect(self, name: str) -> HttpModel:
        from mistralai.agents.models.client import ModelClient
        from mistralai.agents.models.providers import provider

        if self._client is None:
            self._client = ModelClient()
        return provider(name, self._client, os.environ, clock=self.clock)


def _chosen(session: OpenSession) -> Model | str:
    settings = session.settings
    return stand_in(settings.definition) or session.override or settings.model


def _import_providers() -> None:
    from mistralai.agents.models.client import ModelClient

    ModelClient.preload()


def cancel(session: OpenSession) -> None:
    """Ask a session to end. It may take until what runs has stopped."""
    decision = decide_cancel(session.state, Cancel(), session.now())
    assert isinstance(decision, tuple)
    session.append(decision[1])
    advance(session)
