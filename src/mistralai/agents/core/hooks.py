"""Running a session's hooks: in order, each with the session's own state, which is saved when it changes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.call_errors import InputUnavailable
from mistralai.agents.authoring.draws import Drawing
from mistralai.agents.authoring.hook_points import check_decision, point_of
from mistralai.agents.authoring.hook_subjects import HookContext
from mistralai.agents.core.cancellation import is_torn_down, stops_the_work
from mistralai.agents.core.draws import SessionDraws
from mistralai.agents.core.facts import ErrorData, HookStateSaved
from mistralai.agents.core.raised import described, log_raised
from mistralai.agents.core.results import as_json
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.core.session import OpenSession

LARGEST_STATE_BYTES: Final = 256 * 1024
"""The bound of one hook's saved state. Past it the turn fails with `capability_execution_failed`."""


class HookFailed(Exception):
    """A hook raised, or its state cannot be saved. The message ends with what it raised."""

    def error(self) -> ErrorData:
        """Return what fails the turn."""
        return ErrorData(message=str(self), code="capability_execution_failed")


class StateTooLarge(HookFailed):
    """A hook's state cannot be saved, which fails the turn at every point."""


class HookSet:
    """The hooks of an agent by the point they override, guardrails first. One serves every session of the agent."""

    __slots__ = ("_at", "keyed", "stateful")

    def __init__(self, guardrails: Iterable[Hook], hooks: Iterable[Hook]) -> None:
        seen: dict[str, int] = {}
        self.keyed: dict[str, Hook] = {}
        """By the name their state is saved under: the class, numbered where it comes again."""
        self._at: dict[str, tuple[str, ...]] = {}
        self.stateful: set[str] = set()
        """The hooks that have state to save."""
        for hook in (*guardrails, *hooks):
            name = type(hook).__name__
            seen[name] = count = seen.get(name, 0) + 1
            key = name if count == 1 else f"{name}#{count}"
            self.keyed[key] = hook
            if hook.dump_state():
                self.stateful.add(key)
            for point in type(hook).points():
                self._at[point] = (*self._at.get(point, ()), key)

    def at(self, point: str) -> tuple[str, ...]:
        """Return the keys of the hooks that override a point, in the order they run."""
        return self._at.get(point, ())


class SessionHooks:
    """The hooks of one session: made from the agent's when a point first runs, with the state the log has of them."""

    __slots__ = ("_context", "_made", "_saved", "_set")

    def __init__(self, hooks: HookSet, states: dict[str, Any]) -> None:
        self._set = hooks
        self._context: HookContext | None = None
        """Of the turn in which a point last ran."""
        self._saved = {key: as_json(state) for key, state in states.items()}
        self._made: dict[str, Hook] = {}
        for key, hook in hooks.keyed.items():
            try:
                stateful = key in hooks.stateful or key in states
                self._made[key] = hook.with_state(states.get(key)) if stateful else hook
            except Exception as error:  # a field's validator is the user's code
                raise HookFailed(
                    f"Hook {key} cannot be made with the state that this session has of it. "
                    f"{type(error).__name__}: {error}"
                ) from error

    async def run(
        self,
        session: OpenSession,
        point: str,
        subject: Callable[[], Any],
        take: Callable[[Any], bool],
        *,
        about: str = "",
    ) -> None:
        """Run a point of every hook that overrides it. `take` is given each decision; True leaves out the rest."""
        turn = session.state.active
        assert turn is not None
        context = self._context_of(session, turn.turn_id)
        for key in self._set.at(point):
            hook = self._made[key]
            shown: Any = None
            try:
                shown = subject()
                running = point_of(hook, point, context, shown, session)
                if session.journal is None:
                    decision = await running
                else:
                    with Drawing(SessionDraws(session, turn.turn_id, (point, key, turn.model_calls, about))):
                        decision = await running
                if session.state.active is not turn:
                    raise asyncio.CancelledError  # it kept running through the end of its turn: nothing of it counts
                if key in self._set.stateful:
                    self._save(session, key, hook)
                if decision is not None and take(check_decision(hook, point, decision)):
                    return
            except (HookFailed, JournalError):
                raise
            except InputUnavailable as error:
                raise HookFailed(f"Hook {key}.{point} did not run: {error}") from None
            except asyncio.CancelledError as error:
                if stops_the_work(session):
                    raise
                raise _raised(session, f"Hook {key}.{point}", error, shown) from error
            except BaseException as error:  # what libraries derive from it too: a test's outcome, a panic of Rust code
                if isinstance(error, SystemExit | KeyboardInterrupt) or is_torn_down():
                    raise
                raise _raised(session, f"Hook {key}.{point}", error, shown) from error

    def _context_of(self, session: OpenSession, turn_id: str) -> HookContext:
        context = self._context
        if context is None or context.turn_id != turn_id:
            session_id = session.session_id
            context = self._context = HookContext(
                session_id=session_id,
                turn_id=turn_id,
                agent_name=session.settings.definition.name,
                root_session_id=session_id,
            )
        return context

    def _save(self, session: OpenSession, key: str, hook: Hook) -> None:
        state = hook.dump_state()
        data = as_json(state)
        if data == self._saved.get(key) or (key not in self._saved and state == self._set.keyed[key].dump_state()):
            return
        if (size := len(data.encode())) > LARGEST_STATE_BYTES:
            raise StateTooLarge(
                f"The state of hook {key} has {size:,} bytes, over the bound of {LARGEST_STATE_BYTES:,}. "
                "Keep less in its fields."
            )
        self._saved[key] = data
        session.append([HookStateSaved(at=session.now(), states={key: state})])


async def run_hooks(
    session: OpenSession, point: str, subject: Callable[[], Any], take: Callable[[Any], bool], *, about: str = ""
) -> None:
    """Run a point that some of the session's hooks override. Raises HookFailed."""
    if session.hooks is None:
        session.hooks = SessionHooks(session.settings.hooks, session.state.hook_states)
    await session.hooks.run(session, point, subject, take, about=about)


def _raised(session: OpenSession, what: str, error: BaseException, shown: Any) -> HookFailed:
    log_raised(session, what, error, shown)
    return HookFailed(f"{what} raised {described(error)}")
