"""Never run: both type checkers must refuse each line that ends by saying what is wrong with it, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from pydantic import BaseModel

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class City(BaseModel):
    name: str


@agents.tool
def lookup(alert_id: str) -> str:
    return alert_id


@agents.client_tool
def locate(user: str) -> City:
    raise NotImplementedError


def takes_a_number(user: int) -> City:
    return City(name=str(user))


def returns_a_number(user: str) -> int:
    return len(user)


async def returns_a_number_later(user: str) -> int:
    return len(user)


def approves_by_bool(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> bool:
    return True


def approves_alone(request: agents.ApprovalRequest) -> agents.AllowApproval:
    return agents.AllowApproval()


def signs_in_by_bool(sign_in: agents.OpenSignIn) -> bool:
    return True


def shows_nothing() -> None: ...


def definitions() -> None:
    agents.Agent()  # wrong: no model
    agents.Agent("mistral-large")  # wrong: keyword-only
    agents.Agent(model="m", nonsense=1)  # wrong: no such argument
    agents.Agent(model="m", temperature="warm")  # wrong: a number
    agents.Agent(model="m", permission_mode="maybe")  # wrong: none of the three
    agents.Agent(model="m", tools=[len])  # wrong: not a tool
    agents.Agent(model=object())  # wrong: no `stream`
    agents.tool(name=3)  # wrong: a string
    agents.tool(model_access="sometimes")  # wrong: none of the three
    agents.ToolAnnotations(readonly=True)  # wrong: read_only_hint
    agents.PermissionRule(tools=["*"], decision="perhaps")  # wrong: none of the three
    agents.UsageLimits(model_calls="3")  # wrong: a number
    agents.ToolCallEntries  # wrong: no such name # noqa: B018 - naming it is the mistake


def tools() -> None:
    lookup(1)  # wrong: a string
    lookup()  # wrong: alert_id is missing
    lookup("1").keys()  # wrong: it returns a string
    locate.answer(takes_a_number)  # wrong: the parameter's type
    locate.answer(returns_a_number)  # wrong: the return type
    locate.answer(returns_a_number_later)  # wrong: the return type
    locate.answer(lambda: City(name="Lyon"))  # wrong: no parameter
    agents.ClientToolAnswers(locate)  # wrong: the stub, not its answer
    locate.called("callback")  # wrong: an ID


async def callbacks(turn: agents.Turn, callback: agents.OpenCallback) -> None:
    callback.call.arguments  # wrong: not every callback is a call # noqa: B018 - reading it is the mistake
    await callback.run(takes_a_number)  # wrong: not checked with called
    if locate.called(callback):
        await callback.run(takes_a_number)  # wrong: the parameter's type
        await callback.run(returns_a_number)  # wrong: the return type
    await turn.answer(agents.AllowApproval())  # wrong: no ID
    agents.AllowApproval(scope="forever")  # wrong: none of the two
    agents.DenyApproval("no")  # wrong: keyword-only
    agents.SignInAnswer(connected="gmail", denied=3)  # wrong: sequences


async def runs(agent: agents.Agent[City], session: agents.Session, turn: agents.Turn) -> None:
    state = await agent.run("go")
    state.output  # wrong: only Completed has one # noqa: B018 - reading it is the mistake
    if isinstance(state, agents.Completed):
        state.output.name  # wrong: it may be None or InvalidOutput # noqa: B018 - reading it is the mistake
        state.text = "mine"  # wrong: frozen
    asked: agents.TurnState[int] = await agent.run("go")  # wrong: a City
    print(asked)
    await agent.run()  # wrong: no content
    await agent.run(3)  # wrong: no content of a turn
    await agent.run("go", timeout="1")  # wrong: a number
    await agent.run("go", on_approval=approves_by_bool)  # wrong: returns a bool
    await agent.run("go", on_approval=approves_alone)  # wrong: takes one argument
    await agent.run("go", on_sign_in=signs_in_by_bool)  # wrong: returns a bool
    await agent.run("go", on_event=shows_nothing)  # wrong: takes no event
    await agent.start_session(agent="other")  # wrong: a dict or a customization
    await session.run("go", output_type=int)  # wrong: a pydantic model
    ran = await session.run("go")
    ran.cursor  # wrong: Busy has none # noqa: B018 - reading it is the mistake
    await turn.result(after=3)  # wrong: a record or a cursor
    started = await session.start_turn("go")
    await started.result()  # wrong: it may be Busy
    await session.iter_events()  # wrong: not to be awaited
    agents.Session("id")  # wrong: an agent gives one


def saves() -> None:
    agents.local_runtime(journal_factory="sessions")  # wrong: a path is no directory of sessions
    agents.local_runtime(journal_factory=dict)  # wrong: it returns no store
    agents.local_runtime(journal_factory=City)  # wrong: it returns no store


def matches(state: agents.TurnState[str]) -> None:
    match state:
        case agents.Failed(reason=_):  # wrong: its field is error
            pass
        case agents.Running() | agents.Blocked() | agents.Completed() | agents.Interrupted():
            assert_never(state)  # wrong: it is one of them
        case _:
            pass


def handlers(later: Callable[[agents.ClientToolCall], Awaitable[object]]) -> None:
    agents.ClientToolAnswers(default=later, answers=[])  # wrong: no such argument
    agents.Completed(text="hi")  # wrong: fields are missing
    agents.ToolCall("lookup")  # wrong: no arguments
