"""The type an agent's answer is asked for: its JSON schema, and the reading of an answer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.turn_states import InvalidOutput

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    type JsonObject = dict[str, Any]

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


class OutputType[T]:
    """Reads answers as a type. Get one with `output_type_of`, which keeps what it built."""

    __slots__ = ("_adapter", "name", "schema")

    def __init__(self, name: str, adapter: TypeAdapter[T], schema: JsonObject) -> None:
        self.name: str = name
        """A name for the format that providers accept."""
        self.schema: JsonObject = schema
        """The JSON schema to ask the model for."""
        self._adapter = adapter

    def parse(self, text: str) -> T | InvalidOutput:
        """The answer as a value, or why it is none. A fence of three backticks around it is passed over."""
        from pydantic import ValidationError

        from mistralai.agents.authoring.schema import problems_of

        if self.schema.get("type") == "string" and not text.lstrip().startswith('"'):
            text = _quoted(text)
        fenced = _FENCED.fullmatch(text)
        try:
            return self._adapter.validate_json(fenced[1] if fenced is not None else text)
        except ValidationError as error:
            return InvalidOutput(raw=text, error="; ".join(problems_of(error)))


def output_type_of[T](declared: type[T]) -> OutputType[T]:
    """What `output_type=` stands for. Raises SdkError for a type that pydantic cannot validate."""
    try:
        return cast("OutputType[T]", _kept(cast("Any", declared)))
    except TypeError:  # a type that cannot be hashed, such as Annotated with a list
        return cast("OutputType[T]", _built(declared))


def _built(declared: Any) -> OutputType[Any]:
    from pydantic import TypeAdapter

    from mistralai.agents.authoring.schema import UNUSABLE, json_schema_of, shown

    try:
        adapter = TypeAdapter[Any](declared)
        schema = json_schema_of(adapter, "validation", declared)
    except (*UNUSABLE, LookupError, SyntaxError) as error:
        raise SdkError(
            f"output_type is {shown(declared)}, which pydantic cannot validate. "
            "Pass a pydantic model, a dataclass, a TypedDict or another type with a schema."
        ) from error
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", getattr(declared, "__name__", "output")).strip("_")[:64]
    return OutputType(name or "output", adapter, schema)


_kept = lru_cache(maxsize=256)(_built)


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)
