"""Schemas in OpenAI's strict form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.authoring.model import OutputFormat
from mistralai.agents.models.chat_dialect import OpenAIDialect
from mistralai.agents.models.strict_schema import strict_schema
from tests.models.calling import request

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject

NUMBER: JsonObject = {"type": "integer", "title": "N", "default": 3}
NOT_STRICT: list[JsonObject] = [
    {"type": "array", "items": NUMBER},
    {"anyOf": [{"type": "object", "properties": {}}]},
    {"type": "object", "additionalProperties": NUMBER},
    {"type": "object", "properties": {"x": {}}},
    {"type": "object", "properties": {"x": {"type": "array", "prefixItems": [NUMBER]}}},
    {"type": "object", "properties": {"x": {"allOf": [NUMBER, NUMBER]}}},
    {"type": "object", "properties": {"x": True}},
]


class TestStrictForm:
    def test_every_property_is_required_and_no_other_allowed(self) -> None:
        inner: JsonObject = {"type": "object", "title": "In", "properties": {"n": NUMBER}}
        schema: JsonObject = {
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/In"}},
                "b": {"oneOf": [NUMBER, {"type": "null"}]},
            },
            "required": ["a"],
            "$defs": {"In": inner},
        }
        strict_inner = {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
            "additionalProperties": False,
        }
        assert strict_schema(schema) == {
            "type": "object",
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/In"}},
                "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "required": ["a", "b"],
            "additionalProperties": False,
            "$defs": {"In": strict_inner},
        }
        assert "title" in inner

    def test_of_a_type_that_holds_itself_has_an_object_as_its_root(self) -> None:
        node: JsonObject = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
        strict = {**node, "required": ["next"], "additionalProperties": False}
        assert strict_schema({"$ref": "#/$defs/Node", "$defs": {"Node": node}}) == {**strict, "$defs": {"Node": strict}}

    @pytest.mark.parametrize("schema", NOT_STRICT)
    def test_what_has_none_is_left_alone(self, schema: JsonObject) -> None:
        assert strict_schema(schema) is None


class TestRootsThatAreNoObject:
    @pytest.mark.parametrize(("url", "constrained"), [(None, False), ("http://127.0.0.1:9/v1", True)])
    def test_openai_is_asked_in_words_and_other_servers_by_schema(self, url: str | None, constrained: bool) -> None:
        dialect = OpenAIDialect()
        environ = {"OPENAI_API_KEY": "k"} | ({"OPENAI_BASE_URL": url} if url else {})
        asked = request(output=OutputFormat(name="numbers", schema={"type": "array", "items": {"type": "integer"}}))
        body = json.loads(b"".join(dialect.body(asked, dialect.endpoint(environ)).pieces))
        assert ("response_format" in body) is constrained
        assert ("<schema>" in body["messages"][0]["content"]) is not constrained
