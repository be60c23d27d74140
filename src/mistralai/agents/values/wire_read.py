"""Reading values from plain data: for each type, a function that reads it, made once."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from functools import lru_cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeAliasType, TypeVar, Union, cast, get_args, get_origin

from .record import RecordFields, fields_of
from .wire_types import FAMILIES, READ_WHERE_NONE_IS_GIVEN, Family, Names, family_of, find, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

    type Reader = Callable[[Any], Any]


class Misfit(Exception):
    """Data that does not fit; `place` grows as the error leaves nested values."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.place: str = ""

    def within(self, place: str) -> Misfit:
        """Say that the data lies in a larger value."""
        self.place = place + self.place
        return self


def read(type_: Any, data: Any) -> Any:
    """Read a value of a type. Raises Misfit."""
    return _reader(type_)(data)


def _reader(type_: Any) -> Reader:
    try:
        return _make(type_)
    except TypeError:  # an unhashable type, such as Annotated with a list
        return _make.__wrapped__(type_)


@lru_cache(maxsize=512)
def _make(type_: Any) -> Reader:
    if type_ is Any or type_ is object or isinstance(type_, TypeVar):
        return _as_it_is
    if isinstance(type_, TypeAliasType):
        return _alias(type_, ())
    if type_ in _PLAIN:
        return _plain(type_)
    if type_ is None or type_ is NoneType:
        return _nothing
    if type_ is datetime:
        return _timestamp
    origin, arguments = get_origin(type_), get_args(type_)
    if isinstance(origin, TypeAliasType):
        return _alias(origin, arguments)
    if origin is Union or origin is UnionType:
        return _union(arguments)
    if origin is Literal:
        return _literal(arguments)
    if origin in (tuple, list) and (origin is list or arguments[1:] == (...,)):
        return _sequence(origin, arguments[0])
    if type_ is dict or (origin is dict and arguments[0] is str and arguments[1] in (Any, find("JsonValue"))):
        return _plain(dict)
    cls = origin or type_
    if fields_of(cls) is not None:
        return _record(cls, arguments)
    return _foreign(type_)


_PLAIN = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", dict: "an object"}


def _plain(type_: type) -> Reader:
    wanted = (int, float) if type_ is float else type_

    def read_plain(data: Any) -> Any:
        if isinstance(data, wanted) and (type_ is bool or not isinstance(data, bool)):
            return data
        raise Misfit(f"{_short(data)} is not {_PLAIN[type_]}")

    return read_plain


def _as_it_is(data: Any) -> Any:
    return data


def _nothing(data: Any) -> None:
    if data is not None:
        raise Misfit(f"{_short(data)} is not null")


def _timestamp(data: Any) -> datetime:
    try:
        moment = data if isinstance(data, datetime) else datetime.fromisoformat(data)
    except (TypeError, ValueError):
        raise Misfit(f"{_short(data)} is not a time such as 2026-01-31T12:00:00Z") from None
    if moment.tzinfo is None:
        raise Misfit(f"{_short(data)} has no time zone")
    return moment.astimezone(UTC)


def _literal(allowed: tuple[Any, ...]) -> Reader:
    def read_literal(data: Any) -> Any:
        if data in allowed:
            return data
        raise Misfit(f"{_short(data)} is none of {', '.join(map(repr, allowed))}")

    return read_literal


def _sequence(kind: type, item: Any) -> Reader:
    read_item = _reader(item)

    def read_sequence(data: Any) -> Any:
        if not isinstance(data, list | tuple):
            raise Misfit(f"{_short(data)} is not a list")
        items: list[Any] = []
        for index, each in enumerate(cast("list[Any]", data)):
            try:
                items.append(read_item(each))
            except Misfit as misfit:
                raise misfit.within(f"[{index}]") from None
        return kind(items)

    return read_sequence


def _alias(alias: TypeAliasType, arguments: tuple[Any, ...]) -> Reader:
    if alias is find("JsonValue"):
        return _as_it_is
    if alias.__name__ in FAMILIES and alias is find(alias.__name__):
        return _family(FAMILIES[alias.__name__], None, arguments)
    if alias.__name__ in ("ContentBlock", "HistoryImportEntry"):
        return _foreign(alias)
    return _reader(alias.__value__[arguments] if arguments else alias.__value__)


def _union(members: tuple[Any, ...]) -> Reader:
    invalid = find("InvalidOutput")
    if invalid in members:  # read from its own key, so that an output that looks like one stays what it is
        read_output = _union(tuple(member for member in members if member is not invalid))
        return lambda data: data if isinstance(data, invalid) else read_output(data)
    others = [member for member in members if member is not NoneType]
    read_one: Reader
    if len(others) > 1 and all(fields_of(get_origin(member) or member) for member in others):
        read_one = _one_of({type_of(get_origin(member) or member): _reader(member) for member in others})
    elif len(others) == 1:
        read_one = _reader(others[0])
    elif any(isinstance(member, TypeVar) for member in others):
        read_one = _as_it_is
    else:
        read_one = _foreign(Union[tuple(others)])  # noqa: UP007  # a tuple of members cannot be written with |
    return (lambda data: None if data is None else read_one(data)) if NoneType in members else read_one


