"""Reads the parameters of a tool's or hook's function: what the model gives, the context, the session inputs."""

from __future__ import annotations

import inspect
import sys
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Union, cast, get_args, get_origin, get_type_hints

from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.tool_context import ToolContext
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.authoring.session_inputs import SessionInputs

_REFUSED_KINDS: dict[Any, tuple[str, str, str]] = {
    inspect.Parameter.POSITIONAL_ONLY: (
        "",
        "is positional-only",
        "Arguments are passed by name: remove the / after it.",
    ),
    inspect.Parameter.VAR_POSITIONAL: ("*", "collects positional arguments", "Declare a list parameter instead."),
    inspect.Parameter.VAR_KEYWORD: ("**", "collects any keyword", "Declare each parameter by name instead."),
}


class UnresolvedHint(Exception):
    """A hint names something that is not defined yet; reading it again later may succeed."""


class Parameters:
    """A function's parameters, sorted by where their values come from."""

    __slots__ = ("arguments", "contexts", "inputs", "positional", "returns")

    def __init__(self) -> None:
        self.arguments: dict[str, inspect.Parameter] = {}
        """Filled by the model; the annotations are resolved."""
        self.contexts: list[str] = []
        """Receive the ToolContext."""
        self.inputs: list[InputParameter] = []
        self.positional: tuple[str, ...] = ()
        """The names among `arguments` that may be passed by position, in order."""
        self.returns: Any = inspect.Signature.empty
        """The return type, resolved; `Signature.empty` without a hint."""


class InputParameter:
    """A parameter that receives a session input."""

    __slots__ = ("default", "kind", "name", "optional")

    def __init__(self, name: str, kind: type[SessionInput], *, optional: bool, default: Any) -> None:
        self.name: str = name
        self.kind: type[SessionInput] = kind
        self.optional: bool = optional
        """Whether the parameter accepts None, or has a default, so that the input need not be given."""
        self.default: Any = default

    def read(self, inputs: SessionInputs) -> SessionInput | Any:
        """The value to pass. Raises InputUnavailable when the input is missing or rejected."""
        if self.optional and not inputs.has(self.kind):
            return self.default
        return inputs.get(self.kind)


