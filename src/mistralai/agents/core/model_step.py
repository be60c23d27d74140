"""The model's step of a turn: the hooks around a call, the call, and what its failure comes to."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from mistralai.agents.authoring.hook_decisions import (
    PostLLMCallHookAccept,
    PreAgentTurnHookContinue,
    Reject,
    Retry,
    Skip,
)
from mistralai.agents.authoring.hook_subjects import AgentTurnRequest, PostLLMCallInvocation, PreLLMCallInvocation
from mistralai.agents.authoring.json_kinds import is_object
from mistralai.agents.authoring.model import ModelError, ToolMessage, UserMessage
from mistralai.agents.authoring.results import encode_content, to_plain
from mistralai.agents.core.cancellation import is_torn_down, stops_the_work
from mistralai.agents.core.compaction import CompactionFailed, can_compact, compact
from mistralai.agents.core.facts import CompactionNeeded, ErrorData, ReplyEnded, TurnEnded, TurnPrepared
from mistralai.agents.core.hooks import HookFailed, run_hooks
from mistralai.agents.core.json_copy import copied
from mistralai.agents.core.raised import described
from mistralai.agents.core.reply import give_up, receive, reply_fact, request_of
from mistralai.agents.values.errors import JournalError, SdkError
from mistralai.agents.values.tool_calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.authoring.model import ModelMessage, ModelRequest
    from mistralai.agents.core.facts import Content, Fact, UsageData
    from mistralai.agents.core.reply import Reply
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import TurnProgress

_LOGGER = logging.getLogger("mistralai.agents")
CONTEXT_TOO_LARGE = "completion_context_too_large"


async def call_model(session: OpenSession) -> list[Fact]:
    """Ask the model for its next reply, with the hooks before and after, and return the facts of what came of it."""
    return await _with_model(session, _call)


async def make_room(session: OpenSession) -> list[Fact]:
    """Compact the history. The hooks before the turn come first: a message that they refuse is in no summary."""
    return await _with_model(session, _compact)


async def _call(session: OpenSession, turn: TurnProgress) -> list[Fact]:
    model = await session.surroundings.model(session)
    request = request_of(session, turn.turn_id)
    if (reason := await _before_call(session, turn, request)) is not None:
        return [_skipped(session, turn, reason)]
    if len(request.messages) != len(session.state.history):
        request.messages = tuple(session.state.history)  # some came while the hooks ran
    reply = await receive(session, model, request)
    _check_goes_on(turn)
    return await _after_call(session, turn, request, reply)


async def _compact(session: OpenSession, turn: TurnProgress) -> list[Fact]:
    return await compact(session, await session.surroundings.model(session))


async def _with_model(
    session: OpenSession, body: Callable[[OpenSession, TurnProgress], Awaitable[list[Fact]]]
) -> list[Fact]:
    """Do what calls the model, once the hooks before the turn have run, and make facts of how it failed."""
    turn = session.state.active
    assert turn is not None
    try:
        if (reason := await _before_turn(session, turn)) is not None:
            return [_skipped(session, turn, reason)]
        return await body(session, turn)
    except JournalError:
        raise  # no failure of the model: the call is made again once the journal takes its facts
    except HookFailed as error:
        return failed_reply(session, turn.turn_id, error.error())
    except CompactionFailed as error:
        return [*_unused(session, turn, error), *failed_reply(session, turn.turn_id, error.error)]
    except ModelError as error:
        if error.code == CONTEXT_TOO_LARGE and session.live is None and body is _call:
            return _too_large(session, turn, error)
        return failed_reply(session, turn.turn_id, error_data(error))
    except SdkError as error:
        return failed_reply(session, turn.turn_id, ErrorData(message=str(error), code="completion_failed_permanently"))
    except asyncio.CancelledError as error:
        if stops_the_work(session):
            raise
        return _model_raised(session, turn, error)
    except BaseException as error:  # what libraries derive from it too, as a panic of Rust code
        if isinstance(error, SystemExit | KeyboardInterrupt) or is_torn_down():
            raise
        return _model_raised(session, turn, error)


def _unused(session: OpenSession, turn: TurnProgress, error: CompactionFailed) -> list[Fact]:
    """Return the fact that counts the tokens of a summary which cannot be used."""
    if error.usage is None:
        return []
    at = session.now()
    return [
        ReplyEnded(at=at, turn_id=turn.turn_id, entry_id="", opened=False, text="", finish="unused", usage=error.usage)
    ]


def _model_raised(session: OpenSession, turn: TurnProgress, error: BaseException) -> list[Fact]:
    _LOGGER.error("The model object of session %s raised.", session.session_id, exc_info=error)
    message = f"The model call raised {described(error)}"
    return failed_reply(session, turn.turn_id, ErrorData(message=message, code="completion_failed_permanently"))


def failed_reply(session: OpenSession, turn_id: str, error: ErrorData, usage: UsageData | None = None) -> list[Fact]:
    """Return the facts of a call that failed: what was shown of its reply stays, and the turn ends.

    `usage` is what it took all the same, where the reply was whole.
    """
    at = session.now()
    text = (session.live.text() if session.live else "") or session.state.turn(turn_id).text
    given_up = give_up(session, turn_id, "failed", at)
    if usage is not None:
        given_up = [
            structs.replace(fact, usage=usage)
            for fact in given_up
            or [ReplyEnded(at=at, turn_id=turn_id, entry_id="", opened=False, text="", finish="failed")]
        ]
    ended = TurnEnded(
        at=at,
        turn_id=turn_id,
        outcome="failed",
        text=text,
        error=error,
        prompt_unseen=prompt_unseen(session, turn_id),
    )
    return [*given_up, ended]


def prompt_unseen(session: OpenSession, turn_id: str) -> bool:
    """Whether the hooks before the turn have not let its message pass: no later turn may send it."""
    turn = session.state.turn(turn_id)
    return not turn.prepared and not turn.model_calls and bool(session.settings.hooks.at("pre_agent_turn"))


def error_data(error: ModelError) -> ErrorData:
    """Return a model's failure as the log keeps it. A model object may have put anything into it."""
    given: Any = error
    return ErrorData(
        message=given.message if isinstance(given.message, str) else described(error),
        code=given.code if isinstance(given.code, str) else "completion_failed_permanently",
        retryable=bool(given.retryable),
        details=_details(given.details),
    )


