"""What is told of an exception of the user's code: in words, and in the log without arguments that are sensitive."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.authoring.permissions import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mistralai.agents.authoring.call_errors import OutputMismatch
    from mistralai.agents.authoring.permissions import PermissionPolicy
    from mistralai.agents.core.session import OpenSession

_LOGGER = logging.getLogger("mistralai.agents")
SHORTEST_MASKED: Final = 3
"""Texts below this length are left: one letter masked everywhere tells more than it hides."""


def described(error: BaseException) -> str:
    """Return an exception's type and message; only the type where it has none, or cannot say it."""
    name = type(error).__name__
    try:
        said = str(error)
    except Exception:
        return name
    return f"{name}: {said}" if said else name


def misfit(what: str, error: OutputMismatch) -> str:
    """Return what is said of a result that does not fit."""
    return f"{what} gave a result that does not fit its schema: {error}"


def log_raised(session: OpenSession, what: str, error: BaseException, subject: Any = None) -> None:
    """Log what raised. Its message may well quote an argument of a call, and a sensitive one is masked there too.

    `subject` is what a hook was shown.
    """
    policy = session.settings.definition.permission_policy
    hidden = set(_sensitive(session, policy, subject)) if policy is not None else set[str]()
    if not hidden:
        _LOGGER.error("%s raised in session %s.", what, session.session_id, exc_info=error)
        return
    told = "".join(traceback.format_exception(error))
    for text in sorted(hidden, key=len, reverse=True):
        told = told.replace(text, MASK)
    _LOGGER.error("%s raised in session %s.\n%s", what, session.session_id, told)


def _sensitive(session: OpenSession, policy: PermissionPolicy, subject: Any) -> Iterator[str]:
    """Yield the sensitive texts of the turn's calls, and of those that the subject speaks of."""
    turn = session.state.active
    for call in turn.calls if turn is not None else ():
        names = policy.sensitive(call.call.tool_id)
        yield from _texts_of(call.arguments, names)
        yield from _texts_of(call.call.arguments, names)
    if (tool_id := getattr(subject, "tool_id", None)) is not None:
        yield from _texts_of(subject.arguments, policy.sensitive(tool_id))
    for made in getattr(subject, "tool_calls", ()):  # by the model's names: what any rule hides is hidden
        yield from _texts_of(made.arguments, policy.sensitive(None))


def _texts_of(arguments: Any, names: frozenset[str]) -> Iterator[str]:
    if names and is_object(arguments):
        for name in names & arguments.keys():
            yield from _texts(arguments[name])


def _texts(value: Any) -> Iterator[str]:
    """Yield what a value looks like in a message, its parts too."""
    parts = [*value, *value.values()] if is_object(value) else value if is_array(value) else ()
    for part in parts:
        yield from _texts(part)
    for text in (str(value), repr(value)[1:-1] if isinstance(value, str) else ""):
        if len(text) >= SHORTEST_MASKED and not isinstance(value, bool) and value is not None:
            yield text
