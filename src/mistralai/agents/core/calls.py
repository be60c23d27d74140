"""Bringing a tool call forward: validating it, asking for it, running it, and making a result of what came of it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from typing import TYPE_CHECKING, Any

from msgspec import structs

from mistralai.agents.authoring.call_errors import InputUnavailable, InvalidArguments, OutputMismatch
from mistralai.agents.authoring.tool import Tool
from mistralai.agents.authoring.tool_context import ToolContext
from mistralai.agents.core import results, state as phases
from mistralai.agents.core.cancellation import is_torn_down, stops_the_work
from mistralai.agents.core.facts import CallbackOpened, CallEnded, CallStarted, ErrorData
from mistralai.agents.core.gate import judge
from mistralai.agents.core.json_copy import copied
from mistralai.agents.core.limits import CALL_OVER_LIMIT, over_limit
from mistralai.agents.core.raised import described, log_raised, misfit
from mistralai.agents.core.tool_hooks import after_call, keep
from mistralai.agents.values.errors import ToolError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from mistralai.agents.authoring.tool import BoundCall
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import CallState
    from mistralai.agents.core.toolbox import AnyTool
    from mistralai.agents.values.tool_result import ToolResult


class ReadyCall:
    """A call that may run now: its tool, bound to validated arguments."""

    __slots__ = ("bound", "state", "tool")

    def __init__(self, state: CallState, tool: Tool[..., Any], bound: BoundCall) -> None:
        self.state: CallState = state
        self.tool: Tool[..., Any] = tool
        self.bound: BoundCall = bound


def admit(session: OpenSession, call: CallState, *, opens: int) -> tuple[list[Fact], ReadyCall | None]:
    """Decide what becomes of a call that the hooks have let through: it fails, asks, or is ready to run.

    `opens` counts the callbacks that the same step has opened before this one.
    """
    at = session.now()
    turn = session.state.active
    assert turn is not None
    settings = session.settings
    if call.call.problem is not None:
        return [failed(session, call, "invalid", _invalid(call.call.problem), at=at)], None
    if over_limit(turn, call, settings.bounds.limits):
        return [failed(session, call, "limit", CALL_OVER_LIMIT, at=at)], None
    tool = settings.toolbox.find(call.call.tool_id)
    bound: BoundCall | None = None
    verdict = "allow"
    try:
        if isinstance(tool, Tool):
            bound = tool.bind(copied(call.arguments), _context(session, turn.turn_id, call), session.inputs)
        else:
            tool.validate_arguments(call.arguments)
        verdict = judge(settings.definition, tool, call.arguments, session.state.grants)
        if verdict == "ask" and call.phase == phases.APPROVED:
            verdict = "allow"  # by a person, whose edits do not lift what the policy denies
    except InvalidArguments as error:
        return [failed(session, call, "invalid", _invalid(str(error)), at=at)], None
    except InputUnavailable as error:
        fatal = _fatal(session, f"Tool {tool.id} did not run: {error}")
        return [failed(session, call, "raised", f"The tool failed: {error}", at=at, fatal=fatal)], None
    except Exception as error:  # the tool's own validator broke: pydantic takes ValueError alone for a refusal
        return [_raised(session, call, tool.id, error)], None
    if verdict == "deny":
        return [failed(session, call, "denied", results.DENIED_BY_POLICY, at=at)], None
    if verdict == "ask":
        return [_question(session, call, tool, "approval", at, opens)], None
    if bound is None or not isinstance(tool, Tool):
        return [_question(session, call, tool, "client_tool", at, opens)], None
    started = CallStarted(
        at=at,
        turn_id=turn.turn_id,
        call_id=call.call.call_id,
        repeatable=bool(tool.idempotent or tool.annotations.read_only_hint),
    )
    return [started], ReadyCall(call, tool, bound)


def _context(session: OpenSession, turn_id: str, call: CallState) -> ToolContext:
    return ToolContext(
        session_id=session.session_id,
        turn_id=turn_id,
        tool_call_id=call.call.call_id,
        idempotency_key=f"{session.session_id}:{call.call.call_id}",
        sandbox=None,
    )


async def run(session: OpenSession, ready: ReadyCall) -> list[Fact]:
    """Run a tool to its end and return its result, whatever that is; nothing where its turn has ended without it."""
    outcome = await _outcome(session, ready)
    turn = session.state.active
    if turn is None or turn.turn_id != ready.state.turn_id:
        return []
    return [await after_call(session, ready.state, outcome)]


async def _outcome(session: OpenSession, ready: ReadyCall) -> CallEnded:
    tool = ready.tool
    await session.commit()  # the log says "started" before anything can have happened
    try:
        value = await _value(session, ready)
        outcome = tool.encode_result(value)
    except asyncio.CancelledError:
        if stops_the_work(session):
            raise
        return _raised(session, ready.state, tool.id, asyncio.CancelledError())
    except TimeoutError as error:
        if tool.timeout_seconds is None or not isinstance(error, _ToolTimeout):
            return _raised(session, ready.state, tool.id, error)
        text = f"did not end within {tool.timeout_seconds:g} s. Whether it took effect is not known."
        fatal = _fatal(session, f"Tool {tool.id} {text}")
        return failed(session, ready.state, "timed_out", f"The tool {text}", fatal=fatal)
    except ToolError as error:
        return failed(session, ready.state, "tool_error", str(error))
    except OutputMismatch as error:
        fatal = _fatal(session, misfit(f"Tool {tool.id}", error), "tool_output_schema_mismatch")
        return failed(session, ready.state, "output_mismatch", misfit("The tool", error), fatal=fatal)
    except (SystemExit, KeyboardInterrupt) as error:
        keep(session, ready.state, _raised(session, ready.state, tool.id, error))
        raise
    except BaseException as error:  # GeneratorExit and what libraries derive from BaseException
        if is_torn_down():
            raise
        return _raised(session, ready.state, tool.id, error)
    return ended(session, ready.state, outcome)


class _ToolTimeout(TimeoutError):
    """The tool's own bound passed; a TimeoutError of the tool's code is something else."""


async def _value(session: OpenSession, ready: ReadyCall) -> Any:
    seconds = ready.tool.timeout_seconds
    if seconds is None:
        return await _called(session, ready)
    awaited = asyncio.ensure_future(_called(session, ready))
    done, _ = await _within(awaited, seconds)
    if not done:
        raise _ToolTimeout
    return awaited.result()


async def _called(session: OpenSession, ready: ReadyCall) -> Any:
    """Call the function where it belongs. What a plain one gives may be an awaitable, as of a decorator's wrapper."""
    if ready.tool.is_async:
        return await ready.bound.call()
    value = await session.surroundings.run_in_thread(ready.bound.call, contextvars.copy_context())
    if not inspect.isawaitable(value):
        return value
    work = session.works[ready.state.call.call_id]
    work.in_thread = False  # from here on a turn that stops cancels it
    if (turn := session.state.active) is None or turn.interrupting is not None:
        work.stop()
        if inspect.iscoroutine(value):
            value.close()
        await asyncio.get_running_loop().create_future()
    return await value


