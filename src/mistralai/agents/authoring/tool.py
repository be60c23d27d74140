"""`@agents.tool`: a function that the model may call and that runs in the agent's process."""

from __future__ import annotations

import inspect
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Concatenate, Protocol, cast, overload

from mistralai.agents.authoring.declaration import ModelAccess, Options, ToolDeclaration
from mistralai.agents.authoring.signature import caller, check_returns, is_async
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mistralai.agents.authoring.session_inputs import SessionInputs
    from mistralai.agents.authoring.tool_context import ToolContext
    from mistralai.agents.values.annotations import ToolAnnotations
    from mistralai.agents.values.json_value import JsonValue


class BoundCall:
    """A call of a tool whose arguments are checked: ready to run, once."""

    __slots__ = ("_function", "_values")

    def __init__(self, function: Callable[..., Any], values: dict[str, Any]) -> None:
        self._function = function
        self._values = values

    def call(self) -> Any:
        """Run the function: its value, or an awaitable of it. In a thread of its own where the tool is not async."""
        value = self._function(**self._values)
        return list(cast("GeneratorType[Any]", value)) if isinstance(value, GeneratorType) else value


class Tool[**P, R](ToolDeclaration):
    """A function the model may call. Made by `@agents.tool`; calling it calls the function. Public page: Tools."""

    def __init__(self, function: Callable[P, R], options: Options | None = None, *, _depth: int = 1) -> None:
        self._binds_class = isinstance(function, classmethod)
        static = isinstance(function, staticmethod)
        inner: Callable[..., Any] = cast("Any", function).__func__ if self._binds_class or static else function
        super().__init__(inner, options or Options(), caller(_depth))
        self._skip = 1 if self._binds_class or (not static and _is_method(inner)) else 0
        self._unbound = self._skip == 1
        self._is_async = is_async(inner)
        check_returns(self._owner, inner)
        self._derive()

    @property
    def is_async(self) -> bool:
        """Whether it is known to give an awaitable. One that is not runs in a thread; what it gives is awaited then."""
        return self._is_async

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = self._function(*args, **kwargs)
        return result

    @overload
    def __get__(self, instance: None, owner: type[Any], /) -> Tool[P, R]: ...
    @overload
    def __get__[S, **Q, T](
        self: Tool[Concatenate[S, Q], T], instance: S, owner: type[S] | None = None, /
    ) -> Tool[Q, T]: ...
    def __get__(self, instance: Any, owner: Any = None, /) -> Any:
        """On an instance, the tool with that instance as its self: `tools=[desk.lookup]`."""
        target = owner if self._binds_class else instance
        if target is None or not self._unbound:
            return self
        bound: Any = object.__new__(type(self))
        bound.__dict__.update(self.__dict__, _late=self._derived, _unbound=False)
        bound._function = bound.__wrapped__ = self._function.__get__(target)
        return bound

    def __reduce__(self) -> str | tuple[Any, ...]:
        target = getattr(self._function, "__self__", None)
        return super().__reduce__() if target is None else (getattr, (target, self.__name__))

    def check_declared(self) -> None:
        """Raise SdkError if the tool cannot be called as it is. An agent calls it when it is built."""
        if self._unbound:
            raise SdkError(
                f"{self._owner}: it is a method of a class and has no instance. Pass it from one: "
                f"tools=[instance.{self.__name__}]."
            )
        super().check_declared()

    def bind(self, arguments: JsonValue, context: ToolContext, inputs: SessionInputs) -> BoundCall:
        """Check the arguments and add what the model does not give.

        Raises InvalidArguments, or InputUnavailable for a session input that is missing or rejected.
        """
        values = self._values(arguments)
        parameters = self._derived.parameters
        for name in parameters.contexts:
            values[name] = context
        for parameter in parameters.inputs:
            values[parameter.name] = parameter.read(inputs)
        return BoundCall(self._function, values)


class ToolDecorator(Protocol):
    """What `@agents.tool(...)` with arguments gives."""

    def __call__[**P, R](self, function: Callable[P, R], /) -> Tool[P, R]: ...


@overload
def tool[**P, R](function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
    output_schema: Mapping[str, Any] | None = None,
    annotations: ToolAnnotations | None = None,
    model_access: ModelAccess = "both",
    timeout_seconds: float | None = None,
    idempotent: bool = False,
) -> ToolDecorator: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function a tool. Name, description and schemas come from the function where they are not given.

    Public page: Tools. Raises SdkError that names the tool and the parameter when a schema cannot be derived.
    """
    checked = Options.given_to("agents.tool", options)
    if function is not None:
        return Tool(_callable(function), checked, _depth=2)

    def decorate(function: Callable[..., Any]) -> Tool[..., Any]:
        return Tool(_callable(function), checked, _depth=2)

    return decorate


def _callable(function: Any) -> Callable[..., Any]:
    if isinstance(function, ToolDeclaration):
        raise SdkError(f"{function!r} is a tool already. Decorate the function once.")
    if not callable(function) and not isinstance(function, classmethod):
        raise SdkError(
            f"agents.tool takes a function, not {function!r}. Pass options by keyword: @agents.tool(name=...)."
        )
    return cast("Callable[..., Any]", function)  # Tool takes the function out of a classmethod


def _is_method(function: Callable[..., Any]) -> bool:
    """Whether a function written in a class body still lacks its self."""
    if not inspect.isfunction(function):
        return False
    parent = function.__qualname__.rpartition(".")[0]
    if not parent or parent.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.name in ("self", "cls") and first.annotation is first.empty