def enclosing_names(function: Callable[..., Any], frame: FrameType | None) -> dict[str, Any]:
    """The local names that the function's hints may use: of the scopes it is written in, and of its closure."""
    names: dict[str, Any] = {}
    base = inspect.unwrap(function)
    qualname = getattr(base, "__qualname__", "")
    scopes: list[Mapping[str, Any]] = []
    while frame is not None and frame.f_globals is getattr(base, "__globals__", None):
        if frame.f_locals is not frame.f_globals and qualname.startswith(f"{frame.f_code.co_qualname}."):
            scopes.append(frame.f_locals)
        frame = frame.f_back
    for scope in reversed(scopes):
        names.update(scope)
    code = getattr(base, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(base, "__closure__", None) or (), strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return names


def caller(depth: int) -> FrameType | None:
    """The frame of whoever called the decorator."""
    return sys._getframe(depth + 1)  # pyright: ignore[reportPrivateUsage]  # inspect.stack() reads files


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives an awaitable: an async function, a partial of one, or an object whose call is async."""
    return any(map(inspect.iscoroutinefunction, _called(function)))


def check_returns(owner: str, function: Callable[..., Any]) -> None:
    """Raise SdkError for a generator function: a call has one result."""
    if any(inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one) for one in _called(function)):
        named = getattr(function, "__qualname__", function)
        raise SdkError(f"{owner}: {named} yields, and a call has one result. Return it, such as a list.")


def _called(function: Callable[..., Any]) -> tuple[Any, Any]:
    """What a call runs: the function of a partial, or the method of an object that is called."""
    inner: Any = function
    while (partial := getattr(inner, "func", None)) is not None and hasattr(inner, "keywords"):
        inner = partial
    return inner, cast("Any", type(inner)).__call__


def read_parameters(
    function: Callable[..., Any],
    owner: str,
    *,
    localns: Mapping[str, Any],
    skip: int = 0,
    hints_required: bool = True,
) -> Parameters:
    """Sort the parameters of `function`; `skip` leaves out leading ones, such as self.

    Raises SdkError that names `owner` and the parameter, or UnresolvedHint.
    """
    signature = _signature(function, owner)
    hints = _hints(function, owner, localns)
    found = Parameters()
    found.returns = hints.get("return", inspect.Signature.empty)
    if found.returns is type(None) and signature.return_annotation is inspect.Signature.empty:
        found.returns = inspect.Signature.empty
    positional: list[str] = []
    for name, parameter in list(signature.parameters.items())[skip:]:
        if (refused := _REFUSED_KINDS.get(parameter.kind)) is not None:
            stars, what, advice = refused
            raise SdkError(f"{owner}: parameter '{stars}{name}' {what}, which a model cannot fill. {advice}")
        hint = hints.get(name, inspect.Parameter.empty)
        if _is_context(hint):
            found.contexts.append(name)
        elif (marked := _marked_input(hint)) is not None:
            found.inputs.append(_input_parameter(owner, parameter, marked))
        elif hint is inspect.Parameter.empty and hints_required:
            raise SdkError(f"{owner}: parameter {name!r} has no type hint. Add one, such as {name}: str.")
        else:
            found.arguments[name] = parameter.replace(annotation=Any if hint is inspect.Parameter.empty else hint)
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(name)
    found.positional = tuple(positional)
    return found


def _signature(function: Callable[..., Any], owner: str) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise SdkError(
            f"{owner}: its parameters cannot be read ({error}). Wrap it in a function with hints."
        ) from error


def _hints(function: Callable[..., Any], owner: str, localns: Mapping[str, Any]) -> dict[str, Any]:
    written = function
    while (inner := getattr(written, "func", None)) is not None and hasattr(written, "keywords"):
        written = inner  # functools.partial
    if not inspect.isroutine(written) and not inspect.isclass(written):
        written = type(written).__call__
    base = inspect.unwrap(written)
    try:
        return get_type_hints(
            written, globalns=getattr(base, "__globals__", None), localns=dict(localns), include_extras=True
        )
    except NameError as error:
        raise UnresolvedHint(f"{owner}: a type hint uses {error.name!r}, which is not defined.") from error
    except Exception as error:
        raise SdkError(f"{owner}: its type hints cannot be read ({type(error).__name__}: {error}).") from error


def _is_context(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if _is_union(hint):
        return any(map(_is_context, get_args(hint)))
    return isinstance(hint, type) and issubclass(hint, ToolContext)


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType)


def _marked_input(hint: Any) -> Any | None:
    """The type annotated as a session input, else None."""
    if get_origin(hint) is not Annotated:
        return None
    declared, *marks = get_args(hint)
    return declared if any(isinstance(mark, Depends) or mark is Depends for mark in marks) else None


def _input_parameter(owner: str, parameter: inspect.Parameter, declared: Any) -> InputParameter:
    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.authoring.session_inputs import input_id_of

    kinds = [declared]
    if _is_union(declared):
        kinds = [part for part in get_args(declared) if part is not type(None)]
    nullable = kinds != [declared] and type(None) in get_args(declared)
    kind = kinds[0]
    if len(kinds) != 1 or not isinstance(kind, type) or not issubclass(kind, SessionInput):
        raise SdkError(
            f"{owner}: parameter {parameter.name!r} is marked Depends() but its type {_shown(declared)} is not a "
            "SessionInput. Annotate it with a subclass of agents.SessionInput."
        )
    input_id_of(kind)
    has_default = parameter.default is not parameter.empty
    return InputParameter(
        parameter.name, kind, optional=nullable or has_default, default=parameter.default if has_default else None
    )


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
