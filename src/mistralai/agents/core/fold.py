"""The fold: `apply` adds one fact to a session's state, `fold` a whole log. Nothing else changes a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from mistralai.agents.authoring.model import AssistantMessage, ModelToolCall, ToolMessage, UserMessage
from mistralai.agents.authoring.permissions import canonical
from mistralai.agents.core import state as phases
from mistralai.agents.core.facts import (
    CallbackOpened,
    CallbackSettled,
    CallEnded,
    CallPrepared,
    CallResumed,
    CallStarted,
    CompactionNeeded,
    HistoryCompacted,
    HookStateSaved,
    InterruptRequested,
    MessageAdded,
    ModelTold,
    NoticeGiven,
    ReplyEnded,
    SessionEnded,
    SessionStarted,
    TurnAccepted,
    TurnEnded,
    TurnPrepared,
    ValueRecorded,
)
from mistralai.agents.core.imported import leading, messages_of
from mistralai.agents.core.results import model_content
from mistralai.agents.core.state import CallbackState, CallState, SessionState, TurnProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mistralai.agents.authoring.model import ModelMessage
    from mistralai.agents.core.facts import Fact, UsageData


def fold(facts: Iterable[Fact]) -> SessionState:
    """Return the state that a whole log comes to."""
    state = SessionState()
    for fact in facts:
        apply(state, fact)
    return state


def apply(state: SessionState, fact: Fact) -> None:
    """Add the next fact of the log to the state."""
    handler = _HANDLERS.get(type(fact))
    if handler is not None:
        handler(state, fact)
    if width := fact.width():
        state.last_event = (state.next_position, width - 1)
    state.next_position += 1
    state.last_at = fact.at


def _session_started(state: SessionState, fact: SessionStarted) -> None:
    state.started = fact
    state.history.extend(messages_of(fact.history))
    for message in state.history:
        if isinstance(message, AssistantMessage):
            state.call_ids.update(call.id for call in message.tool_calls)


def _notice_given(state: SessionState, fact: NoticeGiven) -> None:
    if fact.told is not None:
        state.notes.append(fact.told)


def _turn_accepted(state: SessionState, fact: TurnAccepted) -> None:
    turn = TurnProgress(fact.turn_id, fact.content, fact.entry_id, state.next_position, len(state.history))
    state.turns[fact.turn_id] = state.active = turn
    if fact.key is not None:
        state.keys[fact.key] = (fact.turn_id, fact.content, True)
    state.history.append(UserMessage(content=fact.content))


def _message_added(state: SessionState, fact: MessageAdded) -> None:
    turn = state.turn(fact.turn_id)
    if fact.key is not None:
        state.keys[fact.key] = (fact.turn_id, fact.content, False)
    message = UserMessage(content=fact.content)
    if turn.open_calls:
        state.pending.append(message)
    else:
        state.history.append(message)
        turn.answered = False


def _turn_prepared(state: SessionState, fact: TurnPrepared) -> None:
    turn = state.turn(fact.turn_id)
    turn.prepared = True
    if fact.content is not None:
        state.history[turn.prompt_index] = UserMessage(content=fact.content)


def _reply_ended(state: SessionState, fact: ReplyEnded) -> None:
    if fact.finish == "crashed":
        return  # the model is asked again as if it had not been asked before
    turn = state.turn(fact.turn_id)
    _count(state, turn, fact.usage)
    if fact.finish == "unused":
        return
    turn.finish = fact.finish
    turn.model_calls += 1
    if fact.usage is not None:
        state.context_tokens = fact.usage.input_tokens + fact.usage.output_tokens
    turn.compacted = False
    if fact.entry_id and fact.finish != "dropped":
        turn.text = fact.text
    turn.shortened = turn.shortened + 1 if fact.finish == "length" else 0
    unseen = state.history[fact.seen :] if fact.seen >= 0 else []
    if unseen:
        del state.history[fact.seen :]
    if fact.finish != "dropped" and (fact.text or fact.calls):
        state.history.append(
            AssistantMessage(
                text=fact.text,
                tool_calls=tuple(ModelToolCall(id=c.call_id, name=c.name, arguments=c.raw) for c in fact.calls),
                reasoning=tuple(block.data for block in fact.reasoning if block.data),
            )
        )
    if fact.usage is not None:
        state.context_length = len(state.history)
    if fact.feedback is not None:
        unseen.insert(0, UserMessage(content=fact.feedback, context="feedback"))
    for call in fact.calls:
        progress = CallState(call, turn.turn_id, len(turn.calls) + 1)
        turn.calls.append(progress)
        turn.open_calls[call.call_id] = progress
        state.call_ids.add(call.call_id)
    turn.tool_calls += len(fact.calls)
    turn.unended = len(fact.calls)
    if fact.calls:
        state.pending.extend(unseen)
    else:
        state.history.extend(unseen)
        turn.answered = not unseen


def _call_prepared(state: SessionState, fact: CallPrepared) -> None:
    call = state.turn(fact.turn_id).open_calls[fact.call_id]
    call.phase = phases.PREPARED
    if fact.rewritten:
        call.arguments = fact.arguments


def _callback_opened(state: SessionState, fact: CallbackOpened) -> None:
    turn = state.turn(fact.turn_id)
    callback = CallbackState(fact, state.next_position)
    state.callbacks[fact.callback_id] = turn.open_callbacks[fact.callback_id] = callback
    if call := turn.open_calls.get(fact.call_id):
        call.phase = phases.WAITING


def _callback_settled(state: SessionState, fact: CallbackSettled) -> None:
    turn = state.turn(fact.turn_id)
    callback = turn.open_callbacks.pop(fact.callback_id)
    callback.settled = fact
    turn.drawn.clear()
    call = turn.open_calls.get(callback.opened.call_id)
    if call is not None and callback.opened.deferred and fact.answer is not None:
        call.phase = phases.ANSWERED
        call.answer = fact.answer
        return
    if callback.opened.kind != "approval" or call is None:
        return
    if fact.answer is None or fact.answer.get("type") != "allow":
        return
    call.phase = phases.APPROVED
    if (edited := fact.answer.get("arguments")) is not None:
        call.arguments = edited
    if fact.answer.get("scope") == "session":
        state.grants.add((call.call.tool_id, canonical(call.arguments)))


def _call_started(state: SessionState, fact: CallStarted) -> None:
    call = state.turn(fact.turn_id).open_calls[fact.call_id]
    call.phase = phases.STARTED
    call.started = True
    call.repeatable = fact.repeatable


def _call_resumed(state: SessionState, fact: CallResumed) -> None:
    state.turn(fact.turn_id).open_calls[fact.call_id].phase = phases.APPROVED


def _call_ended(state: SessionState, fact: CallEnded) -> None:
    turn = state.turn(fact.turn_id)
    call = turn.open_calls[fact.call_id]
    call.phase = phases.ENDED
    call.ended = fact
    if fact.fatal is not None and turn.fatal is None:
        turn.fatal = fact
    turn.unended -= 1
    if turn.unended:
        return
    for other in turn.open_calls.values():
        result = other.ended
        assert result is not None
        state.history.append(
            ToolMessage(
                tool_call_id=result.call_id,
                name=other.call.name,
                content=model_content(result),
                is_error=result.error is not None,
            )
        )
        other.ended = None
    turn.open_calls = {}
    state.history.extend(state.pending)
    state.pending.clear()


def _history_compacted(state: SessionState, fact: HistoryCompacted) -> None:
    turn = state.turn(fact.turn_id)
    prompt = [state.history[turn.prompt_index]] if fact.prompt_kept else []
    kept = state.history[fact.replaced :]
    lead = state.history[: leading(state.history)]
    state.history = [*lead, UserMessage(content=fact.summary, context="summary"), *prompt, *kept]
    state.generation += 1
    state.context_tokens = 0
    state.context_length = 0
    turn.prompt_index = len(lead) + max(1, turn.prompt_index - fact.replaced + 1)
    turn.too_large = False
    turn.compacted = True
    _count(state, turn, fact.usage)


def _count(state: SessionState, turn: TurnProgress, usage: UsageData | None) -> None:
    if usage is not None:
        turn.usage = usage if turn.usage is None else turn.usage + usage
        state.usage = usage if state.usage is None else state.usage + usage


def _model_told(state: SessionState, fact: ModelTold) -> None:
    state.turn(fact.turn_id).told.add(fact.text)
    history = state.history
    at = len(history)
    while at > state.context_length and _takes_no_note(history[at - 1]):
        at -= 1
    if at == state.context_length:
        # Before what the user said: the runtime never has the last word of a user's message.
        history.insert(at, UserMessage(content=fact.text, context="limits"))
        return
    last = history[at - 1]
    assert isinstance(last, ToolMessage | UserMessage)
    content = last.content
    told = f"{content}\n\n{fact.text}" if isinstance(content, str) else [*content, {"type": "text", "text": fact.text}]
    history[at - 1] = structs.replace(last, content=told)


def _takes_no_note(message: ModelMessage) -> bool:
    return not isinstance(message, ToolMessage) and not (isinstance(message, UserMessage) and message.context)


def _compaction_needed(state: SessionState, fact: CompactionNeeded) -> None:
    state.turn(fact.turn_id).too_large = True


def _value_recorded(state: SessionState, fact: ValueRecorded) -> None:
    state.turn(fact.turn_id).drawn[fact.name] = fact.value


def _hook_state_saved(state: SessionState, fact: HookStateSaved) -> None:
    state.hook_states.update(fact.states)


def _interrupt_requested(state: SessionState, fact: InterruptRequested) -> None:
    state.turn(fact.turn_id).interrupting = fact.cause


def _turn_ended(state: SessionState, fact: TurnEnded) -> None:
    turn = state.turn(fact.turn_id)
    if fact.prompt_unseen:
        del state.history[turn.prompt_index :]
        state.generation += 1
    elif fact.outcome == "completed" and fact.stop_reason is None and fact.text != turn.text:
        _answer_replaced(state, fact.text or "")
    turn.end = fact
    turn.end_position = state.next_position
    turn.text = fact.text
    turn.content = ""
    turn.drawn = {}
    turn.open_calls = {}
    turn.open_callbacks = {}
    state.active = None


def _answer_replaced(state: SessionState, text: str) -> None:
    """A hook put another answer in the place of the model's, which was sent in no call yet: later ones send the new."""
    last = state.history[-1]
    if isinstance(last, AssistantMessage) and not last.tool_calls:
        state.history[-1] = structs.replace(last, text=text)
    else:  # an empty reply is no message of the history
        state.history.append(AssistantMessage(text=text))


def _session_ended(state: SessionState, fact: SessionEnded) -> None:
    state.ended = fact


_HANDLERS: dict[type[Fact], Callable[[SessionState, Any], None]] = {
    SessionStarted: _session_started,
    NoticeGiven: _notice_given,
    TurnAccepted: _turn_accepted,
    MessageAdded: _message_added,
    TurnPrepared: _turn_prepared,
    ModelTold: _model_told,
    CompactionNeeded: _compaction_needed,
    ValueRecorded: _value_recorded,
    ReplyEnded: _reply_ended,
    CallPrepared: _call_prepared,
    CallbackOpened: _callback_opened,
    CallbackSettled: _callback_settled,
    CallStarted: _call_started,
    CallResumed: _call_resumed,
    CallEnded: _call_ended,
    HistoryCompacted: _history_compacted,
    HookStateSaved: _hook_state_saved,
    InterruptRequested: _interrupt_requested,
    TurnEnded: _turn_ended,
    SessionEnded: _session_ended,
}
