"""The hooks before and after a tool call. One that raises fails the call, not the turn: the model reads it.

State that is too large to save fails the turn, here as at every point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from mistralai.agents.authoring.call_errors import InvalidArguments
from mistralai.agents.authoring.hook_decisions import PostToolCallHookContinue, PreToolCallHookContinue, Skip
from mistralai.agents.authoring.hook_subjects import ToolCallRequest, ToolCallResult
from mistralai.agents.authoring.results import encode_value, to_plain
from mistralai.agents.core import results, state as phases
from mistralai.agents.core.decide import client_tool_result
from mistralai.agents.core.facts import CallEnded, CallPrepared, ErrorData
from mistralai.agents.core.hooks import HookFailed, StateTooLarge, run_hooks
from mistralai.agents.core.json_copy import copied
from mistralai.agents.core.limits import over_limit
from mistralai.agents.core.raised import described
from mistralai.agents.values.ids import uuid7
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import CallState


def waits_for_hooks(session: OpenSession, call: CallState) -> bool:
    """Whether hooks have to see a call before it is decided on: one that cannot run anyway is not shown to them."""
    turn = session.state.active
    settings = session.settings
    if call.phase != phases.REQUESTED or turn is None or not settings.hooks.at("pre_tool_call"):
        return False
    if call.call.problem is not None or over_limit(turn, call, settings.bounds.limits):
        return False
    tool = settings.toolbox.find(call.call.tool_id)
    try:
        tool.validate_arguments(call.arguments)
    except InvalidArguments:
        return False
    return True


async def before_call(session: OpenSession, call: CallState) -> list[Fact]:
    """Run the hooks before a call: they let it be, rewrite its arguments, or give a reason in place of a result."""
    turn_id = _turn_id(session)
    tool = session.settings.toolbox.find(call.call.tool_id)
    arguments = call.arguments
    rewritten = False
    reason: str | None = None

    def take(decision: Any) -> bool:
        nonlocal arguments, rewritten, reason
        match decision:
            case Skip():
                reason = decision.reason
                return True
            case PreToolCallHookContinue(effective_arguments=given) if given is not None:
                arguments, rewritten = to_plain(dict(given)), True
                return False
            case _:
                return False

    def request() -> ToolCallRequest:
        return ToolCallRequest(
            tool_id=tool.id,
            name=tool.name,
            arguments=copied(arguments),
            tool_call_id=call.call.call_id,
            annotations=tool.annotations,
        )

    not_run: CallEnded | None = None
    try:
        await run_hooks(session, "pre_tool_call", request, take, about=call.call.call_id)
        if reason is not None:
            not_run = _not_run(session, call, "skipped", reason)
        elif rewritten:
            tool.validate_arguments(arguments)
    except HookFailed as error:
        not_run = _not_run(session, call, "raised", f"This call did not run. {error}", _fatal(error))
    except InvalidArguments as error:
        problem = f"This call did not run: a hook set arguments that do not fit. {error}"
        not_run = _not_run(session, call, "raised", problem)
    if not_run is not None and not rewritten:
        return [not_run]
    prepared = CallPrepared(
        at=session.now() if not_run is None else not_run.at,
        turn_id=turn_id,
        call_id=call.call.call_id,
        arguments=arguments if rewritten else None,
        rewritten=rewritten,
    )
    return [prepared] if not_run is None else [prepared, not_run]  # the record has the arguments that a hook set


async def after_call(session: OpenSession, call: CallState, ended: CallEnded) -> CallEnded:
    """Run the hooks after a call that ran, and return its result as they leave it."""
    if not session.settings.hooks.at("post_tool_call"):
        return ended

    def take(decision: Any) -> bool:
        nonlocal ended
        if isinstance(decision, PostToolCallHookContinue) and decision.tool_result is not None:
            ended = _with_result(ended, encode_value(decision.tool_result))
        return False

    def result() -> ToolCallResult:
        content = ended.content
        return ToolCallResult(
            tool_id=call.call.tool_id,
            name=call.call.name,
            arguments=copied(call.arguments),
            tool_call_id=call.call.call_id,
            tool_result=ToolResult(
                content=({"type": "text", "text": content},) if isinstance(content, str) else copied(content),
                structured=copied(ended.structured),
                metadata=copied(ended.metadata),
                is_error=ended.error is not None,
            ),
        )

    try:
        await run_hooks(session, "post_tool_call", result, take, about=call.call.call_id)
    except StateTooLarge as error:
        return structs.replace(ended, at=session.now(), fatal=ended.fatal or error.error())  # the result is what it is
    except HookFailed as error:
        return _withheld(session, ended, str(error))
    except (SystemExit, KeyboardInterrupt) as error:
        keep(session, call, _withheld(session, ended, described(error)))
        raise
    return ended


def keep(session: OpenSession, call: CallState, ended: CallEnded) -> None:
    """Keep the result of a call that ends the program, for a loop that goes on, unless its turn ended without it."""
    turn = session.state.active
    if turn is not None and turn.turn_id == call.turn_id:
        session.append([ended])


def _withheld(session: OpenSession, ended: CallEnded, why: str) -> CallEnded:
    message = f"The tool ran, and its result cannot be shown. {why}"
    return structs.replace(
        ended,
        at=session.now(),
        kind=_failure(ended, "raised"),
        content=message,
        structured=None,
        error=ErrorData(message=message, code="raised"),
    )


async def conclude(session: OpenSession, call: CallState) -> list[Fact]:
    """Let the hooks see what a client answered, and return the call's result."""
    assert call.answer is not None
    answered = client_tool_result(
        call.answer, turn_id=_turn_id(session), call_id=call.call.call_id, entry_id=uuid7(), at=session.now()
    )
    return [await after_call(session, call, answered)]


def _with_result(ended: CallEnded, given: ToolResult[Any]) -> CallEnded:
    """Return a result with what a hook put in its place."""
    changed = structs.replace(
        ended,
        kind=_failure(ended, "tool_error") if given.is_error else "ok",
        content=results.stored_content(given.content),
        structured=given.structured,
        metadata=None if given.metadata is None else dict(given.metadata),
        error=None,
        fatal=None,
    )
    if not given.is_error:
        return changed
    read = results.model_content(changed)
    return structs.replace(
        changed, error=ErrorData(message=read if isinstance(read, str) else "The tool failed.", code="tool_error")
    )


def _fatal(error: HookFailed) -> ErrorData | None:
    return error.error() if isinstance(error, StateTooLarge) else None


def _failure(ended: CallEnded, kind: str) -> str:
    """Why a call failed whose result a hook put another in the place of: that nobody knows what it did stays so."""
    return ended.kind if ended.kind == "timed_out" else kind


def _not_run(
    session: OpenSession, call: CallState, kind: str, message: str, fatal: ErrorData | None = None
) -> CallEnded:
    return CallEnded(
        at=session.now(),
        turn_id=_turn_id(session),
        call_id=call.call.call_id,
        entry_id=uuid7(),
        kind=kind,
        content=message,
        error=ErrorData(message=message, code=kind),
        fatal=fatal,
    )


def _turn_id(session: OpenSession) -> str:
    assert session.state.active is not None
    return session.state.active.turn_id
