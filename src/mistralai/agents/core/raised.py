"""What is told of an exception of the user's code: in words, and in the log without arguments that are sensitive."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.authoring.permissions import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def log_raised(session: OpenSession, tool_id: str, arguments: Any, error: BaseException) -> None:
    """Log what a tool raised. Its message may well quote an argument, and a sensitive one is masked there too."""
    policy = session.settings.definition.permission_policy
    names = policy.sensitive(tool_id) if policy is not None else frozenset[str]()
    if not names or not is_object(arguments):
        _LOGGER.error("Tool %s raised in session %s.", tool_id, session.session_id, exc_info=error)
        return
    told = "".join(traceback.format_exception(error))
    hidden = {text for name in names if name in arguments for text in _texts(arguments[name])}
    for text in sorted(hidden, key=len, reverse=True):
        told = told.replace(text, MASK)
    _LOGGER.error("Tool %s raised in session %s.\n%s", tool_id, session.session_id, told)


def _texts(value: Any) -> Iterator[str]:
    """Yield what a value looks like in a message, its parts too."""
    parts = value.values() if is_object(value) else value if is_array(value) else ()
    for part in parts:
        yield from _texts(part)
    for text in (str(value), repr(value)[1:-1] if isinstance(value, str) else ""):
        if len(text) >= SHORTEST_MASKED and not isinstance(value, bool) and value is not None:
            yield text
