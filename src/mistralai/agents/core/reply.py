"""Calling the model: the request that a session's state makes, and the facts that come of the reply."""

from __future__ import annotations

import logging
import re
import secrets
import string
from typing import TYPE_CHECKING

from mistralai.agents.authoring.model import (
    ModelError,
    ModelRequest,
    ReasoningBlock,
    ReplyFinished,
    TextChunk,
    ToolCallBlock,
)
from mistralai.agents.core.facts import ErrorData, Reasoning, ReplyEnded, ReplyOpened, TurnEnded, UsageData
from mistralai.agents.core.live import LiveReply
from mistralai.agents.core.results import ANSWER_SHORTER, CUT_OFF
from mistralai.agents.core.steps import MOST_SHORTER_REPLIES
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import ModelToolCall
    from mistralai.agents.core.facts import Fact, RequestedCall
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.values.usage import TokenUsage

_LOGGER = logging.getLogger("mistralai.agents")
_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID_LETTERS = string.ascii_letters + string.digits
_NO_USAGE = (
    "The reply reports no token usage. An OpenAI-compatible server must support stream_options.include_usage; "
    "a model object must give ReplyFinished(usage=...)."
)


async def call_model(session: OpenSession) -> list[Fact]:
    """Send the history to the model, show its text as it comes, and return the facts of the complete reply."""
    state = session.state
    turn = state.active
    assert turn is not None
    seen = 0
    calls: list[ModelToolCall] = []
    reasoning: list[ReasoningBlock] = []
    finished: ReplyFinished | None = None
    try:
        model = await session.surroundings.model(session)
        seen = len(state.history)
        stream = model.stream(_request(session, turn.turn_id))
        async for event in stream:
            match event:
                case TextChunk(text=text):
                    if text:
                        _show(session, turn.turn_id, text)
                case ToolCallBlock(call=call):
                    calls.append(call)
                case ReasoningBlock():
                    reasoning.append(event)
                case ReplyFinished():
                    finished = event
        if finished is None:
            raise ModelError("The model's stream ended before its reply was finished.", code="completion_failed", retryable=True)
        if finished.usage is None:
            raise ModelError(_NO_USAGE, code="completion_failed_permanently")
    except ModelError as error:
        failure = ErrorData(message=error.message, code=error.code, retryable=error.retryable, details=error.details)
        return failed_reply(session, turn.turn_id, failure)
    except SdkError as error:
        return failed_reply(session, turn.turn_id, ErrorData(message=str(error), code="completion_failed_permanently"))
    except Exception as error:
        _LOGGER.exception("The model object of session %s raised.", session.session_id)
        message = f"The model call raised {type(error).__name__}: {error}"
        return failed_reply(session, turn.turn_id, ErrorData(message=message, code="completion_failed_permanently"))
    return [_reply(session, turn.turn_id, seen, calls, reasoning, finished.reason, finished.usage)]


def failed_reply(session: OpenSession, turn_id: str, error: ErrorData) -> list[Fact]:
    """Return the facts of a call that failed: what was shown of its reply stays, and the turn ends."""
    at = session.now()
    facts: list[Fact] = give_up(session, turn_id, "failed", at)
    text = (session.live.text() if session.live else "") or session.state.turn(turn_id).text
    return [*facts, TurnEnded(at=at, turn_id=turn_id, outcome="failed", text=text, error=error)]


def give_up(session: OpenSession, turn_id: str, why: str, at: float) -> list[Fact]:
    """Return the fact that closes the reply being written, if one is."""
    if (live := session.live) is None:
        return []
    return [ReplyEnded(at=at, turn_id=turn_id, entry_id=live.entry_id, opened=True, text=live.text(), finish=why)]


def _request(session: OpenSession, turn_id: str) -> ModelRequest:
    state, settings = session.state, session.settings
    definition = settings.definition
    instructions = settings.instructions
    if state.notes:
        instructions = "\n\n".join([instructions, *state.notes] if instructions else state.notes)
    return ModelRequest(
        model=settings.model if isinstance(settings.model, str) else "",
        instructions=instructions,
        messages=state.history,
        tools=settings.toolbox.for_model,
        output=settings.output,
        temperature=settings.temperature,
        reasoning_effort=settings.reasoning_effort,
        first_output_timeout_seconds=definition.first_output_timeout_seconds,
        session_id=session.session_id,
        turn_id=turn_id,
        wire=session.wire,
    )


def _show(session: OpenSession, turn_id: str, text: str) -> None:
    if (live := session.live) is None:
        entry_id = uuid7()
        live = LiveReply(entry_id, session.state.next_position)
        session.append([ReplyOpened(at=session.now(), turn_id=turn_id, entry_id=entry_id)])
        session.live = live
    live.add(text)
    session.wake()


def _reply(
    session: OpenSession,
    turn_id: str,
    seen: int,
    calls: list[ModelToolCall],
    reasoning: list[ReasoningBlock],
    finish: str,
    usage: TokenUsage,
) -> ReplyEnded:
    turn = session.state.turn(turn_id)
    live = session.live
    feedback = None
    if finish == "length" and not calls and turn.shortened < MOST_SHORTER_REPLIES:
        feedback = ANSWER_SHORTER
    return ReplyEnded(
        at=session.now(),
        turn_id=turn_id,
        entry_id=live.entry_id if live else "",
        opened=live is not None,
        text=live.text() if live else "",
        calls=_calls(session, calls, cut=finish == "length") if calls else (),
        reasoning=tuple(Reasoning(entry_id=uuid7(), text=block.text, data=block.data) for block in reasoning),
        finish=finish,
        seen=seen if len(session.state.history) > seen else -1,
        usage=UsageData(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_input_tokens=usage.cached_input_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        ),
        feedback=feedback,
    )


def _calls(session: OpenSession, calls: list[ModelToolCall], *, cut: bool) -> tuple[RequestedCall, ...]:
    """Resolve the calls, each under an id that no other call of the session has."""
    toolbox = session.settings.toolbox
    taken = session.state.call_ids
    resolved: list[RequestedCall] = []
    fresh: set[str] = set()
    for call in calls:
        call_id = call.id
        while call_id in taken or call_id in fresh or call_id == "null" or not _USABLE_ID.fullmatch(call_id):
            call_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(9))
        fresh.add(call_id)
        request = toolbox.resolve(call, call_id, uuid7())
        if cut:
            request = type(request)(
                call_id=request.call_id,
                name=request.name,
                tool_id=request.tool_id,
                arguments=request.arguments,
                raw=request.raw,
                entry_id=request.entry_id,
                problem=CUT_OFF,
            )
        resolved.append(request)
    return tuple(resolved)
