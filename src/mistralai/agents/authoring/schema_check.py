"""Checks plain JSON data against a JSON schema that somebody wrote by hand. Types have pydantic instead: schema.py."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.json_kinds import is_array, is_number, is_object, json_kind
from mistralai.agents.authoring.schema_problems import resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    type Schema = dict[str, Any] | bool
    type Check = Callable[[Any, Any, "_Place"], Iterator[str]]


class _Place:
    """Where in the value a check is, the schema's root, and how deep it may still follow references."""

    __slots__ = ("depth", "path", "root", "schema")

    def __init__(self, path: str, root: Schema, schema: dict[str, Any], depth: int) -> None:
        self.path = path
        self.root = root
        self.schema = schema
        self.depth = depth

    def says(self, sentence: str) -> str:
        return f"{self.path or 'value'}: {sentence}"

    def check(self, schema: Schema, value: Any, part: str | int | None = None) -> list[str]:
        path = self.path
        if isinstance(part, int):
            path += f"[{part}]"
        elif part is not None:
            path += f".{part}" if path else part
        return _check(schema, value, path, self.root, self.depth + 1)


def check_json(schema: Schema, value: object) -> list[str]:
    """The problems of `value` under `schema`, one sentence each; empty when it fits. Formats are not checked."""
    return _check(schema, value, "", schema, 0)


def _check(schema: Schema, value: Any, path: str, root: Schema, depth: int) -> list[str]:
    if schema is True:
        return []
    if schema is False:
        return [f"{path or 'value'}: is not allowed here"]
    if depth > 200:
        return [f"{path or 'value'}: is nested too deep"]
    place = _Place(path, root, schema, depth)
    return [
        problem for keyword, check in _CHECKS if keyword in schema for problem in check(schema[keyword], value, place)
    ]


def _reference(pointer: str, value: Any, place: _Place) -> Iterator[str]:
    if pointer == "#" or pointer.startswith("#/"):  # another schema, or an anchor, is not looked for
        target = resolved(pointer, place.root)
        if target is not None:
            yield from place.check(target, value)


def _is_kind(kind: str, value: Any) -> bool:
    match kind:
        case "integer":
            return is_number(value) and (isinstance(value, int) or value.is_integer())
        case "number":
            return is_number(value)
        case _:
            return isinstance(value, _KINDS.get(kind, object))


_KINDS: dict[str, Any] = {
    "string": str, "boolean": bool, "null": type(None), "array": list, "object": dict,
}  # fmt: skip


def _type(kinds: str | list[str], value: Any, place: _Place) -> Iterator[str]:
    allowed = [kinds] if isinstance(kinds, str) else kinds
    if not any(_is_kind(kind, value) for kind in allowed):
        yield place.says(f"should be {' or '.join(allowed)}, not {json_kind(value)}")


