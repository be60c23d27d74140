"""What a tool says of itself and how its calls are checked: the common part of a tool and of a client tool."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from mistralai.agents.authoring.call_errors import InvalidArguments, OutputMismatch
from mistralai.agents.authoring.docstrings import parameter_descriptions, summary_of
from mistralai.agents.authoring.results import (
    dump_as,
    encode_parts,
    encode_value,
    is_content,
    is_content_type,
    program_value,
    to_plain,
)
from mistralai.agents.authoring.schema import ArgumentsSchema, arguments_schema, problems_of, result_adapter
from mistralai.agents.authoring.signature import Parameters, UnresolvedHint, enclosing_names, read_parameters
from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import replace
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from mistralai.agents.values.json_value import JsonValue

    type JsonObject = dict[str, Any]

type ModelAccess = Literal["direct", "programmatic", "both"]

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NO_SCHEMA = (inspect.Signature.empty, Any, object, ToolResult)


class Options:
    """The keyword arguments of a tool decorator, checked."""

    __slots__ = ("annotations", "description", "idempotent", "input_schema", "model_access", "name", "output_schema",
                 "timeout_seconds")  # fmt: skip

    def __init__(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        annotations: ToolAnnotations | None = None,
        model_access: ModelAccess = "both",
        timeout_seconds: float | None = None,
        idempotent: bool = False,
    ) -> None:
        self.name: str | None = name
        self.description: str | None = description
        self.input_schema: JsonObject | None = _copied(input_schema)
        self.output_schema: JsonObject | None = _copied(output_schema)
        self.annotations: ToolAnnotations = ToolAnnotations() if annotations is None else annotations
        self.model_access: ModelAccess = model_access
        self.timeout_seconds: float | None = timeout_seconds
        self.idempotent: bool = idempotent

    @classmethod
    def given_to(cls, decorator: str, given: Mapping[str, Any]) -> Options:
        """The options of a decorator's call. Raises TypeError that names one it does not take."""
        for name in given:
            if name not in cls.__slots__:
                raise TypeError(f"{decorator} takes no argument {name!r}. It takes {', '.join(cls.__slots__)}.")
        return cls(**given)

    def check(self, owner: str) -> None:
        """Raise SdkError that names the argument at fault."""
        given: dict[str, Any] = {key: getattr(self, key) for key in self.__slots__}
        if given["description"] is not None and not isinstance(given["description"], str):
            raise SdkError(f"{owner}: description is {given['description']!r}. Pass a string.")
        if not isinstance(given["annotations"], ToolAnnotations):
            raise SdkError(f"{owner}: annotations is {given['annotations']!r}. Pass agents.ToolAnnotations(...).")
        if given["model_access"] not in ("direct", "programmatic", "both"):
            raise SdkError(
                f'{owner}: model_access is {given["model_access"]!r}. Pass "direct", "programmatic" or "both".'
            )
        limit = given["timeout_seconds"]
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0):
            raise SdkError(f"{owner}: timeout_seconds is {limit!r}. Pass a number above 0, or None for no bound.")
        if not isinstance(given["idempotent"], bool):
            raise SdkError(f"{owner}: idempotent is {given['idempotent']!r}. Pass True or False.")
        for name in ("input_schema", "output_schema"):
            if given[name] is not None and not isinstance(given[name], dict):
                raise SdkError(f"{owner}: {name} is {given[name]!r:.200}. Pass a JSON schema as a dict, or None.")
            if given[name] is not None:
                _check_schema(owner, name, given[name])
        schema = self.input_schema
        if schema is not None and schema.get("type", "object") != "object":
            raise SdkError(f"{owner}: input_schema has type {schema['type']!r}. Arguments are a JSON object.")


def _check_schema(owner: str, name: str, schema: JsonObject) -> None:
    from mistralai.agents.authoring.schema_problems import schema_problems

    if problems := schema_problems(schema):
        raise SdkError(f"{owner}: {name} is no JSON schema: {'; '.join(problems)}. Correct it.")


def _copied(schema: Any) -> Any:
    return dict(cast("Mapping[str, Any]", schema)) if isinstance(schema, Mapping) else schema


