"""What kind of JSON a value is, for checks and for their messages."""

from __future__ import annotations

from typing import Any, Final, TypeGuard

DEEPEST: Final = 200
"""How deep a call's arguments may be nested. What reads, copies and writes them further on has bounds not far above."""


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether the value is a JSON number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_deeper(data: object, bound: int) -> bool:
    """Whether arrays and objects lie in each other more than so many times."""
    level: list[Any] = [data]
    for _ in range(bound + 1):
        level = [
            part for held in level for part in (held.values() if is_object(held) else held if is_array(held) else ())
        ]
        if not level:
            return False
    return True


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
