"""Structured output as providers are asked for it: a schema that constrains the reply, or words in the prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.models.strict_schema import strict_schema
from mistralai.agents.models.wire_text import FOREIGN_TO_A_NAME, NAME_LIMIT, encoded

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject, OutputFormat


def response_format(output: OutputFormat) -> JsonObject:
    """The `response_format` of chat completions: strict where the schema has a strict form."""
    strict = strict_schema(output.schema)
    described: JsonObject = {
        "name": FOREIGN_TO_A_NAME.sub("_", output.name)[:NAME_LIMIT] or "output",
        "schema": output.schema if strict is None else strict,
        "strict": strict is not None,
    }
    return {"type": "json_schema", "json_schema": described}


def output_instructions(output: OutputFormat) -> str:
    """The same in words, for a server that does not constrain this reply."""
    return (
        "Give your final answer as one JSON value that fits the JSON schema below, without any other text and without "
        f"a code fence.\n<schema>{encoded(output.schema).decode()}</schema>"
    )
