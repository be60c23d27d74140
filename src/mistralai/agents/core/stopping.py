"""Stopping a turn that was interrupted or whose session was cancelled: what runs gets a moment to end."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from mistralai.agents.core.ending import append_end, close
from mistralai.agents.core.facts import NoticeGiven, SessionEnded, TurnEnded
from mistralai.agents.core.later import try_later
from mistralai.agents.core.model_step import prompt_unseen
from mistralai.agents.core.reply import give_up
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import TurnProgress

_LOGGER = logging.getLogger("mistralai.agents")
GRACE_SECONDS: Final = 4.0
"""How long a stopping turn waits for what runs. Interrupting and cancelling promise an end within 5 s."""


def stop(session: OpenSession, cause: str) -> None:
    """Stop what runs, and end the turn when it has stopped or its grace is over."""
    turn = session.state.active
    assert turn is not None
    if not session.works:
        _finish_stop(session, turn, cause)
        return
    if session.stop_timer is None:
        session.stop_timer = session.surroundings.clock.call_later(GRACE_SECONDS, lambda: _abandon(session, turn))
        for key, work in list(session.works.items()):
            if not (work.in_thread and work.begun):
                work.stop()
                if not work.begun:
                    del session.works[key]
        if not session.works:
            _finish_stop(session, turn, cause)


def _abandon(session: OpenSession, turn: TurnProgress) -> None:
    """The grace is over: end the turn without what still runs."""
    session.stop_timer = None
    try:
        _leave_running(session, turn)
    except JournalError as error:
        try_later(session, error, partial(_abandon, session, turn))


def _leave_running(session: OpenSession, turn: TurnProgress) -> None:
    if session.state.active is not turn or turn.interrupting is None:
        return
    if left := sorted(_tool_of(turn, key) for key in session.works):
        message = f"The turn stopped while this still ran, and may go on: {', '.join(left)}."
        details = {"status": "left_running", "tools": left}
        session.append([NoticeGiven(at=session.now(), message=message, details=details)])
        _LOGGER.warning("Session %s: %s", session.session_id, message)
        leave_behind(session)
    _finish_stop(session, turn, turn.interrupting)


def leave_behind(session: OpenSession) -> None:
    """Cancel what still runs. The turn ends without it: what comes of it is dropped."""
    for work in session.works.values():
        work.abandoned = True
        work.stop()
    session.works.clear()


def _finish_stop(session: OpenSession, turn: TurnProgress, cause: str) -> None:
    if session.stop_timer is not None:
        session.stop_timer.cancel()
        session.stop_timer = None
    at = session.now()
    text = (session.live.text() if session.live else "") or turn.text
    facts: list[Fact] = [
        *give_up(session, turn.turn_id, "interrupted", at),
        *close(session, turn, at),
        TurnEnded(
            at=at,
            turn_id=turn.turn_id,
            outcome="interrupted",
            text=text,
            cause=cause,
            prompt_unseen=prompt_unseen(session, turn.turn_id),
        ),
    ]
    if cause == "cancelled":
        facts.append(SessionEnded(at=at, termination="cancelled"))
    append_end(session, facts)


def _tool_of(turn: TurnProgress, key: str) -> str:
    call = turn.open_calls.get(key)
    return call.call.tool_id if call else "the model's reply"
