"""Checking JSON against a schema that somebody wrote."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.authoring.schema_check import check_json

REF: Any = {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}


CASES: list[tuple[Any, list[Any], list[Any]]] = [
    ({"type": "integer"}, [1, 1.0, -3], [1.5, "1", True, None]),
    ({"type": "number"}, [1, 1.5], [True, "1"]),
    ({"type": ["string", "null"]}, ["", None], [1]),
    ({"type": "boolean"}, [True], [1]),
    ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [True, "b"]),
    ({"const": {"a": [1]}}, [{"a": [1]}], [{"a": [True]}, {"a": [1, 2]}, {}]),
    ({"required": ["a"]}, [{"a": None}, 3], [{}]),
    ({"properties": {"a": {"type": "string"}}}, [{}, {"a": ""}, {"b": 1}], [{"a": 1}]),
    ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}], [{"b": 1}]),
    (
        {"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
        [{"x1": 1}],
        [{"x1": "", "y": 1}],
    ),
    ({"propertyNames": {"maxLength": 1}}, [{"a": 1}], [{"ab": 1}]),
    ({"dependentRequired": {"a": ["b"]}}, [{}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}], [{}, {"a": 1, "b": 1}]),
    ({"items": {"type": "integer"}}, [[], [1]], [[1, "a"]]),
    ({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}, [["a", 1], []], [[1], ["a", "b"]]),
    ({"contains": {"const": 1}}, [[2, 1]], [[], [2]]),
    ({"uniqueItems": True}, [[1, True, "1"]], [[1, 1.0], [{"a": 1}, {"a": 1}]]),
    ({"minItems": 1, "maxItems": 2}, [[1]], [[], [1, 2, 3]]),
    ({"minLength": 1, "maxLength": 2, "pattern": "^a"}, ["a", "ab"], ["", "abc", "b"]),
    ({"minimum": 1, "exclusiveMaximum": 3}, [1, 2.9, True], [0, 3]),
    ({"exclusiveMinimum": 1, "maximum": 3}, [3], [1, 4]),
    ({"multipleOf": 0.1}, [0.3, 1], [0.25]),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [None]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 3}]}, [1, 3.5], [4]),
    ({"allOf": [{"type": "integer"}, {"minimum": 3}]}, [3], [1, 3.5]),
    ({"not": {"type": "string"}}, [1], ["a"]),
    ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}, ["ab", 2], ["a", 1]),
    (REF, [{"next": {"next": {}}}], [{"next": {"next": 1}}]),
    ({"$ref": "#"}, [], [1]),
    (True, [1], []),
    (False, [], [1]),
]


@pytest.mark.parametrize(("schema", "fits", "does_not"), CASES)
def test_a_keyword_tells_what_fits(schema: Any, fits: list[Any], does_not: list[Any]) -> None:
    assert [check_json(schema, value) for value in fits] == [[] for _ in fits]
    assert all(check_json(schema, value) for value in does_not)


def test_a_problem_says_where_it_is() -> None:
    schema: Any = {"properties": {"rows": {"items": {"properties": {"n": {"type": "integer"}}}}}}
    assert check_json(schema, {"rows": [{}, {"n": "x"}]}) == ["rows[1].n: should be integer, not a string"]