def _one_of(by_type: dict[str | None, Reader]) -> Reader:
    def read_one(data: Any) -> Any:
        kind = _object(data).get("type")
        if not isinstance(kind, str) or kind not in by_type:
            raise Misfit(f"its type is {_short(kind)}, none of {', '.join(map(repr, by_type))}")
        return by_type[kind](data)

    return read_one


def _foreign(type_: Any) -> Reader:
    """Read what is not ours by design: content blocks, and outputs of the user's own types."""
    from pydantic import PydanticUserError, TypeAdapter, ValidationError

    from .invalid_value import first_problem

    try:
        validate = TypeAdapter[Any](type_).validate_python
    except PydanticUserError:
        raise Misfit(f"{type_!r} is not a type that can be read from JSON") from None

    def read_foreign(data: Any) -> Any:
        try:
            return validate(data)
        except ValidationError as error:
            raise Misfit(first_problem(error)) from None

    return read_foreign


def _record(cls: type[Any], arguments: tuple[Any, ...]) -> Reader:
    if (own := cls.__dict__.get("from_data")) is not None:
        return lambda data: own.__get__(None, cls)(_object(data))
    family = family_of(cls)
    return _members(cls, arguments) if family is None else _family(family, cls, arguments)


def _family(family: Family, expected: type[Any] | None, arguments: tuple[Any, ...]) -> Reader:
    readers: dict[str, Reader] = {}

    def reader_of(name: str) -> Reader:
        if name not in readers:
            cls = find(name)
            if expected is not None and not issubclass(cls, expected):
                raise Misfit(f"it is {name}, not {expected.__name__}")
            readers[name] = _members(cls, arguments if getattr(cls, "__parameters__", ()) else ())
        return readers[name]

    def read_family(data: Any) -> Any:
        kind = _object(data).get("type")
        if isinstance(kind, str):
            name = family.members.get(kind) or family.unknown
        elif kind is None and expected is not None and (expected.__name__ in family.members.values()):
            name = expected.__name__
        else:
            raise Misfit("it has no type" if kind is None else f"its type is {_short(kind)}, not a string")
        if name is None:
            raise Misfit(f"its type is {kind!r}, none of {', '.join(map(repr, family.members))}")
        return reader_of(name)(data)

    return read_family


def _members(cls: type[Any], arguments: tuple[Any, ...]) -> Reader:
    fields = cast("RecordFields", fields_of(cls))
    annotations = _annotations(cls, arguments)
    readers: dict[str, Reader] = {}  # made at the first object: types may hold each other
    family = family_of(cls)
    unknown = family if family is not None and family.unknown == cls.__name__ else None
    output = annotations.get("output") if cls.__name__ == "Completed" else None
    fallbacks = READ_WHERE_NONE_IS_GIVEN.get(cls.__name__, {})

    def read_record(data: Any) -> Any:
        given: dict[str, Any] = _object(data)
        if not readers:
            readers.update({name: _reader(annotation) for name, annotation in annotations.items()})
        if unknown is not None:
            given = _gathered(given, fields, unknown.named_by)
        elif output is not None and given.get("invalid_output") is not None:
            given = {**given, "output": read(find("InvalidOutput"), given["invalid_output"])}
        held: dict[str, Any] = {}
        for name in fields.names:
            if name in fallbacks and given.get(name) is None:
                held[name] = fallbacks[name]
            elif name in given:
                try:
                    held[name] = readers[name](given[name])
                except Misfit as misfit:
                    raise misfit.within(f".{name}") from None
            elif name not in fields.defaults:
                if NoneType not in get_args(annotations[name]):
                    raise Misfit(f"'{name}' is missing")
                held[name] = None
        try:
            return cls(**held)
        except ValueError as error:
            raise Misfit(str(error).rstrip(".")) from None

    return read_record


def _gathered(data: dict[str, Any], fields: RecordFields, named_by: str) -> dict[str, Any]:
    """Move the keys an unknown class has no field for into its `raw`."""
    raw = {key: item for key, item in data.items() if key not in fields.names and key != "type"}
    if "raw" in data:
        raw |= data["raw"] if isinstance(data["raw"], dict) else {"raw": data["raw"]}
    known = {name: data[name] for name in fields.names if name in data and name != "raw"}
    return {named_by: data["type"]} | known | {"raw": raw}


def _annotations(cls: type[Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if fields_of(base) is None:
            continue
        parameters: tuple[Any, ...] = getattr(base, "__parameters__", ())
        scope = Names({parameter.__name__: parameter for parameter in parameters})
        if base is cls:
            scope |= {parameter.__name__: bound for parameter, bound in zip(parameters, arguments, strict=False)}
        own_globals = vars(sys.modules[base.__module__])
        for name, annotation in base.__annotations__.items():
            if name in cls.__record_fields__.names:
                found[name] = eval(annotation, dict(own_globals), scope) if isinstance(annotation, str) else annotation
    return found


def _object(data: Any) -> dict[str, Any]:
    if isinstance(data, dict):
        return cast("dict[str, Any]", data)
    raise Misfit(f"{_short(data)} is not an object")


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."