def same_json(left: Any, right: Any) -> bool:
    """Equality of JSON: true is not 1, and 1.0 is 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_object(left) and is_object(right):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if is_array(left) and is_array(right):
        return len(left) == len(right) and all(map(same_json, left, right))
    return bool(left == right)


def _enum(values: list[Any], value: Any, place: _Place) -> Iterator[str]:
    if not any(same_json(value, one) for one in values):
        yield place.says(f"should be one of {', '.join(map(repr, values))}")


def _const(constant: Any, value: Any, place: _Place) -> Iterator[str]:
    if not same_json(value, constant):
        yield place.says(f"should be {constant!r}")


def _properties(properties: dict[str, Schema], value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        for name, schema in properties.items():
            if name in value:
                yield from place.check(schema, value[name], name)


def _pattern_properties(patterns: dict[str, Schema], value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        for name, item in value.items():
            for pattern, schema in patterns.items():
                if _compiled(pattern).search(name):
                    yield from place.check(schema, item, name)


def _additional(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        known: Any = place.schema.get("properties", {})
        patterns: Any = place.schema.get("patternProperties", {})
        for name, item in value.items():
            if name not in known and not any(_compiled(pattern).search(name) for pattern in patterns):
                yield from place.check(schema, item, name)


def _property_names(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        for name in value:
            yield from place.check(schema, name, name)


def _required(names: list[str], value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        yield from (place.says(f"{name} is required") for name in names if name not in value)


def _dependent(dependencies: dict[str, list[str]], value: Any, place: _Place) -> Iterator[str]:
    if is_object(value):
        for name, names in dependencies.items():
            if name in value:
                yield from _required(names, value, place)


def _items(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    if is_array(value):
        for index in range(len(place.schema.get("prefixItems", [])), len(value)):
            yield from place.check(schema, value[index], index)


def _prefix_items(schemas: list[Schema], value: Any, place: _Place) -> Iterator[str]:
    if is_array(value):
        for index, (schema, item) in enumerate(zip(schemas, value, strict=False)):
            yield from place.check(schema, item, index)


def _contains(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    if is_array(value) and all(place.check(schema, item) for item in value):
        yield place.says("lacks an item that its schema asks for")


def _unique(wanted: bool, value: Any, place: _Place) -> Iterator[str]:
    if wanted and is_array(value):
        twice = any(same_json(item, other) for index, item in enumerate(value) for other in value[:index])
        if twice:
            yield place.says("should have no item twice")


def _any_of(schemas: list[Schema], value: Any, place: _Place) -> Iterator[str]:
    found = [place.check(schema, value) for schema in schemas]
    if all(found):
        yield found[0][0] if len(found) == 1 else place.says("fits none of the allowed forms")


def _one_of(schemas: list[Schema], value: Any, place: _Place) -> Iterator[str]:
    fitting = sum(not place.check(schema, value) for schema in schemas)
    if fitting != 1:
        yield place.says(
            "fits none of the allowed forms" if fitting == 0 else "fits more than one of the allowed forms"
        )


def _all_of(schemas: list[Schema], value: Any, place: _Place) -> Iterator[str]:
    for schema in schemas:
        yield from place.check(schema, value)


def _not(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    if not place.check(schema, value):
        yield place.says("has a form that is not allowed")


def _if(schema: Schema, value: Any, place: _Place) -> Iterator[str]:
    branch = place.schema.get("else" if place.check(schema, value) else "then", True)
    yield from place.check(branch, value)


def _pattern(pattern: str, value: Any, place: _Place) -> Iterator[str]:
    if isinstance(value, str) and not _compiled(pattern).search(value):
        yield place.says(f"should match {pattern}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _bound(kind: Any, fits: Callable[[Any, Any], bool], sentence: str, measure: Callable[[Any], Any]) -> Check:
    def check(limit: Any, value: Any, place: _Place) -> Iterator[str]:
        if isinstance(value, kind) and not isinstance(value, bool) and not fits(measure(value), limit):
            yield place.says(sentence.format(limit))

    return check


def _is_multiple(value: float, step: float) -> bool:
    quotient = value / step
    return abs(quotient - round(quotient)) < 1e-9


def _itself(value: Any) -> Any:
    return value


_NUMBER = int | float
_CHECKS: tuple[tuple[str, Check], ...] = (
    ("$ref", _reference),
    ("type", _type),
    ("enum", _enum),
    ("const", _const),
    ("required", _required),
    ("properties", _properties),
    ("patternProperties", _pattern_properties),
    ("additionalProperties", _additional),
    ("propertyNames", _property_names),
    ("dependentRequired", _dependent),
    ("minProperties", _bound(dict, lambda n, limit: n >= limit, "should have at least {} properties", len)),
    ("maxProperties", _bound(dict, lambda n, limit: n <= limit, "should have at most {} properties", len)),
    ("prefixItems", _prefix_items),
    ("items", _items),
    ("contains", _contains),
    ("uniqueItems", _unique),
    ("minItems", _bound(list, lambda n, limit: n >= limit, "should have at least {} items", len)),
    ("maxItems", _bound(list, lambda n, limit: n <= limit, "should have at most {} items", len)),
    ("minLength", _bound(str, lambda n, limit: n >= limit, "should have at least {} characters", len)),
    ("maxLength", _bound(str, lambda n, limit: n <= limit, "should have at most {} characters", len)),
    ("pattern", _pattern),
    ("minimum", _bound(_NUMBER, lambda n, limit: n >= limit, "should be at least {}", _itself)),
    ("maximum", _bound(_NUMBER, lambda n, limit: n <= limit, "should be at most {}", _itself)),
    ("exclusiveMinimum", _bound(_NUMBER, lambda n, limit: n > limit, "should be more than {}", _itself)),
    ("exclusiveMaximum", _bound(_NUMBER, lambda n, limit: n < limit, "should be less than {}", _itself)),
    ("multipleOf", _bound(_NUMBER, _is_multiple, "should be a multiple of {}", _itself)),
    ("anyOf", _any_of),
    ("oneOf", _one_of),
    ("allOf", _all_of),
    ("not", _not),
    ("if", _if),
)
