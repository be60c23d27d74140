"""The model's step of a turn: the hooks around a call, the call, and what its failure comes to."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.hook_decisions import (
    PostLLMCallHookAccept,
    PreAgentTurnHookContinue,
    Reject,
    Retry,
    Skip,
)
from mistralai.agents.authoring.hook_subjects import AgentTurnRequest, PostLLMCallInvocation, PreLLMCallInvocation
from mistralai.agents.authoring.model import ModelError
from mistralai.agents.core.compaction import can_compact
from mistralai.agents.core.facts import CompactionNeeded, ErrorData, TurnEnded, TurnPrepared
from mistralai.agents.core.hooks import HookFailed, run_hooks
from mistralai.agents.core.reply import give_up, receive, reply_fact, request_of
from mistralai.agents.values.errors import JournalError, SdkError
from mistralai.agents.values.tool_calls import ToolCall
from mistralai.agents.values.usage import TokenUsage
from mistralai.agents.values.wire import to_data

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelRequest
    from mistralai.agents.core.facts import Content, Fact
    from mistralai.agents.core.reply import Reply
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import TurnProgress

_LOGGER = logging.getLogger("mistralai.agents")
CONTEXT_TOO_LARGE = "completion_context_too_large"


async def call_model(session: OpenSession) -> list[Fact]:
    """Ask the model for its next reply, with the hooks before and after, and return the facts of what came of it."""
    turn = session.state.active
    assert turn is not None
    try:
        if (reason := await _before_turn(session, turn)) is not None:
            return [_skipped(session, turn, reason)]
        model = await session.surroundings.model(session)
        request = request_of(session, turn.turn_id)
        if (reason := await _before_call(session, request)) is not None:
            return [_skipped(session, turn, reason)]
        reply = await receive(
            session, model, request_of(session, turn.turn_id) if session.settings.hooks.keyed else request
        )
        return await _after_call(session, turn, request, reply)
    except JournalError:
        raise  # no failure of the model: the call is made again once the journal takes its facts
    except HookFailed as error:
        return failed_reply(session, turn.turn_id, error.error())
    except ModelError as error:
        if error.code == CONTEXT_TOO_LARGE and session.live is None:
            return _too_large(session, turn, error)
        return failed_reply(session, turn.turn_id, error_data(error))
    except SdkError as error:
        return failed_reply(session, turn.turn_id, ErrorData(message=str(error), code="completion_failed_permanently"))
    except Exception as error:
        _LOGGER.exception("The model object of session %s raised.", session.session_id)
        message = f"The model call raised {type(error).__name__}: {error}"
        return failed_reply(session, turn.turn_id, ErrorData(message=message, code="completion_failed_permanently"))


def failed_reply(session: OpenSession, turn_id: str, error: ErrorData) -> list[Fact]:
    """Return the facts of a call that failed: what was shown of its reply stays, and the turn ends."""
    at = session.now()
    text = (session.live.text() if session.live else "") or session.state.turn(turn_id).text
    ended = TurnEnded(at=at, turn_id=turn_id, outcome="failed", text=text, error=error)
    return [*give_up(session, turn_id, "failed", at), ended]


def error_data(error: ModelError) -> ErrorData:
    """Return a model's failure as the log keeps it."""
    return ErrorData(message=error.message, code=error.code, retryable=error.retryable, details=error.details)


def _too_large(session: OpenSession, turn: TurnProgress, error: ModelError) -> list[Fact]:
    """The history is too large for the model: compact it, unless that has just been done, or cannot be."""
    failure = error_data(error)
    if turn.compacted:
        details = {**(error.details or {}), "reason": "after_compaction"}
        failure = msgspec.structs.replace(failure, retryable=True, details=details)
    elif can_compact(session):
        return [CompactionNeeded(at=session.now(), turn_id=turn.turn_id)]
    return failed_reply(session, turn.turn_id, failure)


async def _before_turn(session: OpenSession, turn: TurnProgress) -> str | None:
    """Run the hooks before the turn, once. Returns the reason of a skip."""
    if turn.prepared or turn.model_calls or not session.settings.hooks.at("pre_agent_turn"):
        return None
    content: Content = turn.content
    changed = False
    reason: str | None = None

    def take(decision: Any) -> bool:
        nonlocal content, changed, reason
        match decision:
            case Skip():
                reason = decision.reason
                return True
            case PreAgentTurnHookContinue(user_content=given) if given is not None:
                content, changed = _content(given), True
                return False
            case _:
                return False

    def request() -> AgentTurnRequest:
        return AgentTurnRequest(user_content=content if isinstance(content, str) else tuple(content))

    await run_hooks(session, "pre_agent_turn", request, take)
    if reason is None:
        prepared = TurnPrepared(at=session.now(), turn_id=turn.turn_id, content=content if changed else None)
        session.append([prepared])
    return reason


async def _before_call(session: OpenSession, request: ModelRequest) -> str | None:
    """Run the hooks before the call. Returns the reason of a skip."""
    if not session.settings.hooks.at("pre_llm_call"):
        return None
    reason: str | None = None
    invocation = PreLLMCallInvocation(
        model=request.model,
        instructions=request.instructions,
        messages=tuple(request.messages),
        tool_names=tuple(tool.name for tool in request.tools),
    )

    def take(decision: Any) -> bool:
        nonlocal reason
        if isinstance(decision, Skip):
            reason = decision.reason
        return reason is not None

    await run_hooks(session, "pre_llm_call", lambda: invocation, take)
    return reason


async def _after_call(session: OpenSession, turn: TurnProgress, request: ModelRequest, reply: Reply) -> list[Fact]:
    """Run the hooks after the call, and return the facts of the reply as they leave it."""
    if not session.settings.hooks.at("post_llm_call"):
        return [reply_fact(session, turn.turn_id, reply)]
    text = session.live.text() if session.live else ""
    verdicts: list[Retry | Reject] = []
    calls = tuple(ToolCall(call.name, _decoded(call.arguments)) for call in reply.calls)
    usage = reply.usage
    counted = None
    if usage is not None:
        counted = TokenUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            total_tokens=usage.input_tokens + usage.output_tokens,
            cached_input_tokens=usage.cached_input_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )

    def take(decision: Any) -> bool:
        nonlocal text
        match decision:
            case Retry() | Reject():
                verdicts.append(decision)
                return True
            case PostLLMCallHookAccept(content=str(content)):
                text = content
                return False
            case _:
                return False

    def invocation() -> PostLLMCallInvocation:
        return PostLLMCallInvocation(model=request.model, content=text, tool_calls=calls, usage=counted)

    await run_hooks(session, "post_llm_call", invocation, take)
    match verdicts:
        case [Retry(feedback=feedback)]:
            return [reply_fact(session, turn.turn_id, reply, drop=True, feedback=feedback)]
        case [Reject(reason=reason)]:
            dropped = reply_fact(session, turn.turn_id, reply, drop=True)
            ended = TurnEnded(
                at=session.now(), turn_id=turn.turn_id, outcome="completed", text=reason, stop_reason="rejected"
            )
            return [dropped, ended]
        case _:
            return [reply_fact(session, turn.turn_id, reply, text=text)]


def _skipped(session: OpenSession, turn: TurnProgress, reason: str) -> TurnEnded:
    return TurnEnded(at=session.now(), turn_id=turn.turn_id, outcome="completed", text=reason, stop_reason="skipped")


def _content(given: Any) -> Content:
    if isinstance(given, str):
        return given
    return [data for block in given if isinstance(data := to_data(block), dict)]


def _decoded(arguments: str) -> Any:
    try:
        return msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return arguments
