"""What kind of JSON a value is, for checks and for their messages."""

from __future__ import annotations

import marshal
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether the value is a JSON number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_copy[J](value: J) -> J:
    """A copy of JSON data that shares nothing that can be changed, whatever characters its strings hold."""
    data: Any = value
    copied: J = marshal.loads(marshal.dumps(data))
    return copied


def json_kind(value: object) -> str:
    """The JSON name of a value's kind, with its article."""
    if value is None:
        return "null"
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a number"),
    (str, "a string"),
    (list, "an array"),
    (tuple, "an array"),
    (dict, "an object"),
)
