"""`@agents.client_tool`: a tool that the program around a session answers. The stub declares it, and types answers."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeGuard, cast, overload

from mistralai.agents.authoring.call_errors import InvalidArguments
from mistralai.agents.authoring.declaration import ModelAccess, Options, ToolDeclaration
from mistralai.agents.authoring.signature import caller, check_returns, is_async
from mistralai.agents.values.callbacks import OpenClientToolCall
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping

    from mistralai.agents.values.annotations import ToolAnnotations
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.json_value import JsonValue
    from mistralai.agents.values.requests import ClientToolCall

    type RunInThread = Callable[[Callable[[], Any]], Awaitable[Any]]


class ClientToolAnswer:
    """A stub and the function that answers its calls. Made by `stub.answer(fn)`."""

    __slots__ = ("fn", "stub")

    def __init__(self, stub: ClientTool[..., Any], fn: Callable[..., Any]) -> None:
        self.stub: ClientTool[..., Any] = stub
        """The tool that is answered."""
        self.fn: Callable[..., Any] = fn
        """Called with the stub's parameters."""

    def __repr__(self) -> str:
        return f"ClientToolAnswer({self.stub.id!r}, {getattr(self.fn, '__qualname__', self.fn)})"


class ClientToolAnswers:
    """The functions that answer client tool calls, for `on_client_tool=`. Public page: Callbacks."""

    __slots__ = ("_by_id", "default")

    def __init__(
        self,
        *answers: ClientToolAnswer,
        default: Callable[[ClientToolCall], object] | None = None,
    ) -> None:
        self._by_id: dict[str, ClientToolAnswer] = {}
        for answer in answers:
            if not isinstance(answer, ClientToolAnswer):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
                raise SdkError(f"ClientToolAnswers: {answer!r} is not an answer. Pass stub.answer(fn).")
            if answer.stub.id in self._by_id:
                raise SdkError(f"ClientToolAnswers: {answer.stub.id} has two answers. Pass one.")
            self._by_id[answer.stub.id] = answer
        if default is not None and not callable(default):
            raise SdkError(f"ClientToolAnswers: default is {default!r}. Pass a function of a ClientToolCall, or None.")
        self.default: Callable[[ClientToolCall], object] | None = default
        """Answers the calls of every other client tool, with what it returns or awaits; None leaves them open."""

    def find(self, tool_id: str) -> ClientToolAnswer | None:
        """The answer for a tool; None if there is none of its own."""
        return self._by_id.get(tool_id)

    def __repr__(self) -> str:
        return f"ClientToolAnswers({', '.join(self._by_id)})"


