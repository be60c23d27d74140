"""Reading JSON into a struct whatever types a server gave its fields: what does not fit is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from mistralai.agents.models.plain_json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable


def lenient_reader[T: msgspec.Struct](kind: type[T]) -> Callable[[bytes], T]:
    """A function from JSON to the struct. It raises msgspec.DecodeError for what is no JSON at all."""
    read = msgspec.json.Decoder(kind).decode
    read_any = msgspec.json.Decoder().decode

    def reader(data: bytes) -> T:
        try:
            return read(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return fitting(read_any(data.decode("utf-8", "replace")), kind) or kind()

    return reader


def fitting[T: msgspec.Struct](value: Any, kind: type[T]) -> T | None:
    """The value as the struct, with every field that does not fit left at its default; None if it is no object."""
    if not is_object(value):
        return None
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if (item := value.get(field.name)) is None:
            continue
        try:
            fields[field.name] = msgspec.convert(item, field.type, strict=False)
        except msgspec.ValidationError:
            if (nested := _nested(item, field.type)) is not None:
                fields[field.name] = nested
    return kind(**fields)


def _nested(item: Any, declared: Any) -> Any:
    for option in get_args(declared):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return fitting(item, option)
        inner = next(iter(get_args(option)), None)
        if is_array(item) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            parts = [fitting(part, inner) for part in item]
            return [part for part in parts if part is not None]
    return None