async def _within(awaited: asyncio.Future[Any], seconds: float) -> tuple[bool, None]:
    """Wait for it so long; cancel it then, or when this wait is cancelled."""
    try:
        done, _ = await asyncio.wait({awaited}, timeout=seconds)
    except asyncio.CancelledError:
        awaited.cancel()
        raise
    if not done:
        awaited.cancel()
    return bool(done), None


def failed(
    session: OpenSession,
    call: CallState,
    kind: str,
    message: str,
    *,
    at: float | None = None,
    fatal: ErrorData | None = None,
) -> CallEnded:
    """Return the result of a call that failed or did not run: the model reads `message`."""
    return CallEnded(
        at=session.now() if at is None else at,
        turn_id=call.turn_id,
        call_id=call.call.call_id,
        entry_id=uuid7(),
        kind=kind,
        content=message,
        error=ErrorData(message=message, code="invalid_tool_call" if kind == "invalid" else kind),
        fatal=fatal,
    )


def _raised(session: OpenSession, call: CallState, tool_id: str, error: BaseException) -> CallEnded:
    log_raised(session, f"Tool {tool_id}", error)
    said = described(error)
    fatal = _fatal(session, f"Tool {tool_id} raised {said}")
    return failed(session, call, "raised", f"The tool failed: {said}", fatal=fatal)


def _fatal(session: OpenSession, message: str, code: str = "tool_raised") -> ErrorData | None:
    """Return what fails the turn with a call, where the agent wants that."""
    return ErrorData(message=message, code=code) if session.settings.definition.tool_errors == "raise" else None


def ended(session: OpenSession, call: CallState, outcome: ToolResult[Any]) -> CallEnded:
    """Return the result of a call that its tool, or a hook, gave."""
    result = CallEnded(
        at=session.now(),
        turn_id=call.turn_id,
        call_id=call.call.call_id,
        entry_id=uuid7(),
        content=results.stored_content(outcome.content),
        structured=outcome.structured,
        metadata=None if outcome.metadata is None else dict(outcome.metadata),
    )
    if not outcome.is_error:
        return result
    read = results.model_content(result)
    error = ErrorData(message=read if isinstance(read, str) else "The tool failed.", code="tool_error")
    return structs.replace(result, kind="tool_error", error=error)


def _question(session: OpenSession, call: CallState, tool: AnyTool, kind: str, at: float, opens: int) -> CallbackOpened:
    turn = session.state.active
    assert turn is not None
    open_for = session.surroundings.callback_timeout
    if kind == "client_tool" and tool.timeout_seconds is not None:
        open_for = tool.timeout_seconds
    return CallbackOpened(
        at=at,
        turn_id=turn.turn_id,
        callback_id=uuid7(),
        kind=kind,
        expires_at=at + open_for,
        first=not turn.open_callbacks and not opens,
        call_id=call.call.call_id,
        tool=session.settings.toolbox.card(tool.id),
        arguments=call.arguments,
        deferred=kind == "client_tool" and bool(session.settings.hooks.at("post_tool_call")),
        title=f"Allow tools.{tool.id}?" if kind == "approval" else None,
    )


def _invalid(problem: str) -> str:
    return f"invalid_tool_call: {problem}"
