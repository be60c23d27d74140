"""A JSON schema as people read it: a line a parameter, with its type, its default and what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.cli.chat.clean import one_row, shown_json

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST = 3
"""How many types in each other are written out; one more has its name alone. A type that holds itself has no end."""


def parameters(schema: object) -> list[str]:
    """Return a line for each parameter that a schema of arguments has."""
    if not is_object(schema):
        return []
    known = _definitions(schema)
    return [_parameter(name, of, required, known) for name, of, required in _properties(schema)]


def type_of(schema: object) -> str:
    """Return what a schema takes, on one line."""
    return _type(schema, _definitions(schema), 0)


def _parameter(name: str, schema: object, required: bool, known: dict[str, Any]) -> str:
    about = schema if is_object(schema) else {}
    mark = "" if required or "default" in about else "?"
    said = f"{one_row(name)}{mark}: {_type(schema, known, 0)}"
    if "default" in about:
        said += f" = {shown_json(about['default'])}"
    description = one_row(str(about.get("description", "")))
    return f"{said} · {description}" if description else said


def _type(schema: object, known: dict[str, Any], depth: int) -> str:
    if not is_object(schema):
        return "anything"
    match schema:
        case {"$ref": str(where)}:
            name = where.rpartition("/")[2]
            return _type(known[name], known, depth + 1) if name in known and depth < _DEEPEST else one_row(name)
        case {"enum": values} if is_array(values):
            return _either(map(shown_json, values))
        case {"const": value}:
            return shown_json(value)
        case {"anyOf": choices} | {"oneOf": choices} if is_array(choices):
            return _either(_type(choice, known, depth) for choice in choices)
        case {"type": names} if is_array(names):
            return _either(map(str, names))
        case {"type": "array"}:
            held = _type(schema.get("items", True), known, depth)
            return f"list of ({held})" if " | " in held else f"list of {held}"
        case {"type": "object"}:
            return _object(schema, known, depth)
        case {"type": str(name), "format": str(form)}:
            return one_row(f"{name} ({form})")
        case {"type": str(name)}:
            return one_row(name)
        case _:
            return "anything"


def _object(schema: dict[str, Any], known: dict[str, Any], depth: int) -> str:
    fields = _properties(schema)
    if fields:
        shown = (f"{one_row(name)}{'' if needed else '?'}: {_type(of, known, depth)}" for name, of, needed in fields)
        return f"{{{', '.join(shown)}}}"
    if is_object(values := schema.get("additionalProperties")):
        return f"object of {_type(values, known, depth)}"
    return "object"


def _properties(schema: dict[str, Any]) -> list[tuple[str, object, bool]]:
    """Each property with its schema, and whether it has to be there."""
    found, required = schema.get("properties"), schema.get("required")
    needed = required if is_array(required) else []
    return [(name, of, name in needed) for name, of in found.items()] if is_object(found) else []


def _definitions(schema: object) -> dict[str, Any]:
    found = schema.get("$defs") if is_object(schema) else None
    return found if is_object(found) else {}


def _either(choices: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(choices))
