"""The public JSON of every value, as docs/wire.md promises it: `to_json`, `from_json`, and the plain data between."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast, overload

from .errors import SdkError
from .record import RecordFields, fields_of
from .turn_states import InvalidOutput
from .wire_read import Misfit, read
from .wire_types import family_of, type_of

if TYPE_CHECKING:
    from .json_value import JsonValue


def to_json(value: object) -> str:
    """Return a value as JSON text: a record, an event, a content block, or a list of them."""
    data = to_data(value)
    try:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise SdkError(f"{type(value).__name__} is no valid JSON: {error}. Leave out NaN and infinities.") from None
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        return json.dumps(data, separators=(",", ":"))
    return text


@overload
def from_json[T](type: type[T], data: str | bytes | Mapping[str, Any]) -> T: ...
@overload
def from_json(type: Any, data: str | bytes | Mapping[str, Any]) -> Any: ...
def from_json(type: Any, data: str | bytes | Mapping[str, Any]) -> Any:
    """Read a value from JSON text, or from JSON already parsed.

    `type` is a class such as `Completed`, a base such as `Event`, or an alias such as `TurnState`; with
    `Completed[Report]` the output is read as a `Report`. Data that does not fit is an `SdkError` naming the place.
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except ValueError as error:
            raise SdkError(f"{_name(type)}: this is not JSON: {error}.") from None
    return from_data(type, data)


def from_data(type: Any, data: object) -> Any:
    """Read a value from plain data, as `from_json` does."""
    try:
        return read(type, data)
    except Misfit as misfit:
        raise SdkError(f"{_name(type)}{misfit.place}: {misfit.message}.") from None


def to_data(value: object) -> JsonValue:
    """Return a value as the plain data that `to_json` writes."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    fields = fields_of(value)
    if fields is not None:
        return _record(value, fields)
    if isinstance(value, Mapping):
        return {_key(key): to_data(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [to_data(item) for item in cast("list[object]", value)]
    if isinstance(value, datetime):
        return _timestamp(value)
    return _foreign(value)


def _record(value: object, fields: RecordFields) -> dict[str, JsonValue]:
    cls = type(value)
    family = family_of(cls)
    if family is not None and family.unknown == cls.__name__:
        return _unknown(value, fields, family.named_by)
    kind = type_of(cls)
    data: dict[str, JsonValue] = {} if kind is None else {"type": kind}
    for name in fields.names:
        item: object = getattr(value, name)
        if name == "output" and isinstance(item, InvalidOutput):  # under a key of its own: an output may be any JSON
            data["output"], data["invalid_output"] = None, to_data(item)
        else:
            data[name] = to_data(item)
    return data


def _unknown(value: Any, fields: RecordFields, named_by: str) -> dict[str, JsonValue]:
    own = {name: to_data(getattr(value, name)) for name in fields.names if name != "raw"}
    data: dict[str, JsonValue] = {"type": own[named_by]} | own
    if named_by == "outcome":
        del data["outcome"]
    clashing: dict[str, JsonValue] = {}
    for key, item in value.raw.items():
        (clashing if key in fields.names or key == "type" else data)[key] = to_data(item)
    if clashing:
        data["raw"] = clashing
    return data


def _timestamp(value: datetime) -> str:
    if value.tzinfo is None:
        raise SdkError(f"{value!r} has no time zone. Pass one that has, such as datetime.now(UTC).")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    raise SdkError(f"{key!r} is not a string, so it cannot be a key in JSON.")


def _foreign(value: object) -> JsonValue:
    """Write what is not ours by design: content blocks, and outputs of the user's own types."""
    from pydantic import BaseModel
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if isinstance(value, BaseModel) and getattr(type(value), "written_sparse", False):
        if value.model_extra is not None:
            return cast("JsonValue", value.model_dump(mode="json"))
        given = {name: getattr(value, name) for name in type(value).model_fields}
        kind = {"type": given.pop("type")} if "type" in given else {}
        return {name: to_data(item) for name, item in (kind | given).items() if item is not None}
    try:
        return cast("JsonValue", to_jsonable_python(value))
    except PydanticSerializationError:
        raise SdkError(f"{type(value).__name__} has no JSON form.") from None


def _name(type_: Any) -> str:
    return getattr(type_, "__name__", None) or str(type_)