def _details(given: object) -> dict[str, Any] | None:
    try:
        return to_plain(given) if is_object(given) else None
    except TypeError:
        return None  # what JSON cannot hold is left out


def _too_large(session: OpenSession, turn: TurnProgress, error: ModelError) -> list[Fact]:
    """The history is too large for the model: compact it, unless that has just been done, or cannot be."""
    failure = error_data(error)
    if turn.compacted:
        details = {**(failure.details or {}), "reason": "after_compaction"}
        failure = structs.replace(failure, retryable=True, details=details)
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
        return AgentTurnRequest(user_content=content if isinstance(content, str) else tuple(copied(content)))

    await run_hooks(session, "pre_agent_turn", request, take)
    _check_goes_on(turn)
    if reason is None:
        prepared = TurnPrepared(at=session.now(), turn_id=turn.turn_id, content=content if changed else None)
        session.append([prepared])
    return reason


async def _before_call(session: OpenSession, turn: TurnProgress, request: ModelRequest) -> str | None:
    """Run the hooks before the call. Returns the reason of a skip."""
    if not session.settings.hooks.at("pre_llm_call"):
        return None
    reason: str | None = None
    invocation = PreLLMCallInvocation(
        model=request.model,
        instructions=request.instructions,
        messages=tuple(map(_shown, request.messages)),
        tool_names=session.settings.toolbox.names,
    )

    def take(decision: Any) -> bool:
        nonlocal reason
        if isinstance(decision, Skip):
            reason = decision.reason
        return reason is not None

    await run_hooks(session, "pre_llm_call", lambda: invocation, take)
    _check_goes_on(turn)
    return reason


async def _after_call(session: OpenSession, turn: TurnProgress, request: ModelRequest, reply: Reply) -> list[Fact]:
    """Run the hooks after the call, and return the facts of the reply as they leave it."""
    if not session.settings.hooks.at("post_llm_call"):
        return [reply_fact(session, turn.turn_id, reply)]
    from mistralai.agents.core.present import token_usage  # brings pydantic, which a hook has brought already

    text = session.live.text() if session.live else ""
    verdicts: list[Retry | Reject] = []
    calls = tuple(ToolCall(call.name, _decoded(call.arguments)) for call in reply.calls)
    counted = token_usage(reply.usage)

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

    try:
        await run_hooks(session, "post_llm_call", invocation, take)
    except HookFailed as error:
        return failed_reply(session, turn.turn_id, error.error(), reply.usage)
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


def _shown(message: ModelMessage) -> ModelMessage:
    """Return a message whose blocks a hook may change without changing the history."""
    if isinstance(message, UserMessage | ToolMessage) and not isinstance(message.content, str):
        return structs.replace(message, content=copied(message.content))
    return message


def _check_goes_on(turn: TurnProgress) -> None:
    """Stop here where a hook or a model object kept running through an interruption, or the end of its turn."""
    if turn.interrupting is not None or turn.end is not None:
        raise asyncio.CancelledError


def _skipped(session: OpenSession, turn: TurnProgress, reason: str) -> TurnEnded:
    unseen = turn.model_calls == 0
    return TurnEnded(
        at=session.now(),
        turn_id=turn.turn_id,
        outcome="completed",
        text=reason,
        stop_reason="skipped",
        prompt_unseen=unseen,
    )


def _content(given: Any) -> Content:
    return given if isinstance(given, str) else list(encode_content(given))


def _decoded(arguments: str) -> Any:
    try:
        return msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return arguments
