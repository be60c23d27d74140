"""`@record`: the one way a public value is made. Frozen, slotted, keyword-only, compared by value, cheap to define.

A record's `__init__` is compiled when the class is first constructed or inspected, so that defining one costs little.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, cast, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable


class _Default:
    """What a field that is not given holds."""

    __slots__ = ("factory", "hidden", "value")

    def __init__(self, value: object, factory: Callable[[], Any] | None = None, *, hidden: bool = False) -> None:
        self.value = value
        self.factory = factory
        self.hidden: bool = hidden


def fresh[T](*, default_factory: Callable[[], T]) -> T:
    """Give a field a new mutable value, such as an empty dict, each time it is left out."""
    return cast("T", _Default(default_factory(), default_factory))


def hidden[T](*, default: T, init: Literal[False] = False) -> T:
    """Declare a private field: set by `replace` only, and left out of repr, comparison, pickle and JSON."""
    return cast("T", _Default(default, hidden=not init))


class RecordFields:
    """What `@record` knows of a class: the names of its fields and what they hold when left out."""

    __slots__ = ("defaults", "hidden", "kw_only", "names", "read")

    def __init__(self, names: tuple[str, ...], hidden: tuple[str, ...], defaults: dict[str, _Default], kw_only: bool):
        self.names: tuple[str, ...] = names
        """The visible fields, base classes first."""
        self.hidden: tuple[str, ...] = hidden
        """The private fields."""
        self.defaults: dict[str, _Default] = defaults
        self.kw_only: bool = kw_only
        self.read: Callable[[Any], Any] = attrgetter(*names) if names else _nothing
        """Read every visible field at once, to compare and to hash."""


def _nothing(_: object) -> tuple[()]:
    return ()


def fields_of(value: object) -> RecordFields | None:
    """Return what is known of a record or a record class, or None when `value` is neither."""
    return getattr(value, "__record_fields__", None)


def replace[T](value: T, /, **changes: Any) -> T:
    """Return a copy of a record with some fields changed; private fields are copied, and may be changed, too."""
    fields = fields_of(value)
    if fields is None:
        raise TypeError(f"replace() takes a record, not {type(value).__name__}.")
    private = {name: changes.pop(name) if name in changes else getattr(value, name) for name in fields.hidden}
    copy = type(value)(**({name: getattr(value, name) for name in fields.names} | changes))
    for name, held in private.items():
        object.__setattr__(copy, name, held)
    return copy


@overload
def record[T](cls: type[T], /) -> type[T]: ...
@overload
def record[T](*, kw_only: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(fresh, hidden))
def record(cls: type[Any] | None = None, /, *, kw_only: bool = True) -> Any:
    """Make a class a record: its annotated names become its fields, in order, after those of its bases."""
    if cls is None:
        return lambda cls: _make(cls, kw_only)  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType, reportUnknownArgumentType]  # overloads type it
    return _make(cls, kw_only)


def _make(cls: type[Any], kw_only: bool) -> type[Any]:
    namespace = dict(cls.__dict__)
    names, hidden_names, defaults = _inherited(cls)
    own: list[str] = []
    for name, annotation in cls.__annotations__.items():
        if str(annotation).startswith("ClassVar"):
            continue
        if name not in names and name not in hidden_names:
            own.append(name)
        if name in namespace:
            given = namespace.pop(name)
            defaults[name] = given if isinstance(given, _Default) else _Default(given)
        if name in defaults and defaults[name].hidden:
            hidden_names.append(name)
        elif name not in names:
            names.append(name)
    fields = RecordFields(tuple(names), tuple(hidden_names), defaults, kw_only)
    for unwanted in ("__dict__", "__weakref__"):
        namespace.pop(unwanted, None)
    for name, method in _METHODS.items():
        namespace.setdefault(name, method)
    namespace.update(__slots__=tuple(own), __record_fields__=fields, __match_args__=() if kw_only else tuple(names))
    lazy = namespace.setdefault("__init__", _LazyInit())
    made = type(cls.__name__, cls.__bases__, namespace)
    if isinstance(lazy, _LazyInit):
        lazy.cls = made
    return made


def _inherited(cls: type[Any]) -> tuple[list[str], list[str], dict[str, _Default]]:
    for base in cls.__mro__[1:]:
        if (fields := fields_of(base)) is not None:
            return list(fields.names), list(fields.hidden), dict(fields.defaults)
    return [], [], {}


class _LazyInit:
    """Stands for a record's `__init__` until somebody asks for it, then puts the compiled one in its place."""

    __slots__ = ("cls",)
    cls: type[Any]

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any:
        init = _compile_init(self.cls)
        type.__setattr__(self.cls, "__init__", init)
        return init if instance is None else init.__get__(instance, owner)