class Derived:
    """What hints give: made once for a function and shared by everything bound to it."""

    __slots__ = ("arguments", "documented", "output_schema", "parameters", "result")

    def __init__(self, owner: str, parameters: Parameters, options: Options) -> None:
        self.parameters: Parameters = parameters
        self.arguments: ArgumentsSchema = arguments_schema(
            owner, parameters.arguments, lenient=options.input_schema is not None
        )
        if options.input_schema is not None:
            _check_schema_names(owner, options.input_schema, parameters, self.arguments)
        self.documented: JsonObject | None = None
        """The input schema with what the docstring says, once somebody has read it."""
        self.result: TypeAdapter[Any] | None = None
        self.output_schema = options.output_schema
        returns = parameters.returns
        if get_origin(returns) in (Awaitable, Coroutine):
            returns = get_args(returns)[-1]
        if get_origin(returns) is ToolResult:
            returns = get_args(returns)[0]
        if options.output_schema is None and returns not in _NO_SCHEMA and not is_content_type(returns):
            self.result, self.output_schema = result_adapter(owner, returns)


class ToolDeclaration:
    """A tool as models, approvals and the runtime see it; what runs it is a subclass's."""

    _kind = "Tool"

    def __init__(self, function: Callable[..., Any], options: Options, frame: FrameType | None) -> None:
        name: Any = options.name if options.name is not None else getattr(function, "__name__", None)
        if name is None:
            raise SdkError(f"{self._kind}: {function!r} has no name. Pass name=.")
        owner = f"{self._kind} {name!r}"
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise SdkError(f"{owner}: the name may have letters, digits, _ and -, at most 64. Pass another as name=.")
        options.check(owner)
        self._owner = owner
        self._function = function
        self._options = options
        self._name = name
        self._id = f"client.{name}"
        self._skip = 0
        self._local_names: Mapping[str, Any] | None = enclosing_names(function, frame)
        self._late: Derived | None = None
        self.__name__: str = getattr(function, "__name__", name)
        self.__qualname__ = getattr(function, "__qualname__", name)
        self.__module__ = getattr(function, "__module__", __name__)
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def _derive(self) -> None:
        try:
            self._late = self._read()
        except UnresolvedHint:
            return  # a class further down in the module: read again when the tool is first used

    def _read(self) -> Derived:
        parameters = read_parameters(
            self._function,
            self._owner,
            localns=self._local_names or {},
            skip=self._skip,
            hints_required=self._options.input_schema is None,
        )
        self._local_names = None
        return Derived(self._owner, parameters, self._options)

    @property
    def _derived(self) -> Derived:
        if self._late is None:
            try:
                self._late = self._read()
            except UnresolvedHint as error:
                raise SdkError(f"{error} Define it, or import it outside of TYPE_CHECKING.") from error
        return self._late

    def check_declared(self) -> None:
        """Raise SdkError if a hint still names something undefined. An agent calls it when it is built."""
        _ = self._derived

    @property
    def id(self) -> str:
        """The full ID: `client.<name>`."""
        return self._id

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self._name

    @property
    def description(self) -> str:
        """What the model reads about it: `description=`, else the first paragraph of the docstring, else `""`."""
        if self._options.description is not None:
            return self._options.description
        return summary_of(self._function.__doc__)

    @property
    def input_schema(self) -> JsonObject:
        """The JSON schema of its arguments."""
        if self._options.input_schema is not None:
            return self._options.input_schema
        derived = self._derived
        if derived.documented is None:
            derived.documented = self._with_descriptions(derived.arguments)
        return derived.documented

    @property
    def argument_names(self) -> frozenset[str] | None:
        """The names its arguments may have; None where any may."""
        schema = self._derived.arguments.schema
        return None if schema.get("additionalProperties") else frozenset(schema.get("properties", ()))

    @property
    def output_schema(self) -> JsonObject | None:
        """The JSON schema of its result; None if the return type says nothing, or is content for the model."""
        return self._derived.output_schema

    @property
    def annotations(self) -> ToolAnnotations:
        """Its hints; all None if none were given."""
        return self._options.annotations

    @property
    def model_access(self) -> ModelAccess:
        """Whether the model calls it itself (`"direct"`), from programs (`"programmatic"`), or either way."""
        return self._options.model_access

    @property
    def timeout_seconds(self) -> float | None:
        """The longest one call may take; None for no bound."""
        return self._options.timeout_seconds

    @property
    def idempotent(self) -> bool:
        """True if a call whose outcome a crash hid may simply be repeated."""
        return self._options.idempotent

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._id!r})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        return self.__qualname__  # by name, as functions are; one inside a function has none to find

    def validate_arguments(self, arguments: JsonValue) -> None:
        """Raise InvalidArguments unless the arguments fit."""
        self._values(arguments)

    def canonical_arguments(self, arguments: JsonValue) -> JsonObject:
        """The arguments as the function would receive them, in JSON: converted, with defaults. For permission rules."""
        values = self._values(arguments)
        aliases = self._derived.arguments.aliases
        return {aliases.get(name, name): to_plain(value) for name, value in values.items()}

    def _values(self, arguments: object) -> dict[str, Any]:
        derived = self._late if self._late is not None else self._derived
        if self._options.input_schema is not None:
            from mistralai.agents.authoring.schema_check import check_json

            if problems := check_json({"type": "object", **self._options.input_schema}, arguments):
                raise InvalidArguments(problems)
        return derived.arguments.validate(arguments)

    def encode_result(self, value: object) -> ToolResult[Any]:
        """Bring what the function returned into its stored form (see results.py).

        Raises OutputMismatch if it does not fit `output_schema=` or the return type, TypeError if it is not JSON.
        """
        return self._encode(value, explicit=True)

    def _encode(self, value: object, *, explicit: bool) -> ToolResult[Any]:
        derived = self._derived
        if explicit and self._options.output_schema is not None:
            return self._fitting_schema(encode_value(value), self._options.output_schema)
        if derived.result is None:
            return encode_value(value)
        if isinstance(value, ToolResult):
            parts: ToolResult[Any] = cast("Any", value)
            if parts.structured is None or parts.is_error:
                return encode_parts(parts)
            return encode_parts(replace(parts, structured=self._fitting_type(derived.result, parts.structured)))
        if is_content(value):
            return encode_value(value)
        plain = self._fitting_type(derived.result, value)
        return encode_value(plain) if isinstance(plain, str) else ToolResult(structured=plain)

    @staticmethod
    def _fitting_type(adapter: TypeAdapter[Any], value: object) -> Any:
        try:
            checked = adapter.validate_python(value)
        except ValidationError as error:
            raise OutputMismatch("\n".join(problems_of(error, show_input=False))) from None
        return dump_as(adapter, checked)

    @staticmethod
    def _fitting_schema(result: ToolResult[Any], schema: JsonObject) -> ToolResult[Any]:
        from mistralai.agents.authoring.schema_check import check_json

        if not result.is_error and (problems := check_json(schema, program_value(result))):
            raise OutputMismatch("\n".join(problems))
        return result

    def _with_descriptions(self, arguments: ArgumentsSchema) -> JsonObject:
        schema = dict(arguments.schema)
        described = parameter_descriptions(self._function.__doc__)
        if described:
            properties = {name: dict(held) for name, held in schema.get("properties", {}).items()}
            for name, description in described.items():
                if (held := properties.get(arguments.aliases.get(name, name))) is not None:
                    held.setdefault("description", description)
            schema["properties"] = properties
        return schema


def _check_schema_names(owner: str, schema: JsonObject, parameters: Parameters, arguments: ArgumentsSchema) -> None:
    named = {arguments.aliases.get(name, name): parameter for name, parameter in parameters.arguments.items()}
    properties = schema.get("properties", {})
    for name in properties:
        if name not in named:
            raise SdkError(
                f"{owner}: input_schema has the property {name!r}, which is no parameter. Add it, or take it out."
            )
    for name, parameter in named.items():
        if name not in properties and parameter.default is parameter.empty:
            raise SdkError(f"{owner}: parameter {name!r} is required and input_schema lacks it. Add it to properties.")
