"""The session inputs of one session: kept as JSON, built and checked when a tool or hook first reads one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mistralai.agents.authoring.call_errors import InputUnavailable
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.values.json_value import JsonValue


class SessionInputs:
    """Reads the inputs of a session by their class. Cheap to build; each class is validated once."""

    __slots__ = ("_built", "_raw")

    def __init__(self, raw: Mapping[str, JsonValue] | None = None) -> None:
        self._raw: Mapping[str, JsonValue] = raw if raw is not None else {}
        self._built: dict[type[SessionInput], SessionInput] = {}

    @property
    def raw(self) -> Mapping[str, JsonValue]:
        """The values as the session keeps them, by input id."""
        return self._raw

    def __repr__(self) -> str:
        return f"SessionInputs({', '.join(self._raw)})"

    def has(self, kind: type[SessionInput]) -> bool:
        """Whether the session was started with this input."""
        return input_id_of(kind) in self._raw

    def get[T: SessionInput](self, kind: type[T]) -> T:
        """The input of this class. Raises InputUnavailable when it was not given or is rejected."""
        built = self._built.get(kind)
        if built is None:
            built = self._build(kind)
            self._built[kind] = built
        return cast("T", built)

    def _build[T: SessionInput](self, kind: type[T]) -> T:
        from pydantic import ValidationError

        from mistralai.agents.authoring.schema import problems_of, to_json_bytes

        input_id = input_id_of(kind)
        if input_id not in self._raw:
            raise InputUnavailable(
                f"Session input {input_id!r} was not given. Start the session with "
                f"session_inputs={{{input_id!r}: {kind.__name__}(...)}}."
            )
        try:
            return kind.model_validate_json(to_json_bytes(self._raw[input_id]))
        except ValidationError as error:
            problems = "; ".join(problems_of(error, show_input=False))
            raise InputUnavailable(
                f"Session input {input_id!r} is rejected by {kind.__name__}: {problems}. Start a session with a "
                "value that it accepts."
            ) from None  # the cause holds the value, which must not reach a log or the model


def input_id_of(kind: type[SessionInput]) -> str:
    """The id under which a session keeps inputs of this class. Raises SdkError for a class without one."""
    declared: Any = getattr(kind, "input_id", None)
    fields: Any = getattr(kind, "model_fields", {})
    if declared is None and (field := fields.get("input_id")) is not None:
        declared = field.default
    if isinstance(declared, str) and declared:
        return declared
    raise SdkError(
        f'Session input {getattr(kind, "__name__", kind)} has no input_id. Set one in the class: input_id = "...".'
    )


def encode_session_inputs(inputs: Mapping[str, SessionInput] | None) -> dict[str, JsonValue]:
    """Turn `session_inputs=` into the JSON a session keeps. Raises SdkError that names the entry at fault."""
    if not inputs:
        return {}
    from mistralai.agents.authoring.session_input import SessionInput

    encoded: dict[str, JsonValue] = {}
    for key, value in cast("Mapping[object, object]", inputs).items():
        if not isinstance(value, SessionInput):
            raise SdkError(
                f"session_inputs[{key!r}] is a {type(value).__name__}, not a SessionInput. Pass an instance."
            )
        if key != (expected := input_id_of(type(value))):
            raise SdkError(
                f"session_inputs[{key!r}] is a {type(value).__name__}, whose input_id is {expected!r}. "
                "Use the input_id as the key."
            )
        encoded[expected] = value.model_dump(mode="json", by_alias=True, round_trip=True)
    return encoded
