"""Asking a session's handlers: one callback, one handler of its kind, one answer."""

from __future__ import annotations

import asyncio
import inspect
import logging
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.client_tool import ClientToolAnswers
from mistralai.agents.authoring.results import encode_value
from mistralai.agents.handles.answering import encode_result
from mistralai.agents.handles.dress import stub_of
from mistralai.agents.values.answers import AllowApproval, DenyApproval, KeepCallbackOpen, SignInAnswer
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall, OpenSignIn
from mistralai.agents.values.errors import SdkError, ToolError
from mistralai.agents.values.record import replace
from mistralai.agents.values.requests import ApprovalCallbackContext
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mistralai.agents.core.place import Place
    from mistralai.agents.handles.handlers import OnApproval, OnSignIn
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.callbacks import OpenCallback

_LOGGER = logging.getLogger("mistralai.agents")


def handler_for(turn: Turn, place: Place, callback: OpenCallback) -> Coroutine[Any, Any, None] | None:
    """Return the asking of the handler that a callback has here; None if it has none."""
    handlers = turn.session.handlers
    match callback:
        case OpenApproval() if handlers.on_approval is not None:
            return _approve(turn, place, callback, handlers.on_approval)
        case OpenSignIn() if handlers.on_sign_in is not None:
            return _sign_in(turn, callback, handlers.on_sign_in)
        case OpenClientToolCall() if (answering := _client_tool(turn, place, callback)) is not None:
            return _share(place, callback, answering)
        case _:
            return None


async def _approve(turn: Turn, place: Place, callback: OpenApproval, handler: OnApproval) -> None:
    context = replace(
        ApprovalCallbackContext(
            session_id=callback.session_id, root_session_id=turn.session_id, turn_id=callback.turn_id
        ),
        _inputs=place.inputs(turn.session_id),
    )
    answer: object = handler(context, callback.request)
    if inspect.isawaitable(answer):
        answer = await answer
    if isinstance(answer, KeepCallbackOpen):
        return
    if not isinstance(answer, AllowApproval | DenyApproval):
        raise SdkError(
            f"on_approval returned {answer!r} for callback {callback.id}. Return AllowApproval(), DenyApproval() or KeepCallbackOpen()."
        )
    await turn.answer(callback.id, answer)


async def _sign_in(turn: Turn, callback: OpenSignIn, handler: OnSignIn) -> None:
    answer: object = handler(callback)
    if inspect.isawaitable(answer):
        answer = await answer
    if isinstance(answer, KeepCallbackOpen):
        return
    if not isinstance(answer, SignInAnswer):
        raise SdkError(f"on_sign_in returned {answer!r} for callback {callback.id}. Return a SignInAnswer, or KeepCallbackOpen().")
    await turn.answer(callback.id, answer)


async def _share(place: Place, callback: OpenClientToolCall[Any, Any], answering: Callable[[], Awaitable[None]]) -> None:
    await place.shared(callback.id, answering)


def _client_tool(turn: Turn, place: Place, callback: OpenClientToolCall[Any, Any]) -> Callable[[], Awaitable[None]] | None:
    given = turn.session.handlers.on_client_tool
    if given is None:
        return None
    call = callback.call
    if isinstance(given, ClientToolAnswers):
        if (answer := given.find(call.tool_id)) is not None:
            stub, fn = answer.stub, answer.fn
            return lambda: _answer(turn, callback, lambda: stub.run(fn, call.arguments, run_in_thread=place.run_in_thread), stub)
        if (handler := given.default) is None:
            return None
    else:
        handler = given

    async def ask() -> object:
        value: object = handler(call) if _is_async(handler) else await place.run_in_thread(lambda: handler(call))
        return await value if inspect.isawaitable(value) else value

    return lambda: _answer(turn, callback, ask, stub_of(turn.session.agent, call.tool_id))


async def _answer(turn: Turn, callback: OpenClientToolCall[Any, Any], run: Callable[[], Awaitable[object]], stub: Any) -> None:
    """Run a client tool's function and answer with what it returns; what it raises follows the agent's `tool_errors`."""
    try:
        value = await run()
        if isinstance(value, KeepCallbackOpen):
            return
        result = stub.check_answer(value) if stub is not None and stub.checks_answers else encode_value(value)
        answer = encode_result(result)
    except asyncio.CancelledError:
        raise
    except ToolError as error:
        answer = encode_result(encode_value(ToolResult(content=str(error), is_error=True)))
    except Exception as error:
        _LOGGER.exception("The answer to %s raised in session %s.", callback.call.tool_id, callback.session_id)
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        agent = turn.session.agent
        fatal = None
        if agent is not None and agent.tool_errors == "raise":
            fatal = f"Tool {callback.call.tool_id} raised {said}"
        answer = encode_result(encode_value(ToolResult(content=f"The tool failed: {said}", is_error=True)), fatal=fatal)
    await turn.send_answer(callback, answer)


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(type(function), "__call__", None))