class ClientTool[**P, R](ToolDeclaration):
    """A tool your program answers; the body of its function never runs. Made by `@agents.client_tool`.

    Public page: Callbacks.
    """

    _kind = "Client tool"

    def __init__(self, function: Callable[..., Any], options: Options | None = None, *, _depth: int = 1) -> None:
        super().__init__(function, options or Options(), caller(_depth))
        self._derive()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise SdkError(
            f"{self._owner} is answered by your program and has no body to call. Use {self.__name__}.answer(fn)."
        )

    def _read(self) -> Any:
        derived = super()._read()
        hidden = [*derived.parameters.contexts, *(parameter.name for parameter in derived.parameters.inputs)]
        if hidden:
            raise SdkError(
                f"{self._owner}: parameter {hidden[0]!r} is filled by the agent's process, which does not run a client "
                "tool. Remove it."
            )
        return derived

    @property
    def checks_answers(self) -> bool:
        """Whether `turn.answer` checks results against the return type: not with `output_schema=`."""
        return self._options.output_schema is None

    def answer(self, fn: Callable[P, R | ToolResult[Any] | Awaitable[R | ToolResult[Any]]], /) -> ClientToolAnswer:
        """Let `fn` answer this tool's calls: it takes the stub's parameters and returns its return type."""
        self._check_takes_parameters(fn)
        return ClientToolAnswer(self, fn)

    def called(self, callback: OpenCallback) -> TypeGuard[OpenClientToolCall[P, R]]:
        """Whether an open callback is a call of this tool, and not of another stub that has its ID."""
        if not isinstance(callback, OpenClientToolCall) or callback.call.tool_id != self._id:
            return False
        known = getattr(cast("Any", callback), "_stub", None)  # None where the handle knows no stub, or several
        return known is None or known is self or self._is_like(known)

    def _is_like(self, other: ClientTool[..., Any]) -> bool:
        """Whether a function that answers the one answers the other."""
        return (self.input_schema, self.output_schema) == (other.input_schema, other.output_schema)

    def check_answer(self, value: object) -> ToolResult[Any]:
        """Bring a given answer into its stored form, checked against the return type.

        Raises OutputMismatch or TypeError. With `output_schema=` nothing is checked here.
        """
        return self._encode(value, explicit=False)

    async def run(
        self,
        fn: Callable[P, R | ToolResult[Any] | Awaitable[R | ToolResult[Any]]],
        arguments: JsonValue,
        *,
        run_in_thread: RunInThread,
    ) -> R | ToolResult[Any]:
        """Call `fn` with checked arguments; its exceptions are raised.

        Arguments that do not fit are not passed on: the result is an error the model can read.
        """
        try:
            call = self.prepare(fn, arguments)
        except InvalidArguments as error:
            return ToolResult(content=f"The arguments of {self._name} are not valid.\n{error}", is_error=True)
        value: Any = call() if is_async(fn) else await run_in_thread(call)
        if inspect.isawaitable(value):
            value = await value
        result: R | ToolResult[Any] = value
        return result

    def prepare(self, fn: Callable[..., Any], arguments: JsonValue) -> Callable[[], Any]:
        """The call of `fn` with checked arguments. Raises InvalidArguments."""
        values = self._values(arguments)
        by_position = [values.pop(name) for name in self._derived.parameters.positional]
        return partial(fn, *by_position, **values)

    def _check_takes_parameters(self, fn: Any) -> None:
        if not callable(fn):
            raise SdkError(f"{self._owner}: answer() takes a function, not {fn!r}.")
        check_returns(self._owner, fn)
        try:
            signature = inspect.signature(fn)
        except (TypeError, ValueError):
            return  # a builtin that does not say what it takes
        parameters = self._derived.parameters
        keywords = [name for name in parameters.arguments if name not in parameters.positional]
        try:
            signature.bind(*parameters.positional, **dict.fromkeys(keywords))
        except TypeError as error:
            raise SdkError(
                f"{self._owner}: {getattr(fn, '__qualname__', fn)} does not take its parameters "
                f"({', '.join(parameters.arguments) or 'none'}): {error}."
            ) from None


class ClientToolDecorator(Protocol):
    """What `@agents.client_tool(...)` with arguments gives."""

    @overload
    def __call__[**P, R](self, function: Callable[P, Coroutine[Any, Any, R]], /) -> ClientTool[P, R]: ...
    @overload
    def __call__[**P, R](self, function: Callable[P, R], /) -> ClientTool[P, R]: ...


@overload
def client_tool[**P, R](function: Callable[P, Coroutine[Any, Any, R]], /) -> ClientTool[P, R]: ...
@overload
def client_tool[**P, R](function: Callable[P, R], /) -> ClientTool[P, R]: ...
@overload
def client_tool(
    *,
    name: str | None = None,
    description: str | None = None,
    input_schema: Mapping[str, Any] | None = None,
    output_schema: Mapping[str, Any] | None = None,
    annotations: ToolAnnotations | None = None,
    model_access: ModelAccess = "both",
    timeout_seconds: float | None = None,
    idempotent: bool = False,
) -> ClientToolDecorator: ...
def client_tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a function the stub of a client tool, derived as `@agents.tool` derives. Its body never runs.

    Public page: Callbacks. Raises SdkError that names the tool and the parameter when a schema cannot be derived.
    """
    checked = Options.given_to("agents.client_tool", options)
    if function is not None:
        stub: ClientTool[..., Any] = ClientTool(_callable(function), checked, _depth=2)
        return stub

    def decorate(function: Callable[..., Any]) -> ClientTool[..., Any]:
        return ClientTool(_callable(function), checked, _depth=2)

    return decorate


def _callable(function: Any) -> Callable[..., Any]:
    if isinstance(function, ToolDeclaration) or not callable(function):
        raise SdkError(f"agents.client_tool takes a function, not {function!r}. Pass options by keyword.")
    checked: Callable[..., Any] = function
    return checked
