"""The loop: after each fact it asks for the next step and starts it. Only a model's call or a tool holds a task."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from mistralai.agents.core import calls, limits, state as phases, tool_hooks
from mistralai.agents.core.cancellation import is_torn_down, loop_ends, stops_the_work
from mistralai.agents.core.decide import decide_expire
from mistralai.agents.core.ending import ENDING, append_end, close, end_facts, end_with_hooks, ends_with_hooks
from mistralai.agents.core.facts import (
    CallbackOpened,
    CallEnded,
    ErrorData,
    ModelTold,
    TurnEnded,
)
from mistralai.agents.core.later import try_later
from mistralai.agents.core.model_step import call_model, failed_reply, make_room
from mistralai.agents.core.raised import described
from mistralai.agents.core.reply import give_up
from mistralai.agents.core.steps import CallModel, Compact, EndTurn, RunCalls, next_step
from mistralai.agents.core.stopping import leave_behind, stop
from mistralai.agents.core.works import Work
from mistralai.agents.values.errors import JournalError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import CallState, TurnProgress

type Body = Callable[[], Awaitable[list[Fact]]]
"""What a piece of work does; the facts are what came of it."""

_LOGGER = logging.getLogger("mistralai.agents")
_MODEL: Final = "model"


def advance(session: OpenSession) -> None:
    """Take every step the active turn can take now. Call it after each fact that may allow one."""
    if session.unloading:
        return
    try:
        _take_steps(session)
    except JournalError as error:
        try_later(session, error, partial(advance, session))
    except Exception as error:
        _break_off(session, error)


def _break_off(session: OpenSession, error: Exception) -> None:
    """A step went wrong that never should: the turn fails, rather than show as running for ever."""
    _LOGGER.error("Session %s failed.", session.session_id, exc_info=error)
    turn = session.state.active
    if turn is None:
        return
    for work in session.works.values():
        work.abandoned = work.stopping = True
        if work.task is not None and work.task is not asyncio.current_task():
            work.task.cancel()
    session.works.clear()
    failure = ErrorData(message=f"{type(error).__name__}: {error}", code="turn_failed")
    try:
        append_end(session, [*close(session, turn, session.now()), *failed_reply(session, turn.turn_id, failure)])
    except JournalError as refused:
        try_later(session, refused, partial(_break_off, session, error))


def _take_steps(session: OpenSession) -> None:
    while (step := next_step(session.state, session.settings.bounds)) is not None:
        match step:
            case CallModel():
                if _tell_limit(session):
                    continue
                if _MODEL not in session.works:
                    _begin(session, _MODEL, Work(), partial(call_model, session))
                return
            case Compact():
                if _MODEL not in session.works:
                    _begin(session, _MODEL, Work(), partial(make_room, session))
                return
            case RunCalls(calls=movable):
                if not _run_calls(session, movable):
                    return
            case EndTurn():
                if ENDING in session.works:
                    return
                if ends_with_hooks(session, step):
                    _begin(session, ENDING, Work(), partial(end_with_hooks, session, step))
                    return
                if step.error is not None:
                    leave_behind(session)
                append_end(session, end_facts(session, step))
                return
            case _:
                stop(session, step.cause)
                return


def expire(session: OpenSession, by: float = 0.0) -> None:
    """Close the callbacks whose time has come, and go on.

    By the time that has passed it is `by`, whatever the machine's clock was set to meanwhile.
    """
    session.expiry = None
    turn = session.state.active
    if turn is None:
        return
    now = session.now()
    try:
        for callback_id in list(turn.open_callbacks):
            session.append(decide_expire(session.state, callback_id, uuid7(), now, max(now, by)))
    except JournalError as error:
        try_later(session, error, partial(expire, session, by))
        return
    watch_expiry(session)
    advance(session)


def watch_expiry(session: OpenSession) -> None:
    """Set the timer for the open callback that expires first."""
    turn = session.state.active
    if session.expiry is not None:
        session.expiry.cancel()
        session.expiry = None
    if turn is not None and turn.open_callbacks:
        due = min(callback.opened.expires_at for callback in turn.open_callbacks.values())
        left = max(0.0, due - session.now())
        session.expiry = session.surroundings.clock.call_later(left, partial(expire, session, due))


def _tell_limit(session: OpenSession) -> bool:
    """Tell the model, once, that a limit of its turn is near."""
    turn = session.state.active
    assert turn is not None
    note = limits.next_note(turn, session.settings.bounds.limits, session.state.context_tokens)
    if note is None:
        return False
    session.append([ModelTold(at=session.now(), turn_id=turn.turn_id, text=note)])
    return True


def _run_calls(session: OpenSession, movable: list[CallState]) -> bool:
    """Bring calls forward. Returns whether the log moved on."""
    facts: list[Fact] = []
    ready: list[calls.ReadyCall] = []
    opens = 0
    for call in movable:
        key = call.call.call_id
        if key in session.works:
            continue
        if call.phase == phases.ANSWERED:
            _begin(session, key, Work(), partial(tool_hooks.conclude, session, call))
            continue
        if tool_hooks.waits_for_hooks(session, call):
            work = Work()
            _begin(session, key, work, partial(_bring_forward, session, call, work))
            continue
        came, runnable = calls.admit(session, call, opens=opens)
        opens += sum(isinstance(fact, CallbackOpened) for fact in came)
        facts += came
        if runnable is not None:
            ready.append(runnable)
    session.append(facts)
    if opens:
        watch_expiry(session)
    for runnable in ready:
        work = Work(in_thread=not runnable.tool.is_async)
        _begin(session, runnable.state.call.call_id, work, partial(calls.run, session, runnable))
    return bool(facts)


async def _bring_forward(session: OpenSession, call: CallState, work: Work) -> list[Fact]:
    """Let the hooks see a call; then decide on it, and run it, in the same task."""
    turn = session.state.active
    seen = await tool_hooks.before_call(session, call)
    if work.abandoned or turn is None or session.state.active is not turn or turn.interrupting or turn.fatal:
        return seen
    session.append(seen)
    if call.phase != phases.PREPARED:
        return []
    came, runnable = calls.admit(session, call, opens=0)
    session.append(came)
    if runnable is None:
        watch_expiry(session)
        return []
    work.in_thread = not runnable.tool.is_async
    return await calls.run(session, runnable)


def _begin(session: OpenSession, key: str, work: Work, body: Body) -> None:
    session.works[key] = work
    work.task = task = session.surroundings.spawn(_carry_out(session, key, work, body))
    if work.stopping:
        task.cancel()
    if not work.begun:
        task.add_done_callback(partial(_check_begun, session, key, work, body), context=task.get_context())


def _check_begun(session: OpenSession, key: str, work: Work, body: Body, task: asyncio.Task[None]) -> None:
    """Begin again what somebody cancelled before it ran at all, unless the event loop is ending."""
    if not task.cancelled() or work.begun or work.stopping or session.works.get(key) is not work:
        return
    if loop_ends() or session.unloading:
        _done(session, key, work)
    else:
        _begin(session, key, work, body)


async def _carry_out(session: OpenSession, key: str, work: Work, body: Body) -> None:
    """Wait for a piece of work, put what came of it into the log, and let the turn go on."""
    work.begun = True
    more: tuple[str, Body] | None = (key, body)
    while more is not None:
        more = await _carry_on(session, *more, work)


async def _carry_on(session: OpenSession, key: str, body: Body, work: Work) -> tuple[str, Body] | None:
    """Do one piece of work. Returns the next one of its task, if there is one."""
    turn = session.state.active
    assert turn is not None
    facts: list[Fact] = []
    try:
        facts = await body()
    except asyncio.CancelledError as error:
        if not work.stopping:
            if stops_the_work(session):
                _done(session, key, work)
                raise  # the event loop is being shut down: the log stays as it is
            facts = _broken(session, turn, error)
    except (SystemExit, KeyboardInterrupt):
        _done(session, key, work)
        asyncio.get_running_loop().call_soon(advance, session)  # whoever owns the loop may go on with it
        raise
    except JournalError as error:
        _done(session, key, work)
        try_later(session, error, partial(_take_again, session))
        return None
    except BaseException as error:
        if is_torn_down():
            raise
        facts = _broken(session, turn, error)
    try:
        more = _settle(session, key, work, turn, facts)
    except Exception as error:  # what came of it is nothing that the log can hold
        _break_off(session, error)
        return None
    if session.journal is not None and (session.state.active is None or any(isinstance(f, CallEnded) for f in facts)):
        try:
            await session.commit()
        except JournalError:
            pass  # the session has been told
        except asyncio.CancelledError:
            if stops_the_work(session):
                if more is not None:
                    _done(session, more[0], work)
                    advance(session)
                raise
    return more


def _broken(session: OpenSession, turn: TurnProgress, error: BaseException) -> list[Fact]:
    """Return the end of a turn that our own code broke: what the user's raises is a result."""
    _LOGGER.error("Session %s failed.", session.session_id, exc_info=error)
    failure = ErrorData(message=described(error), code="turn_failed")
    return [*close(session, turn, session.now()), *failed_reply(session, turn.turn_id, failure)]


