"""A reply of the model: the request that a session's state makes, the stream as it comes, and the fact it ends in."""

from __future__ import annotations

import asyncio
import re
import secrets
import string
from typing import TYPE_CHECKING, Final

from msgspec import structs

from mistralai.agents.authoring.model import (
    ModelError,
    ModelRequest,
    ReasoningBlock,
    ReplyFinished,
    TextChunk,
    ToolCallBlock,
)
from mistralai.agents.core.facts import NoticeGiven, Reasoning, ReplyEnded, ReplyOpened, UsageData
from mistralai.agents.core.first_output import begun_in_time
from mistralai.agents.core.live import LiveReply
from mistralai.agents.core.model_events import checked
from mistralai.agents.core.results import ANSWER_SHORTER, CUT_OFF
from mistralai.agents.core.steps import MOST_SHORTER_REPLIES
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import Model, ModelToolCall
    from mistralai.agents.core.facts import RequestedCall
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.values.usage import TokenUsage

_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID_LETTERS = string.ascii_letters + string.digits
NO_USAGE: Final = (
    "The reply reports no token usage. An OpenAI-compatible server must support stream_options.include_usage; "
    "a model object must give ReplyFinished(usage=...)."
)


class Reply:
    """What came of one call of the model."""

    __slots__ = ("calls", "finish", "reasoning", "seen", "usage")

    def __init__(self, seen: int) -> None:
        self.seen: int = seen
        """How many messages of the history the model had read."""
        self.calls: list[ModelToolCall] = []
        self.reasoning: list[ReasoningBlock] = []
        self.finish: str = ""
        self.usage: UsageData = UsageData()


class Retries:
    """Tells a session's readers that a model call is made again: the first time, the second, the fourth, ..."""

    __slots__ = ("_count", "_session")

    def __init__(self, session: OpenSession) -> None:
        self._session = session
        self._count = 0

    def tell(self, failure: ModelError, wait: float) -> None:
        """Append a notice, so that nobody takes a wait of up to a minute for a model that thinks."""
        self._count += 1
        if self._count.bit_count() != 1:
            return
        session = self._session
        message = f"The model is called again in {wait:.1f} s: {failure.message}"
        details = {"status": "retrying", "code": failure.code, "wait_seconds": round(wait, 3)}
        session.append([NoticeGiven(at=session.now(), message=message, details=details)])


def request_of(session: OpenSession, turn_id: str) -> ModelRequest:
    """Return the next call of the model."""
    state, settings = session.state, session.settings
    instructions = settings.instructions
    if state.notes:
        instructions = "\n\n".join([instructions, *state.notes] if instructions else state.notes)
    return ModelRequest(
        model=settings.model if isinstance(settings.model, str) else "",
        instructions=instructions,
        messages=tuple(state.history),
        tools=settings.toolbox.for_model,
        output=settings.output,
        temperature=settings.temperature,
        reasoning_effort=settings.reasoning_effort,
        first_output_timeout_seconds=settings.definition.first_output_timeout_seconds,
        session_id=session.session_id,
        turn_id=turn_id,
        on_retry=Retries(session).tell,
        wire=session.wire,
    )


async def receive(session: OpenSession, model: Model, request: ModelRequest) -> Reply:
    """Read a reply to its end and show its text as it comes. Raises ModelError for one that is not whole."""
    reply = Reply(len(request.messages))
    finished: ReplyFinished | None = None
    torn_down = False
    stream = model.stream(request)
    try:
        async for event in begun_in_time(stream, model, request, session.surroundings.clock):
            match checked(event):
                case TextChunk(text=text):
                    if text:
                        _show(session, request.turn_id, text, reply.seen)
                case ToolCallBlock(call=call):
                    reply.calls.append(call)
                case ReasoningBlock() as block:
                    reply.reasoning.append(block)
                case finish:
                    finished = finish
    except GeneratorExit:
        torn_down = True
        raise  # the loop is gone, and with it whatever could be waited for
    finally:
        if finished is None and not torn_down and (close := getattr(stream, "aclose", None)) is not None:
            await close()
    if finished is None:
        raise ModelError(
            "The model's stream ended before its reply was finished.", code="completion_failed", retryable=True
        )
    if finished.usage is None:
        raise ModelError(NO_USAGE, code="completion_failed_permanently")
    reply.finish = finished.reason
    reply.usage = usage_data(finished.usage)
    return reply


def reply_fact(
    session: OpenSession,
    turn_id: str,
    reply: Reply,
    *,
    text: str | None = None,
    drop: bool = False,
    feedback: str | None = None,
) -> ReplyEnded:
    """Return the fact of a complete reply. `text` takes the place of its own; a dropped reply does not count."""
    live = session.live
    calls = reply.calls if not drop else []
    cut = reply.finish == "length" and not drop
    if cut and not calls and feedback is None and session.state.turn(turn_id).shortened < MOST_SHORTER_REPLIES:
        feedback = ANSWER_SHORTER
    if text is None:
        text = live.text() if live else ""
    return ReplyEnded(
        at=session.now(),
        turn_id=turn_id,
        entry_id=live.entry_id if live else uuid7() if text else "",
        opened=live is not None,
        text=text,
        calls=_calls(session, calls, cut=cut) if calls else (),
        reasoning=tuple(Reasoning(entry_id=uuid7(), text=block.text, data=block.data) for block in reply.reasoning),
        finish="dropped" if drop else reply.finish,
        seen=reply.seen if len(session.state.history) > reply.seen else -1,
        usage=reply.usage,
        feedback=feedback,
    )


def give_up(session: OpenSession, turn_id: str, why: str, at: float) -> list[ReplyEnded]:
    """Return the fact that closes the reply being written, if one is."""
    if (live := session.live) is None:
        return []
    # A message that came meanwhile was not read: it follows what the model had said.
    seen = live.seen if len(session.state.history) > live.seen else -1
    text = live.text()
    return [ReplyEnded(at=at, turn_id=turn_id, entry_id=live.entry_id, opened=True, text=text, finish=why, seen=seen)]


def usage_data(usage: TokenUsage) -> UsageData:
    """Return token counts as the log keeps them."""
    return UsageData(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )


def _show(session: OpenSession, turn_id: str, text: str, seen: int) -> None:
    turn = session.state.active
    if turn is None or turn.turn_id != turn_id or turn.interrupting is not None:
        raise asyncio.CancelledError  # a model object that streams on through the end of its turn
    if (live := session.live) is None:
        entry_id = uuid7()
        live = LiveReply(entry_id, session.state.next_position, seen)
        session.append([ReplyOpened(at=session.now(), turn_id=turn_id, entry_id=entry_id)])
        session.live = live
    live.add(text)
    session.wake()


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
        resolved.append(structs.replace(request, problem=CUT_OFF) if cut else request)
    return tuple(resolved)
