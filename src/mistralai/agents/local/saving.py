"""The saved sessions of a runtime: started with a journal, opened again from it, and let go of without being ended."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.overrides import stand_in
from mistralai.agents.core.loop import advance, expire
from mistralai.agents.core.recover import recover
from mistralai.agents.core.session import OpenSession
from mistralai.agents.local.journal.factory import journals_of
from mistralai.agents.local.same_agent import check_open_calls, check_same, identity
from mistralai.agents.local.unloading import cancel_works, close_all, hold, quiet
from mistralai.agents.local.watching import Watch
from mistralai.agents.values.errors import AgentsError, JournalError, SdkError, SessionInUseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.core.place import Start
    from mistralai.agents.core.ports import Claim, Journal, Journals, SavedLog
    from mistralai.agents.core.settings import Settings
    from mistralai.agents.local.runtime import Runtime

_LOGGER = logging.getLogger("mistralai.agents")
MOST_OPEN: Final = 500
"""How many sessions may be open before idle ones are let go of: each holds its log in memory."""


class SavedSessions:
    """What a runtime with a `journal_factory` keeps of its saved sessions."""

    __slots__ = ("_opening", "_room", "_runtime", "journals", "watches")

    def __init__(self, runtime: Runtime, factory: Callable[[], Any]) -> None:
        self._runtime = runtime
        self.journals: Journals = journals_of(factory)
        self.watches: dict[str, Watch] = {}
        """The sessions that are only read here: ended ones, and those that another process writes."""
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._room = MOST_OPEN
        """How many open sessions there may be before some are let go of."""

    def make_room(self) -> None:
        """Let go of sessions that do nothing, the oldest first. A handle of one opens it again."""
        sessions = self._runtime.sessions
        if len(sessions) < self._room:
            return
        for session in list(sessions.values()):
            if len(sessions) < MOST_OPEN:
                break
            if self._is_idle(session) and session.journal is not None and session.journal.close_if_safe():
                hold(session)
                self._drop(session)
        self._room = max(MOST_OPEN, len(sessions) + MOST_OPEN // 5)  # not everything is looked at again each time

    def _is_idle(self, session: OpenSession) -> bool:
        """Whether nothing runs and nobody waits. One without a turn is about to get its first."""
        state = session.state
        waited_for = session.waited_for or session.session_id in self._runtime.held
        return state.active is None and bool(state.turns) and not waited_for

    def create(self, session_id: str, settings: Settings, start: Start) -> Journal:
        """Return the journal of a new session."""
        if not isinstance(start.customization.get("model", ""), str):
            raise SdkError(
                "start_session(agent=): model is an object, and a session that is saved cannot keep it. "
                "Name a model, or give the object to the agent."
            )
        about: dict[str, Any] = {"agent": identity(settings)}
        usual = self._runtime.settings(settings.definition).output
        if (output := settings.output) is not None and output != usual:
            about["output"] = {"name": output.name, "schema": output.schema}
        self.make_room()
        return self.journals.create(session_id, about)

    async def claim(self, agent_name: str, key: str, session_id: str) -> Claim:
        """Return the session that an idempotency key started; else the key, for this one or one that never came."""
        return await self._in_thread(partial(self.journals.claim, agent_name, key, session_id))

    async def ensure(self, session_id: str, agent: AgentDefinition[Any]) -> None:
        """Open a saved session that is not open here. What another process writes is opened to be read."""
        if session_id in self._runtime.sessions or self._runtime.closed:
            return
        watch = self.watches.get(session_id)
        if watch is not None and watch.over:
            return
        self._runtime.check_goes_on()
        if (task := self._opening.get(session_id)) is None:
            task = self._opening[session_id] = self._runtime.spawn(self._open(session_id, agent))
            task.add_done_callback(partial(self._opened, session_id))
        await asyncio.shield(task)  # who leaves must not leave a half opened session behind

    def view(self, session_id: str) -> OpenSession | None:
        """Return a session that is only read here, as far as its journal goes now; None for none."""
        if (watch := self.watches.get(session_id)) is None:
            return None
        watch.refresh()
        watch.keep_up()
        return watch.session

    def keep_up(self, session_id: str) -> None:
        """Look into the journal of a session that is only read here as long as somebody waits."""
        if (watch := self.watches.get(session_id)) is not None:
            watch.keep_up()

    async def unload_all(self) -> None:
        """Let go of every saved session. No end is written, and others may open them."""
        for task in list(self._opening.values()):
            await asyncio.wait({task})
        sessions = [session for session in self._runtime.sessions.values() if session.journal is not None]
        await quiet(sessions)
        await self._in_thread(partial(close_all, [session.journal for session in sessions]))
        for session in sessions:
            self._drop(session)
        for watch in self.watches.values():
            watch.session.unloading = True
            watch.stop()
        self.watches.clear()
        await self._in_thread(self.journals.close)

    def abandon_all(self) -> None:
        """Let go of the sessions of a loop that is gone already."""
        close_all([session.journal for session in self._runtime.sessions.values()])
        self.journals.close()

    def lose(self, session: OpenSession) -> None:
        """Let go of one session at once, without trusting its journal."""
        hold(session)
        cancel_works(list(session.works.values()))
        close_all([session.journal])
        self._drop(session)

    async def finish(self, session: OpenSession) -> None:
        """Close the journal of a session that has ended: it is read from memory here, and from the file elsewhere."""
        journal = session.journal
        if journal is None:
            return
        await session.commit()
        session.journal = None
        await self._in_thread(journal.sync_and_close)

    def _opened(self, session_id: str, task: asyncio.Task[None]) -> None:
        self._opening.pop(session_id, None)
        if not task.cancelled():
            task.exception()  # whoever waits is told; nobody may wait any more

    async def _open(self, session_id: str, agent: AgentDefinition[Any]) -> None:
        watch = self.watches.get(session_id)
        self.make_room()
        try:
            log = await self._in_thread(partial(self.journals.open, session_id))
            reason: AgentsError = _read_only(session_id)
        except SessionInUseError as error:
            if watch is not None:
                await watch.fetch()
                return
            log = await self._in_thread(partial(self.journals.read, session_id))
            reason = error
        try:
            session = self._load(session_id, agent, log, watch)
            if log.journal is not None and session.state.ended is None:
                try:
                    self._go_on(session, log)
                    return
                except JournalError as error:
                    reason = error
        except BaseException:
            if log.journal is not None:
                log.journal.sync_and_close()
            raise
        if log.journal is not None:
            log.journal.sync_and_close()
        if watch is None:
            self.watches[session_id] = Watch(
                session, log, reason, partial(self.ensure, session_id, agent), self._in_thread
            )

    def _load(self, session_id: str, agent: AgentDefinition[Any], log: SavedLog, watch: Watch | None) -> OpenSession:
        """Return the session with all facts of its log: the one that readers here follow already, if they do."""
        if watch is not None:
            session = watch.session
            session.load(log.facts[len(session.log) :])
            return session
        settings = self._runtime.settings(agent)
        check_same(session_id, log.about.get("agent") or {}, settings)
        session = OpenSession(settings, self._runtime)
        session.load(log.facts)
        started = session.state.started
        if started is not None and started.customization:
            session.settings = settings.overridden(started.customization)
        if (output := log.about.get("output")) is not None:
            from mistralai.agents.authoring.model import OutputFormat

            session.settings = session.settings.asking_for(OutputFormat(name=output["name"], schema=output["schema"]))
        session.override = stand_in(agent)
        return session

    def _go_on(self, session: OpenSession, log: SavedLog) -> None:
        """Write from here on, and let an unfinished turn go on or end."""
        check_open_calls(session)
        facts = recover(session.state, session.log, session.now(), log.repair)
        session.journal = log.journal
        try:
            session.append(facts)
        except JournalError:
            session.journal = None
            raise
        self._runtime.sessions[session.session_id] = session
        if (watch := self.watches.pop(session.session_id, None)) is not None:
            watch.stop()
        started, active = session.state.started, session.state.active
        if started is not None and started.key is not None:
            self._runtime.keys[started.agent_name, started.key] = session.session_id
        if active is not None and active.interrupting is None:
            expire(session)
        else:
            advance(session)

    def _drop(self, session: OpenSession) -> None:
        self._runtime.drop(session.session_id)
        session.wake(milestone=True)

    async def _in_thread[T](self, function: Callable[[], T]) -> T:
        return await self._runtime.threads.run(function, contextvars.Context())


def _read_only(session_id: str) -> JournalError:
    return JournalError(
        f"Session {session_id} can be read here and not continued: its directory is read-only for this process. "
        "Give the process the right to write there."
    )
