"""Starting a local session: what its log begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.overrides import stand_in
from mistralai.agents.core.facts import ImportedEntry, NoticeGiven, SessionStarted
from mistralai.agents.core.session import OpenSession
from mistralai.agents.core.sources import missing_sources
from mistralai.agents.values.errors import SessionIdempotencyConflictError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.model import OutputFormat
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.place import Start
    from mistralai.agents.local.runtime import Runtime


def start_session(
    runtime: Runtime, agent: AgentDefinition[Any], start: Start, output: OutputFormat | None, session_id: str
) -> OpenSession:
    """Start a session under this id, or return the one that the same idempotency key started."""
    runtime.check_accepts()
    if start.key is not None and (earlier := runtime.keys.get((agent.name, start.key))) is not None:
        return same_start(runtime.sessions[earlier], start)
    settings = runtime.settings(agent).overridden(start.customization)
    if output != settings.output:
        settings = settings.asking_for(output)
    session = OpenSession(settings, runtime)
    if runtime.saved is not None:
        session.journal = runtime.saved.create(session_id, settings, start)
    session.override = stand_in(agent)
    at = session.now()
    facts: list[Fact] = [
        SessionStarted(
            at=at,
            session_id=session_id,
            agent_name=agent.name,
            customization=dict(start.customization),
            inputs=dict(start.inputs),
            history=tuple(ImportedEntry(entry_id=uuid7(), data=dict(data)) for data in start.history),
            key=start.key,
            ends_with_turn=start.ends_with_turn,
        ),
        *(
            NoticeGiven(at=at, message=source.message, details=source.details, told=source.told)
            for source in missing_sources(agent)
        ),
    ]
    try:
        session.append(facts)
    except BaseException:
        if session.journal is not None:
            session.journal.sync_and_close()
        raise
    runtime.sessions[session_id] = session
    if start.key is not None:
        runtime.keys[agent.name, start.key] = session_id
    return session


def same_start(session: OpenSession, start: Start) -> OpenSession:
    """Return the session that an idempotency key started, for a start that asks the same; one that ended for any.

    Raises SessionIdempotencyConflictError, naming what differs.
    """
    state = session.state
    started = state.started
    if started is None or state.ended is not None:
        return session
    differing = [
        argument
        for argument, before, now in (
            ("agent", started.customization, start.customization),
            ("session_inputs", started.inputs, start.inputs),
            ("history", [entry.data for entry in started.history], [*start.history]),
        )
        if before != now
    ]
    if differing:
        raise SessionIdempotencyConflictError(
            f"Idempotency key {start.key!r} started session {session.session_id} of agent {started.agent_name!r} with "
            f"another {' and another '.join(differing)}. Use a new key for another session."
        )
    return session
