"""A JSON schema in the form that OpenAI's strict mode takes, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.models.plain_json import is_object

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject

REFUSED = frozenset(
    {
        *("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"),
        *("prefixItems", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties", "contains"),
    }
)
DROPPED = frozenset({"default", "title", "examples", "discriminator"})


class _NotStrictError(Exception):
    """The schema has no strict form."""


def strict_schema(schema: JsonObject) -> JsonObject | None:
    """The schema with every property required and no others allowed; None if it has no such form.

    A property with a default becomes required: the model then writes a value, which the type accepts as well.
    """
    try:
        rewritten = _rewritten(_with_its_root(schema))
    except _NotStrictError:
        return None
    return rewritten if rewritten.get("type") == "object" and "anyOf" not in rewritten else None


def _with_its_root(schema: JsonObject) -> JsonObject:
    """The schema of a type that holds itself is a reference to one of its definitions: the root must be an object."""
    reference: str = schema.get("$ref", "")
    definitions: JsonObject = schema.get("$defs", {})
    root = definitions.get(reference.removeprefix("#/$defs/"))
    return {**root, "$defs": definitions} if is_object(root) else schema


def _rewritten(schema: Any) -> JsonObject:
    if not is_object(schema):
        raise _NotStrictError
    given = _one_way_of_saying_it(schema)
    if "$ref" in given:
        return {"$ref": given["$ref"]}
    if REFUSED & set(given) or not set(given) - DROPPED - {"description"}:
        raise _NotStrictError
    result: JsonObject = {}
    for key, value in given.items():
        match key:
            case "properties" | "$defs":
                result[key] = {name: _rewritten(item) for name, item in _members(value)}
            case "items":
                result[key] = _rewritten(value)
            case "anyOf":
                result[key] = [_rewritten(item) for item in value]
            case _ if key not in DROPPED:
                result[key] = value
            case _:
                pass
    if given.get("type") == "object":
        if given.get("additionalProperties") not in (None, False) or "properties" not in given:
            raise _NotStrictError  # a map with open keys
        result["required"] = list(result["properties"])
        result["additionalProperties"] = False
    return result


def _one_way_of_saying_it(schema: JsonObject) -> JsonObject:
    """`oneOf` as `anyOf`, and an `allOf` of one as what it holds."""
    if "oneOf" in schema and "anyOf" not in schema:
        schema = {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}
    match schema.get("allOf"):
        case None:
            return schema
        case [{"$ref": str(reference)}]:
            return {"$ref": reference}
        case _:
            raise _NotStrictError


def _members(value: Any) -> list[tuple[str, Any]]:
    if not is_object(value):
        raise _NotStrictError
    return list(value.items())
