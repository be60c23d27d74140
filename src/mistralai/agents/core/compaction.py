"""Compaction: the model's summary takes the place of the older part of a history that has grown too large."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import structs

from mistralai.agents.authoring.model import (
    AssistantMessage,
    ModelError,
    ReplyFinished,
    TextChunk,
    ToolCallBlock,
    ToolMessage,
    UserMessage,
)
from mistralai.agents.core.estimate import tokens_of, tokens_of_message
from mistralai.agents.core.facts import ErrorData, HistoryCompacted
from mistralai.agents.core.first_output import begun_in_time
from mistralai.agents.core.imported import leading
from mistralai.agents.core.model_events import checked
from mistralai.agents.core.reply import NO_USAGE, request_of, usage_data
from mistralai.agents.values.ids import uuid7

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import Model, ModelMessage, ModelRequest
    from mistralai.agents.core.facts import Fact, UsageData
    from mistralai.agents.core.ports import Clock
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import SessionState

ASK_FOR_SUMMARY: Final = (
    "Stop here: this conversation is getting too long to be sent again. Write what somebody needs to carry on with "
    "it who has nothing else to read. Keep, in this order: what the user wants, with every constraint and preference "
    "that was stated; what was decided and why; what was found out, with the exact names, numbers, ids, paths and "
    "quotations; which tools were called to what effect, and which of them failed; what is still to be done. An "
    "earlier summary goes into yours. Leave out greetings and what was superseded. Call no tool. Write the summary "
    "between <summary> and </summary>, and nothing outside of them."
)
SUMMARY_HEADING: Final = "What was said before, summarised:"
SHORTENINGS: Final = (None, 8_000, 2_000, 500)
"""The most characters a message has in the request for a summary, from the first attempt to the smallest."""
_SUMMARY = re.compile("<summary>(.*)</summary>", re.DOTALL)


class CompactionFailed(Exception):
    """The history could not be compacted, for a reason other than a failed call."""

    def __init__(self, code: str, message: str, usage: UsageData | None = None) -> None:
        super().__init__(message)
        self.error: ErrorData = ErrorData(message=message, code=code)
        self.usage = usage
        """What the summary took that cannot be used."""


def can_compact(session: OpenSession) -> bool:
    """Whether there is something that a summary can take the place of."""
    return _cut(session.state, None)[0] > 0


async def compact(session: OpenSession, model: Model) -> list[Fact]:
    """Let the model summarise the older part of the history. Returns the fact that replaces it.

    Raises CompactionFailed, and ModelError for a call that failed.
    """
    turn = session.state.active
    assert turn is not None
    threshold = session.settings.bounds.compact_above
    replaced, keeps_prompt = _cut(session.state, threshold)
    summary, usage = await _summarise(session, model, turn.turn_id, replaced, threshold)
    history = session.state.history
    lead = history[: leading(history)]
    kept = [*lead, *([history[turn.prompt_index]] if keeps_prompt else []), *history[replaced:]]
    size = tokens_of_message(UserMessage(content=summary)) + tokens_of(kept)
    if threshold is not None and size > threshold:
        raise CompactionFailed(
            "compaction_replacement_too_large",
            f"The summary and what the turn needs are about {size:,} tokens, over the threshold of {threshold:,}. "
            "Raise auto_compact_threshold, or start a new session.",
            usage,
        )
    return [
        HistoryCompacted(
            at=session.now(),
            turn_id=turn.turn_id,
            entry_id=uuid7(),
            summary=summary,
            replaced=replaced,
            prompt_kept=keeps_prompt,
            usage=usage,
        )
    ]


def _cut(state: SessionState, threshold: int | None) -> tuple[int, bool]:
    """Return how many of the oldest messages to replace, and whether the turn's prompt is kept of them.

    A call and its results are never parted, and the system messages at the history's beginning stay. What came before
    the turn goes first; where the turn itself is most of the context, so do its own steps, all but the last one, and
    its prompt stays as it was.
    """
    history, turn = state.history, state.active
    lead = leading(history)
    prompt = turn.prompt_index if turn is not None else len(history)
    own = history[prompt:]
    size = tokens_of(history)
    bound = size if threshold is None or (turn is not None and turn.too_large) else min(size, threshold)
    if prompt > lead and not _is_summary_alone(history, lead, prompt) and tokens_of(own) <= bound // 2:
        return prompt, False
    last = _last_step(history)
    if last > prompt + 1 and tokens_of(history[last:]) <= bound // 4:
        return last, True
    if len(own) > 1:
        return len(history), True
    return (prompt, False) if prompt > lead else (0, False)


def _is_summary_alone(history: list[ModelMessage], lead: int, prompt: int) -> bool:
    """Whether all that came before the turn is one summary already."""
    first = history[lead]
    return prompt == lead + 1 and isinstance(first, UserMessage) and first.context == "summary"


def _last_step(history: list[ModelMessage]) -> int:
    """Return where the last reply of the model begins, its results with it."""
    for index in range(len(history) - 1, -1, -1):
        if isinstance(history[index], AssistantMessage):
            return index
    return len(history)


async def _summarise(
    session: OpenSession, model: Model, turn_id: str, replaced: int, threshold: int | None
) -> tuple[str, UsageData]:
    messages = session.state.history[:replaced]
    refused: ModelError | None = None
    for most in SHORTENINGS:
        shortened = [_shortened(message, most) for message in messages]
        if threshold is not None and tokens_of(shortened) > threshold:
            continue
        request = structs.replace(
            request_of(session, turn_id),
            messages=[*shortened, UserMessage(content=ASK_FOR_SUMMARY, context="compaction")],
            output=None,
            tool_choice="none",
            wire={},
        )
        try:
            return await _read_summary(model, request, session.surroundings.clock)
        except ModelError as error:
            if error.code != "completion_context_too_large":
                raise
            refused = error
    if refused is None:
        raise CompactionFailed(
            "compaction_request_too_large",
            f"The history could not be compacted: what is to be summarised is over the threshold of {threshold:,} "
            "tokens even when shortened. Raise auto_compact_threshold, or start a new session.",
        )
    refused.retryable = True
    refused.details = {**(refused.details or {}), "reason": "minimal_summary_request"}
    raise refused


async def _read_summary(model: Model, request: ModelRequest, clock: Clock) -> tuple[str, UsageData]:
    text = ""
    called = False
    finished: ReplyFinished | None = None
    stream = model.stream(request)
    try:
        async for event in begun_in_time(stream, model, request, clock):
            match checked(event):
                case TextChunk(text=chunk):
                    text += chunk
                case ToolCallBlock():
                    called = True
                case ReplyFinished() as finish:
                    finished = finish
                case _:
                    pass
    finally:
        if finished is None and (close := getattr(stream, "aclose", None)) is not None:
            await close()
    if finished is None:
        raise ModelError(
            "The model's stream ended before its summary was finished.", code="completion_failed", retryable=True
        )
    if finished.usage is None:
        raise ModelError(NO_USAGE, code="completion_failed_permanently")
    usage = usage_data(finished.usage)
    if called:
        raise _invalid("called a tool instead of writing a summary", usage)
    if finished.reason == "length":
        raise _invalid("wrote a summary that was cut at the output limit", usage)
    if text.count("<summary>") != 1 or text.count("</summary>") != 1 or (found := _SUMMARY.search(text)) is None:
        raise _invalid("wrote no summary between one <summary> and one </summary>", usage)
    if not (summary := found[1].strip()):
        raise _invalid("wrote an empty summary", usage)
    return f"{SUMMARY_HEADING}\n<summary>\n{summary}\n</summary>", usage


def _invalid(what: str, usage: UsageData) -> CompactionFailed:
    return CompactionFailed(
        "invalid_compaction_summary", f"The history could not be compacted: the model {what}.", usage
    )


def _shortened(message: ModelMessage, most: int | None) -> ModelMessage:
    if most is None:
        return message
    if isinstance(message, AssistantMessage):
        return structs.replace(message, text=_middle_out(message.text, most))
    if isinstance(message, UserMessage | ToolMessage):
        content = message.content
        if isinstance(content, str):
            return structs.replace(message, content=_middle_out(content, most))
        blocks = [
            {**block, "text": _middle_out(str(block.get("text") or ""), most)}
            for block in content
            if block.get("type") == "text"
        ]
        return structs.replace(message, content=blocks or "[content that is no text]")
    return message


def _middle_out(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"
