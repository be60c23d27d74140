"""Never run: type checkers prove here what the public interface gives to who uses it from `mistralai.agents`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, assert_never, assert_type

from pydantic import BaseModel

from mistralai import agents
from mistralai.agents.values.json_value import JsonValue

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence


class City(BaseModel):
    name: str


class Tenant(agents.SessionInput):
    input_id = "tenant"
    org: str


@agents.tool
def lookup(alert_id: str, deep: bool = False) -> dict[str, str]:
    return {alert_id: str(deep)}


@agents.tool(name="fetch_city", timeout_seconds=3)
async def fetch(url: str) -> City:
    return City(name=url)


@agents.client_tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def locate(user: str) -> City:
    raise NotImplementedError


@agents.client_tool
async def ask_user(question: str, choices: int = 2) -> int:
    raise NotImplementedError


def find_user(user: str) -> City:
    return City(name=user)


async def find_user_later(user: str) -> City | agents.ToolResult[City]:
    return City(name=user)


def tools_are_called_like_their_functions() -> None:
    assert_type(lookup("1"), dict[str, str])
    assert_type(lookup(alert_id="1", deep=True), dict[str, str])
    later: Coroutine[Any, Any, City] = fetch("u")
    later.close()
    assert_type(lookup.id, str)
    assert_type(lookup.annotations, agents.ToolAnnotations)
    assert_type(lookup.annotations.read_only_hint, bool | None)
    tools: list[agents.Tool[..., Any] | agents.ClientTool[..., Any]] = [lookup, fetch, locate, ask_user]
    agents.Agent(model="m", tools=tools)


def stubs_take_functions_of_their_parameters() -> None:
    assert_type(locate.answer(find_user), agents.ClientToolAnswer)
    locate.answer(find_user_later)
    locate.answer(lambda user: City(name=user))
    ask_user.answer(lambda question, choices=2: len(question) + choices)
    agents.ClientToolAnswers(locate.answer(find_user), default=lambda call: call.arguments)


async def a_called_callback_runs_what_fits(turn: agents.Turn, callback: agents.OpenCallback) -> None:
    match callback:
        case agents.OpenApproval(request=request, title=title):
            assert_type(request, agents.ApprovalRequest)
            assert_type(request.tool.id, str)
            assert_type(request.expires_at, datetime | None)
            assert_type(title, str | None)
        case agents.OpenSignIn(requests=requests):
            assert_type(requests, tuple[agents.SignInRequest, ...])
        case agents.UnknownOpenCallback(kind=kind, raw=raw):
            assert_type(kind, str)
            assert_type(raw, dict[str, JsonValue])
        case _ if locate.called(callback):
            assert_type(callback.call, agents.ClientToolCall)
            assert_type(await callback.run(find_user), City | agents.ToolResult[Any])
            outcome = await turn.answer(callback.id, await callback.run(find_user_later))
            assert_type(outcome, agents.Answered | agents.AlreadySettled | agents.NotFound)
        case _:
            assert_type(callback.id, str)


def agents_carry_the_type_of_their_answers(whole: agents.Agent) -> None:
    assert_type(whole, agents.Agent[str])
    assert_type(agents.Agent(model="m"), agents.Agent[str])
    assert_type(agents.Agent(model="m", name="a", output_type=None), agents.Agent[str])
    assert_type(agents.Agent(model="m", output_type=City), agents.Agent[City])
    assert_type(agents.Agent(model="m", output_type=list[City]), agents.Agent[list[City]])
    assert_type(agents.Agent(model="m", output_type=City | None), agents.Agent[Any])


async def a_run_gives_the_record_of_that_type(planner: agents.Agent[City], plain: agents.Agent) -> None:
    assert_type(await plain.run("go"), agents.TurnState[str])
    assert_type(await planner.run("go", timeout=1), agents.TurnState[City])
    assert_type(await planner.run("go", output_type=None), agents.TurnState[City])
    assert_type(await planner.run("go", output_type=int, idempotency_key="k"), agents.TurnState[int])
    assert_type(await planner.run([{"type": "text", "text": "go"}], output_type=int | str), agents.TurnState[Any])
    state = await planner.run([agents.TextContentBlock(text="go")], session_inputs={"tenant": Tenant(org="o")})
    assert_type(state.text, str | None)
    assert_type((state.session_id, state.turn_id, state.cursor), tuple[str, str, str])
    if isinstance(state, agents.Completed):
        assert_type(state.output, City | agents.InvalidOutput | None)
        assert_type(state.tool_calls, tuple[agents.ToolCall, ...])
        assert_type(state.stop_reason, str | None)


def a_match_over_a_record_is_exhaustive(state: agents.TurnState[City]) -> str | None:
    match state:
        case agents.Running(text=text):
            return text
        case agents.Blocked(callbacks=callbacks):
            assert_type(callbacks, tuple[agents.OpenCallback, ...])
            return callbacks[0].title
        case agents.Completed(text=text, output=output):
            match output:
                case City(name=name):
                    return name
                case agents.InvalidOutput(error=error):
                    return error
                case None:
                    return text
                case _:
                    assert_never(output)
        case agents.Interrupted(cause=cause):
            return cause
        case agents.Failed(error=error):
            assert_type(error, agents.ProtocolError)
            return error.code
        case agents.UnknownOutcome(outcome=outcome):
            return outcome
        case _:
            assert_never(state)


def records_are_read_as_wider_ones(state: agents.TurnState[City]) -> agents.TurnState[object]:
    return state


async def sessions_and_turns_say_what_they_return(session: agents.Session) -> None:
    ran = await session.run("go", output_type=City)
    assert_type(ran, agents.TurnState[Any] | agents.Busy)
    assert_type(ran.text, str | None)
    if isinstance(ran, agents.Busy):
        assert_type(ran.turn, agents.Turn)
        assert_type(ran.active_turn_id, str)
        return
    assert_type(ran, agents.TurnState[Any])
    started = await session.start_turn("go", idempotency_key="k")
    assert_type(started, agents.Turn | agents.Busy)
    turn = started.turn if isinstance(started, agents.Busy) else started
    assert_type(await session.send_message("more"), agents.Turn)
    assert_type(session.turn(turn.id), agents.Turn)
    assert_type(turn.started, bool | None)
    assert_type(turn.session, agents.Session)
    assert_type(await turn.get(), agents.TurnState[Any])
    state = await turn.result(output_type=City, after=ran, timeout=1.5, on_event=show)
    assert_type(state, agents.TurnState[Any])
    assert_type(await turn.steer("left"), agents.Turn | agents.TurnConflict)
    stopped = await turn.interrupt()
    if isinstance(stopped, agents.TurnConflict):
        assert_type(stopped.active_turn_id, str | None)
    assert_type(await turn.usage(), agents.TokenUsage)
    assert_type(await session.history(), tuple[agents.Entry, ...])
    assert_type(await session.info(), agents.SessionInfo)
    assert_type(await session.subagents(), list[agents.Session])
    assert_type(session.iter_events(after="cursor"), AsyncIterator[agents.Event])
    async for event in turn.iter_events(after=state):
        assert_type(event, agents.Event)
    await session.cancel()


def show(event: agents.Event) -> None:
    match event:
        case agents.TextDelta(entry_id=entry_id, text=text):
            assert_type((entry_id, text), tuple[str, str])
        case agents.CallbackOpened(callback=callback):
            assert_type(callback, agents.OpenCallback)
        case agents.TurnEnded(state=state):
            assert_type(state, agents.TurnState[Any])
        case agents.EntryAdded(entry=agents.ToolResultEntry(error=error)):
            assert_type(error, agents.ProtocolError | None)
        case _:
            assert_type(event.created_at, datetime)


async def show_later(event: agents.Event) -> None:
    show(event)


def approve(
    ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest
) -> agents.AllowApproval | agents.DenyApproval | agents.KeepCallbackOpen:
    assert_type(ctx.input(Tenant), Tenant)
    return agents.AllowApproval(scope="session") if request.agent_name else agents.DenyApproval(message="no")


async def approve_later(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
    return agents.AllowApproval(arguments={"alert_id": "1"})


def sign_in(asked: agents.OpenSignIn) -> agents.SignInAnswer:
    return agents.SignInAnswer(denied=[request.id for request in asked.requests])


async def answer_later(call: agents.ClientToolCall) -> JsonValue:
    return call.arguments


async def handlers_may_be_async_and_answer_less(
    agent: agents.Agent[Any], history: Sequence[agents.HistoryImportEntry | Mapping[str, Any]]
) -> None:
    await agent.run("go", on_approval=approve, on_sign_in=sign_in, on_client_tool=answer_later, on_event=show_later)
    agent.session("s", on_approval=approve_later)
    session = await agent.start_session(
        on_approval=approve_later,
        on_client_tool=agents.ClientToolAnswers(
            locate.answer(find_user), ask_user.answer(lambda question, choices=2: 1)
        ),
        agent={"temperature": 0.5},
        session_inputs={"tenant": Tenant(org="o")},
        history=history,
    )
    assert_type(session, agents.Session)
    with agent.override(model=agents.testing.ScriptedModel([agents.testing.reply("hi")])) as same:
        assert_type(same, agents.Agent[Any])


async def places_say_what_they_hold() -> None:
    async with agents.local_runtime(keep_ended_sessions=10) as runtime:
        assert_type(runtime, agents.LocalRuntime)
        assert_type(runtime.statistics(), agents.LocalRuntimeStatistics)
        assert_type(await runtime.drain(5), bool)
    async for info in agents.list_sessions(host="local", status="waiting"):
        assert_type(info.status, str)
        assert_type(info.termination, agents.Termination | None)


def sessions_are_saved(
    directory: agents.experimental.JournalDirectory, store: agents.experimental.JournalStore
) -> None:
    agents.local_runtime(journal_factory=directory)
    agents.local_runtime(journal_factory=lambda: directory)
    agents.local_runtime(journal_factory=lambda: store)
    agents.local_runtime(journal_factory=None)


def values_are_read_back_as_their_type(text: str) -> None:
    assert_type(agents.from_json(agents.Failed, text), agents.Failed)
    assert_type(agents.to_json(agents.AllowApproval()), str)
