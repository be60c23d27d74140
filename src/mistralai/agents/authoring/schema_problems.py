"""What is wrong with a JSON schema that somebody wrote by hand, found where it is given: schema_check.py goes by it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from mistralai.agents.authoring.json_kinds import is_array, is_number, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES: Final = ("string", "integer", "number", "boolean", "null", "array", "object")
_SCHEMA: Final = ("additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else")
_SCHEMAS_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMA_LISTS: Final = ("prefixItems", "anyOf", "oneOf", "allOf")
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def schema_problems(schema: Any) -> list[str]:
    """One sentence a problem, each beginning with where it is; empty for a schema. Unknown keywords are passed over."""
    try:
        plain = json.loads(json.dumps(schema, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return [f"it cannot be written as JSON: {error}"]
    return list(_problems(plain, "", plain))


def _problems(schema: Any, path: str, root: Any) -> Iterator[str]:
    if isinstance(schema, bool):
        return
    if not is_object(schema):
        yield f"{path or 'it'} is {_short(schema)}, not a schema"
        return
    for keyword, held in schema.items():
        place = f"{path}.{keyword}" if path else keyword
        if (wrong := _own_problem(keyword, held, root)) is not None:
            yield f"{place} is {_short(held)}, {wrong}"
        elif keyword in _SCHEMA:
            yield from _problems(held, place, root)
        elif keyword in _SCHEMAS_BY_NAME:
            for name, one in held.items():
                yield from _problems(one, f"{place}.{name}", root)
                if keyword == "patternProperties" and (wrong := _no_pattern(name)) is not None:
                    yield f"{place} has {_short(name)}, {wrong}"
        elif keyword in _SCHEMA_LISTS:
            for index, one in enumerate(held):
                yield from _problems(one, f"{place}[{index}]", root)


def _own_problem(keyword: str, held: Any, root: Any) -> str | None:
    """What is wrong with a keyword's value, apart from the schemas in it."""
    match keyword:
        case "type":
            known = isinstance(held, str) and held in _TYPES
            several = is_array(held) and held and all(isinstance(one, str) and one in _TYPES for one in held)
            return None if known or several else f"none of {', '.join(_TYPES)}"
        case "$ref":
            return _no_reference(held, root)
        case "enum":
            return None if is_array(held) else "not a list"
        case "required":
            return None if _is_names(held) else "not a list of names"
        case "dependentRequired":
            return None if is_object(held) and all(map(_is_names, held.values())) else "not lists of names by name"
        case "uniqueItems":
            return None if isinstance(held, bool) else "not true or false"
        case "pattern":
            return _no_pattern(held)
        case _ if keyword in _SCHEMAS_BY_NAME:
            return None if is_object(held) else "not schemas by name"
        case _ if keyword in _SCHEMA_LISTS:
            return None if is_array(held) and held else "not a list of schemas"
        case "items" if is_array(held):
            return "a list: write prefixItems for one schema an item"
        case _ if keyword in _COUNTS:
            fits = is_number(held) and held >= 0 and held == int(held)
            return None if fits else "not a whole number from 0"
        case _ if keyword in _NUMBERS:
            fits = is_number(held) and (keyword != "multipleOf" or held > 0)
            return None if fits else "not a number above 0" if keyword == "multipleOf" else "not a number"
        case _:
            return None


def _is_names(held: Any) -> bool:
    return is_array(held) and all(isinstance(name, str) for name in held)


def _no_pattern(held: Any) -> str | None:
    try:
        re.compile(held)
    except (re.error, TypeError) as error:
        return f"which Python's re cannot read: {error}"
    return None


def _no_reference(held: Any, root: Any) -> str | None:
    if not isinstance(held, str):
        return "not a reference such as #/$defs/name"
    if held.startswith("#/") and resolved(held, root) is None:
        return "which the schema does not have"
    return None


def resolved(pointer: str, root: Any) -> Any:
    """What a reference within the schema names; None if there is nothing."""
    target = root
    for part in pointer.removeprefix("#").split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if is_object(target):
            target = target.get(key)
        elif is_array(target) and key.isdecimal() and int(key) < len(target):
            target = target[int(key)]
        else:
            return None
    return target


def _short(held: Any) -> str:
    text = repr(held)
    return text if len(text) <= 60 else f"{text[:57]}..."
