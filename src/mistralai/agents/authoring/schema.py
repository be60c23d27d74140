"""Types to validators and JSON schemas, by pydantic. Descriptions from docstrings are added in tool.py."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError, to_json

from mistralai.agents.authoring.call_errors import InvalidArguments
from mistralai.agents.authoring.json_kinds import is_object, json_kind
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic.json_schema import JsonSchemaMode
    from pydantic_core import ErrorDetails

    type JsonObject = dict[str, Any]

UNUSABLE = (PydanticUserError, TypeError, ValueError)
"""What pydantic raises for a type that it cannot validate or describe."""

_REWORDED = {
    "missing_keyword_only_argument": "is required",
    "missing": "is required",
    "unexpected_keyword_argument": "is not a parameter of this tool",
    "extra_forbidden": "is not allowed here",
}


class _Untitled(GenerateJsonSchema):
    """Leaves out titles that only repeat a name; one that the author wrote stays."""

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Nothing: a default that JSON cannot hold is left out of the schema, and the function still has it."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def generate(self, schema: Any, mode: JsonSchemaMode = "validation") -> JsonObject:
        result = super().generate(schema, mode)
        for name, definition in cast("JsonObject", result.get("$defs", {})).items():
            if definition.get("title") in (name, name.rsplit("__", 1)[-1]):
                del definition["title"]
        return result


class ArgumentsSchema:
    """Validates the JSON arguments of a call into the values of a function's parameters."""

    __slots__ = ("_validate", "aliases", "schema")

    def __init__(self, adapter: TypeAdapter[Any], aliases: Mapping[str, str]) -> None:
        self.schema: JsonObject = json_schema_of(adapter, "validation")
        for name, held in self.schema.get("properties", {}).items():
            if (
                held.get("title") == name.replace("_", " ").title()
            ):  # as earlier versions of pydantic give each parameter
                del held["title"]
        """The JSON schema, without what docstrings say."""
        self.aliases: Mapping[str, str] = aliases
        """Parameter name to the name the model uses, where they differ."""
        self._validate: Callable[[bytes], dict[str, Any]] = adapter.validator.validate_json

    def validate(self, arguments: object) -> dict[str, Any]:
        """The parameters' values, defaults included. Raises InvalidArguments."""
        if not is_object(arguments):
            raise InvalidArguments([f"The arguments must be a JSON object, not {json_kind(arguments)}."])
        try:
            return self._validate(to_json_bytes(arguments))
        except ValidationError as error:
            raise InvalidArguments(problems_of(error)) from None
        except PydanticSerializationError as error:
            raise InvalidArguments([f"The arguments are not valid JSON: {error}."]) from None


def json_schema_of(adapter: TypeAdapter[Any], mode: JsonSchemaMode, named: Any = None) -> JsonObject:
    """The JSON schema of a type, without titles that only repeat names."""
    schema = adapter.json_schema(schema_generator=_Untitled, mode=mode)
    if "title" in schema and schema["title"] == getattr(named, "__name__", None):
        del schema["title"]
    return schema


def to_json_bytes(value: object) -> bytes:
    """JSON text of plain JSON data. Validating the text, not the data, gives JSON's rules: a date is a string."""
    return to_json(value, inf_nan_mode="constants")


def arguments_schema(
    owner: str, parameters: Mapping[str, inspect.Parameter], *, lenient: bool = False
) -> ArgumentsSchema:
    """Build the validator of a function's arguments. Raises SdkError that names `owner` and the parameter.

    `lenient` passes a value on as it came where pydantic cannot validate the type, for tools with their own schema.
    """
    if lenient:
        parameters = {
            name: parameter if _fault(parameter.annotation) is None else parameter.replace(annotation=Any)
            for name, parameter in parameters.items()
        }
    try:
        return ArgumentsSchema(_adapter_of(parameters), _aliases(parameters))
    except UNUSABLE as error:
        for name, parameter in parameters.items():
            if _fault(parameter.annotation) is not None or _fault_of_parameter(name, parameter) is not None:
                raise SdkError(
                    f"{owner}: parameter {name!r} has type {shown(parameter.annotation)}, which pydantic cannot "
                    "validate. Give it a type with a schema, or pass input_schema=."
                ) from error
        raise SdkError(f"{owner}: no input schema can be made ({_first_line(error)}). Pass input_schema=.") from error


def result_adapter(owner: str, returns: Any) -> tuple[TypeAdapter[Any], JsonObject]:
    """The validator and the JSON schema of a return type. Raises SdkError that names `owner`."""
    try:
        adapter = TypeAdapter[Any](returns)
        schema = json_schema_of(adapter, "serialization", returns)
    except UNUSABLE as error:
        raise SdkError(
            f"{owner}: it returns {shown(returns)}, which pydantic cannot turn into JSON. Return a type with a "
            "schema, or pass output_schema=."
        ) from error
    return adapter, schema


def problems_of(error: ValidationError, *, show_input: bool = True) -> list[str]:
    """One line a problem, beginning with where it is."""
    return [
        _problem(detail, show_input=show_input) for detail in error.errors(include_url=False, include_context=False)
    ]


def shown(hint: Any) -> str:
    """A type as its author wrote it, more or less."""
    return hint.__qualname__.rpartition("<locals>.")[2] if isinstance(hint, type) else str(hint)


def _adapter_of(parameters: Mapping[str, inspect.Parameter]) -> TypeAdapter[Any]:
    def collect(**values: Any) -> dict[str, Any]:
        return values

    # pydantic reads a function's parameters; this one has the tool's, all by keyword, and returns what it is given.
    named = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    cast("Any", collect).__signature__ = inspect.Signature(named)
    collect.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
    return TypeAdapter[Any](cast("Any", collect))


def _aliases(parameters: Mapping[str, inspect.Parameter]) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for name, parameter in parameters.items():
        marks = [parameter.default, *getattr(parameter.annotation, "__metadata__", ())]
        for mark in marks:
            if isinstance(mark, FieldInfo):
                alias = mark.validation_alias if isinstance(mark.validation_alias, str) else mark.alias
                if alias is not None and alias != name:
                    aliases[name] = alias
    return aliases


def _fault(hint: Any) -> Exception | None:
    try:
        TypeAdapter[Any](hint).json_schema(schema_generator=_Untitled)
    except UNUSABLE as error:
        return error
    return None


def _fault_of_parameter(name: str, parameter: inspect.Parameter) -> Exception | None:
    try:
        _adapter_of({name: parameter}).json_schema(schema_generator=_Untitled)
    except UNUSABLE as error:
        return error
    return None


def _problem(detail: ErrorDetails, *, show_input: bool) -> str:
    where = ""
    for part in detail["loc"]:
        where += f"[{part}]" if isinstance(part, int) else f".{part}" if where else part
    said = _REWORDED.get(detail["type"], detail["msg"])
    if detail["type"] not in _REWORDED and show_input:
        given = repr(detail["input"])
        said = f"{said}, not {given}" if len(given) <= 80 else said
    return f"{where or 'value'}: {said}"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
