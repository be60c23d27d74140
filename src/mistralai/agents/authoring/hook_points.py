"""The six points of a hook: which decisions each takes, and how one is called."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from mistralai.agents.authoring import hook_decisions as decisions
from mistralai.agents.authoring.signature import UnresolvedHint, enclosing_names, read_parameters
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from types import FrameType

    from mistralai.agents.authoring.hook import Hook
    from mistralai.agents.authoring.session_inputs import SessionInputs
    from mistralai.agents.authoring.signature import InputParameter

POINTS: dict[str, tuple[type[decisions.HookDecision], ...]] = {
    "pre_agent_turn": (decisions.PreAgentTurnHookContinue, decisions.Skip),
    "pre_llm_call": (decisions.PreLLMCallHookContinue, decisions.Skip),
    "post_llm_call": (decisions.PostLLMCallHookAccept, decisions.Retry, decisions.Reject),
    "pre_tool_call": (decisions.PreToolCallHookContinue, decisions.Skip),
    "post_tool_call": (decisions.PostToolCallHookContinue,),
    "post_agent_turn": (decisions.PostAgentTurnHookAccept,),
}
"""Point to what it may return beside None."""

_MADE_BY: dict[type[Any], str] = {
    decisions.Skip: "agents.skip()",
    decisions.Retry: "agents.retry()",
    decisions.Reject: "agents.reject()",
}


_TEXTS: dict[type[Any], str] = {
    decisions.Skip: "reason",
    decisions.Retry: "feedback",
    decisions.Reject: "reason",
    decisions.PostLLMCallHookAccept: "content",
    decisions.PostAgentTurnHookAccept: "content",
}
"""Decision to its field that holds text."""


class Point:
    """A point that a hook class overrides."""

    __slots__ = ("_function", "_inputs", "_local_names", "_owner")

    def __init__(self, owner: str, function: Any, frame: FrameType | None) -> None:
        if not inspect.iscoroutinefunction(inspect.unwrap(function)):  # a decorator may have wrapped it
            raise SdkError(f"{owner} is not async. Write it with async def.")
        self._owner = owner
        self._function = function
        self._inputs: list[InputParameter] | None = None
        self._local_names = enclosing_names(function, frame)
        if len(inspect.signature(function).parameters) < 3:
            raise SdkError(
                f"{owner} takes too few parameters. It takes self, the context, and what the point is about."
            )
        try:
            self._read()
        except UnresolvedHint:
            return  # a class further down in the module: read again when the point first runs

    def inputs(self) -> list[InputParameter]:
        """The session inputs it takes, beside the context and what it is about."""
        if self._inputs is None:
            try:
                self._read()
            except UnresolvedHint as error:
                raise SdkError(f"{error} Define it, or import it outside of TYPE_CHECKING.") from error
        return self._inputs or []

    def _read(self) -> None:
        if len(inspect.signature(self._function).parameters) == 3:
            self._inputs = []
            return
        found = read_parameters(self._function, self._owner, localns=self._local_names, skip=3)
        if found.arguments or found.contexts:
            name = next(iter(found.arguments or found.contexts))
            raise SdkError(
                f"{self._owner}: parameter {name!r} is not filled by anything. A third parameter is a session input: "
                f"{name}: Annotated[MyInput, agents.Depends()]."
            )
        self._inputs = found.inputs


def points_of(hook_class: type[Hook], base: type[Any], frame: FrameType | None) -> dict[str, Point]:
    """The points that a class overrides, by name. Raises SdkError for one that cannot be called."""
    return {
        name: Point(f"{hook_class.__name__}.{name}", function, frame)
        for name in POINTS
        if (function := getattr(hook_class, name)) is not getattr(base, name)
    }


class HasInputs(Protocol):
    """Where session inputs are: they are made when a point first asks for one."""

    @property
    def inputs(self) -> SessionInputs:
        """The session's inputs."""
        ...


def point_of(hook: Hook, point: str, context: Any, subject: Any, session: HasInputs) -> Awaitable[Any]:
    """Call a point that the hook overrides; awaited, it gives what the point returns, of any kind.

    Raises InputUnavailable.
    """
    function = getattr(hook, point)
    wanted = hook.points()[point].inputs()
    running: Awaitable[Any]
    if wanted:
        running = function(context, subject, **{one.name: one.read(session.inputs) for one in wanted})
    else:
        running = function(context, subject)
    return running


async def run_point(hook: Hook, point: str, context: Any, subject: Any, inputs: SessionInputs) -> Any:
    """Call a point and return its decision: None, or one of those in POINTS.

    Raises SdkError for a decision the point cannot take, InputUnavailable, and what the hook raises.
    """
    overridden = type(hook).points().get(point)
    if overridden is None:
        return None
    taken = {parameter.name: parameter.read(inputs) for parameter in overridden.inputs()}
    return check_decision(hook, point, await getattr(hook, point)(context, subject, **taken))


def check_decision(hook: Hook, point: str, decision: Any) -> Any:
    """The decision, if the point takes it."""
    if decision is None or isinstance(decision, POINTS[point]):
        _check_fields(f"{type(hook).__name__}.{point}", decision)
        return decision
    allowed = [_MADE_BY.get(kind, kind.__name__) for kind in POINTS[point]]
    shown = type(decision).__name__ if isinstance(decision, decisions.HookDecision) else repr(decision)
    made = _MADE_BY.get(decision.__class__, shown)
    raise SdkError(f"{type(hook).__name__}.{point} returned {made}, which this point cannot take. "
                   f"It may return None or {' or '.join(allowed)}.")  # fmt: skip


def _check_fields(owner: str, decision: Any) -> None:
    kind = decision.__class__
    name = _TEXTS.get(kind)
    if name is not None:
        text = getattr(decision, name)
        if not isinstance(text, str) and not (text is None and name == "content"):
            raise SdkError(f"{owner} returned {kind.__name__}, whose {name} is {text!r}. Pass a string.")
    elif kind is decisions.PreToolCallHookContinue:
        arguments = decision.effective_arguments
        if arguments is not None and not isinstance(arguments, Mapping):
            raise SdkError(
                f"{owner} returned {kind.__name__}, whose effective_arguments is {arguments!r}. Pass a dict."
            )
