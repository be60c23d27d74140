"""A JSON schema in the form that OpenAI's strict mode takes, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject

REFUSED = frozenset(
    {"allOf", "not", "oneOf", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"}
    | {"prefixItems", "unevaluatedProperties", "propertyNames", "minProperties", "maxProperties", "contains"}
)
DROPPED = frozenset({"default", "title", "examples", "discriminator"})


def strict_schema(schema: JsonObject) -> JsonObject | None:
    """The schema with every property required and no others allowed; None if that would change what it means."""
    try:
        rewritten = _rewritten(schema)
    except _NotStrict:
        return None
    is_object = isinstance(rewritten, dict) and (rewritten.get("type") == "object" and "anyOf" not in rewritten)
    return cast("JsonObject", rewritten) if is_object else None


class _NotStrict(Exception):
    """The schema has no strict form."""


def _rewritten(schema: Any) -> Any:
    if not isinstance(schema, dict):
        raise _NotStrict
    given = cast("JsonObject", schema)
    if "$ref" in given:
        return {"$ref": given["$ref"]}
    if REFUSED & given.keys() or not given.keys() - DROPPED - {"description"}:
        alternatives = given.get("oneOf")
        if REFUSED & given.keys() != {"oneOf"} or not isinstance(alternatives, list):
            raise _NotStrict
        given = {key: value for key, value in given.items() if key != "oneOf"} | {"anyOf": alternatives}
    result: JsonObject = {}
    for key, value in given.items():
        if key in DROPPED:
            continue
        if key in ("properties", "$defs"):
            result[key] = {name: _rewritten(item) for name, item in value.items()}
        elif key == "items":
            result[key] = _rewritten(value)
        elif key == "anyOf":
            result[key] = [_rewritten(item) for item in value]
        else:
            result[key] = value
    if given.get("type") == "object":
        properties: JsonObject = given.get("properties") or {}
        required: list[str] = given.get("required") or []
        # A property that may be left out has no strict form: the model would have to make a value up.
        if given.get("additionalProperties") not in (None, False) or properties.keys() != set(required):
            raise _NotStrict
        result["properties"] = result.get("properties", {})
        result["required"] = list(properties)
        result["additionalProperties"] = False
    return result