def _compile_init(cls: type[Any]) -> Callable[..., None]:
    fields: RecordFields = cls.__record_fields__
    scope: dict[str, Any] = {}
    parameters: list[str] = []
    body: list[str] = []
    for name in fields.names:
        scope[f"set_{name}"] = getattr(cls, name).__set__
        value = name
        if (default := fields.defaults.get(name)) is None:
            parameters.append(name)
        else:
            scope[f"default_{name}"] = default.value
            parameters.append(f"{name}=default_{name}")
            if default.factory is not None:
                scope[f"new_{name}"] = default.factory
                value = f"new_{name}() if {name} is default_{name} else {name}"
        body.append(f"set_{name}(self, {value})")
    for name in fields.hidden:
        scope[f"set_{name}"] = getattr(cls, name).__set__
        scope[f"default_{name}"] = fields.defaults[name].value
        body.append(f"set_{name}(self, default_{name})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    star = ", *" if fields.kw_only and parameters else ""
    head = f"def __init__(self{star}{''.join(', ' + parameter for parameter in parameters)}):\n "
    exec(head + "\n ".join(body or ["pass"]), scope)
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {name: _annotation(cls, name) for name in fields.names} | {"return": None}
    return cast("Callable[..., None]", init)


def _annotation(cls: type[Any], name: str) -> Any:
    return next(base.__annotations__[name] for base in cls.__mro__ if fields_of(base) and name in base.__annotations__)


def _repr(self: Any) -> str:
    fields: RecordFields = self.__record_fields__
    shown: list[str] = []
    for name in fields.names:
        value = getattr(self, name)
        default = fields.defaults.get(name)
        if default is None or type(value) is not type(default.value) or value != default.value:
            shown.append(f"{name}={value!r}")
    return f"{type(self).__name__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    if self.__class__ is not other.__class__:
        return NotImplemented
    fields: RecordFields = self.__record_fields__
    return bool(fields.read(self) == fields.read(other))


def _hash(self: Any) -> int:
    return hash((self.__class__, self.__record_fields__.read(self)))


def _setattr(self: object, name: str, value: object) -> None:
    raise _frozen(self, name, "set")


def _delattr(self: object, name: str) -> None:
    raise _frozen(self, name, "delete")


def _frozen(value: object, name: str, verb: str) -> AttributeError:
    from dataclasses import FrozenInstanceError  # 5 ms, and only a mistake needs it

    return FrozenInstanceError(f"Cannot {verb} '{name}' of {type(value).__name__}: its fields never change.")


def _reduce(self: Any) -> tuple[Any, ...]:
    fields: RecordFields = self.__record_fields__
    return _rebuild, (type(self), {name: getattr(self, name) for name in fields.names})


def _rebuild(cls: type[Any], held: dict[str, Any]) -> Any:
    return cls(**held)


def _copy(self: Any) -> Any:
    return self


def _replace(self: Any, /, **changes: Any) -> Any:
    return replace(self, **changes)


def _pydantic_schema(cls: type[Any], source: Any, handler: object) -> Any:
    """Let a record be a field of a user's pydantic model: it is read and written as on the wire."""
    from pydantic_core import core_schema

    def read(value: object) -> Any:
        from .wire import from_data

        return value if isinstance(value, cls) else from_data(source, value)

    def write(value: object) -> Any:
        from .wire import to_data

        return to_data(value)

    written = core_schema.plain_serializer_function_ser_schema(write)
    return core_schema.no_info_plain_validator_function(read, serialization=written)


_METHODS: dict[str, Any] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__reduce__": _reduce,
    "__copy__": _copy,
    "__replace__": _replace,
    "__get_pydantic_core_schema__": classmethod(_pydantic_schema),
}

__all__ = ["RecordFields", "fields_of", "fresh", "hidden", "record", "replace"]
