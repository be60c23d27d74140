"""Asking a session's handlers: one callback, one handler of its kind, one answer."""

from __future__ import annotations

import asyncio
import inspect
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.call_errors import OutputMismatch
from mistralai.agents.authoring.client_tool import ClientToolAnswers
from mistralai.agents.authoring.signature import is_async
from mistralai.agents.core.raised import described, misfit
from mistralai.agents.handles.answering import answer_stub, checked_answer, encode_failure, encode_result
from mistralai.agents.handles.sending import send
from mistralai.agents.values.answers import AllowApproval, DenyApproval, KeepCallbackOpen, SignInAnswer
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall, OpenSignIn
from mistralai.agents.values.errors import SdkError, ToolError
from mistralai.agents.values.record import replace
from mistralai.agents.values.requests import ApprovalCallbackContext

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mistralai.agents.authoring.client_tool import ClientTool
    from mistralai.agents.core.place import Place
    from mistralai.agents.handles.bound import Bound
    from mistralai.agents.handles.handlers import OnApproval, OnSignIn
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.requests import ClientToolCall

_LOGGER = logging.getLogger("mistralai.agents")


def handler_for(turn: Turn, bound: Bound, place: Place, callback: OpenCallback) -> Coroutine[Any, Any, None] | None:
    """Return the asking of the handler that a callback has here; None if it has none."""
    handlers = bound.handlers
    match callback:
        case OpenApproval() if handlers.on_approval is not None:
            return _approve(turn, place, callback, handlers.on_approval)
        case OpenSignIn() if handlers.on_sign_in is not None:
            return _sign_in(turn, place, callback, handlers.on_sign_in)
        case OpenClientToolCall(call=call) if (answering := _client_tool(bound, place, call)) is not None:
            return _share(turn, place, call, answering)
        case _:
            return None


async def _approve(turn: Turn, place: Place, callback: OpenApproval, handler: OnApproval) -> None:
    if not await _still_open(turn, place, callback.id):
        return
    context = replace(
        ApprovalCallbackContext(
            session_id=callback.session_id, root_session_id=turn.session_id, turn_id=callback.turn_id
        ),
        _inputs=place.inputs(turn.session_id),
    )
    answer = await _awaited(handler(context, callback.request))
    if isinstance(answer, KeepCallbackOpen):
        return
    if not isinstance(answer, AllowApproval | DenyApproval):
        raise SdkError(
            f"on_approval returned {answer!r} for callback {callback.id}. "
            "Return AllowApproval(), DenyApproval() or KeepCallbackOpen()."
        )
    await turn.answer(callback.id, answer)


async def _sign_in(turn: Turn, place: Place, callback: OpenSignIn, handler: OnSignIn) -> None:
    if not await _still_open(turn, place, callback.id):
        return
    answer = await _awaited(handler(callback))
    if not isinstance(answer, SignInAnswer):
        raise SdkError(f"on_sign_in returned {answer!r} for callback {callback.id}. Return a SignInAnswer.")
    await turn.answer(callback.id, answer)


async def _share(turn: Turn, place: Place, call: ClientToolCall, answering: Callable[[], Awaitable[None]]) -> None:
    # Another wait may have answered since this one read of the call: the function runs once a call.
    if await _still_open(turn, place, call.callback_id):
        await place.shared(call.callback_id, answering)


async def _still_open(turn: Turn, place: Place, callback_id: str) -> bool:
    return not isinstance(await place.read_callback(turn.session_id, callback_id), bool)


def _client_tool(bound: Bound, place: Place, call: ClientToolCall) -> Callable[[], Awaitable[None]] | None:
    given = bound.handlers.on_client_tool
    if given is None:
        return None
    if isinstance(given, ClientToolAnswers):
        if (answer := given.find(call.tool_id)) is not None:
            stub, fn = answer.stub, answer.fn
            run = partial(stub.run, fn, call.arguments, run_in_thread=place.run_in_thread)
            return lambda: _answer(bound, place, call, run, stub)
        if (handler := given.default) is None:
            return None
    else:
        handler = given

    async def ask() -> object:
        said = handler(call) if is_async(handler) else await place.run_in_thread(lambda: handler(call))
        return await _awaited(said)

    return lambda: _answer(bound, place, call, ask, answer_stub(bound.agent, call.tool_id))


async def _answer(
    bound: Bound,
    place: Place,
    call: ClientToolCall,
    run: Callable[[], Awaitable[object]],
    stub: ClientTool[..., Any] | None,
) -> None:
    """Run a client tool's function and answer with what it returns, or as `tool_errors` says with what it raises."""
    fails_turn = bound.agent is not None and bound.agent.tool_errors == "raise"
    tool = f"Tool {call.tool_id}"
    try:
        value = await run()
        if isinstance(value, KeepCallbackOpen):
            return
        answer = encode_result(checked_answer(stub, value))
    except ToolError as error:
        answer = encode_failure(str(error), "tool_error")
    except OutputMismatch as error:
        fatal = misfit(tool, error) if fails_turn else None
        answer = encode_failure(misfit("The tool", error), "output_mismatch", fatal=fatal)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise  # nobody waits for the answer any more; otherwise the function raised it by itself
        _LOGGER.exception("The answer to %s raised in session %s.", call.tool_id, call.session_id)
        said = described(error)
        fatal = f"{tool} raised {said}" if fails_turn else None
        answer = encode_failure(f"The tool failed: {said}", "raised", fatal=fatal)
    await send(place, bound.session_id, call.callback_id, answer)


async def _awaited(value: object) -> object:
    return await value if inspect.isawaitable(value) else value