def _settle(
    session: OpenSession, key: str, work: Work, turn: TurnProgress, facts: list[Fact]
) -> tuple[str, Body] | None:
    """Put what came of a piece of work into the log, and let the turn go on; later where the journal refuses it now.

    Returns the hooks before the turn's end, if they come next: they need no task of their own.
    """
    if work.abandoned or session.state.active is not turn:
        _done(session, key, work)
        return None
    if turn.interrupting is not None:
        facts = [fact for fact in facts if isinstance(fact, CallEnded)]  # how the turn ends is decided: it stops
    try:
        if facts and isinstance(facts[-1], TurnEnded):
            append_end(session, facts)
        else:
            session.append(facts)
    except JournalError as error:
        try_later(session, error, partial(_settle_again, session, key, work, turn, facts))
        return None
    _done(session, key, work)
    step = next_step(session.state, session.settings.bounds)
    if isinstance(step, EndTurn) and ends_with_hooks(session, step) and not session.unloading:
        session.works[ENDING] = work
        return ENDING, partial(end_with_hooks, session, step)
    advance(session)
    return None


def _settle_again(session: OpenSession, key: str, work: Work, turn: TurnProgress, facts: list[Fact]) -> None:
    if (more := _settle(session, key, work, turn, facts)) is not None:
        _begin(session, more[0], Work(), more[1])


def _take_again(session: OpenSession) -> None:
    """Take the step again that the journal broke off. A reply that was being shown ends where it was."""
    turn = session.state.active
    try:
        if turn is not None:
            session.append(give_up(session, turn.turn_id, "crashed", session.now()))
    except JournalError as error:
        try_later(session, error, partial(_take_again, session))
        return
    advance(session)


def _done(session: OpenSession, key: str, work: Work) -> None:
    if session.works.get(key) is work:
        del session.works[key]
