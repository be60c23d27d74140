"""How a turn ends: the hooks that see its answer, and the facts that leave nothing of it open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from mistralai.agents.authoring.hook_decisions import PostAgentTurnHookAccept
from mistralai.agents.authoring.hook_subjects import AgentTurnResult
from mistralai.agents.core import calls, results, state as phases
from mistralai.agents.core.facts import CallbackSettled, SessionEnded, TurnEnded
from mistralai.agents.core.hooks import HookFailed, run_hooks
from mistralai.agents.core.model_step import failed_reply
from mistralai.agents.core.steps import EndTurn, next_step
from mistralai.agents.values.tool_calls import ToolCall

if TYPE_CHECKING:
    from mistralai.agents.core.facts import Fact
    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.core.state import TurnProgress

ENDING: Final = "ending"
"""The key of the work in which hooks see the answer."""


def end_facts(session: OpenSession, step: EndTurn) -> list[Fact]:
    """Return the facts that end the active turn with its answer, or with an error."""
    turn = session.state.active
    assert turn is not None
    at = session.now()
    ended = TurnEnded(
        at=at,
        turn_id=turn.turn_id,
        outcome="failed" if step.error else "completed",
        text=turn.text,
        stop_reason=step.stop_reason,
        error=step.error,
    )
    return [*close(session, turn, at), ended]


async def end_with_hooks(session: OpenSession, step: EndTurn) -> list[Fact]:
    """Let the hooks see the answer before the turn ends with it. A message that comes meanwhile is answered first."""
    turn = session.state.active
    assert turn is not None
    replies, text = turn.model_calls, turn.text
    made = tuple(ToolCall(call.call.name, call.call.arguments) for call in turn.calls)

    def take(decision: Any) -> bool:
        nonlocal text
        if isinstance(decision, PostAgentTurnHookAccept) and decision.content is not None:
            text = decision.content
        return False

    try:
        await run_hooks(session, "post_agent_turn", lambda: AgentTurnResult(content=text or "", tool_calls=made), take)
    except HookFailed as error:
        return failed_reply(session, turn.turn_id, error.error())
    if turn.model_calls != replies or not isinstance(next_step(session.state, session.settings.bounds), EndTurn):
        return []
    return [
        structs.replace(fact, text=text) if isinstance(fact, TurnEnded) else fact for fact in end_facts(session, step)
    ]


def ends_with_hooks(session: OpenSession, step: EndTurn) -> bool:
    """Whether hooks see the answer before the turn ends with it."""
    return step.error is None and bool(session.settings.hooks.at("post_agent_turn")) and ENDING not in session.works


def close(session: OpenSession, turn: TurnProgress, at: float) -> list[Fact]:
    """Return the facts that leave nothing of a turn open: no callback, no call without a result."""
    facts: list[Fact] = [
        CallbackSettled(at=at, turn_id=turn.turn_id, callback_id=callback_id, reason="turn_ended", last=False)
        for callback_id in turn.open_callbacks
    ]
    for call in turn.open_calls.values():
        if call.ended is None:
            text = results.INTERRUPTED_RUNNING if call.phase == phases.STARTED else results.INTERRUPTED
            facts.append(calls.failed(session, call, "interrupted", text, at=at))
    return facts


def append_end(session: OpenSession, facts: list[Fact]) -> None:
    """End the turn. A session that was made for it ends in the same append."""
    started = session.state.started
    if started is not None and started.ends_with_turn and not isinstance(facts[-1], SessionEnded):
        facts = [*facts, SessionEnded(at=facts[-1].at, termination="completed")]
    session.append(facts)
    if session.expiry is not None:
        session.expiry.cancel()
        session.expiry = None
