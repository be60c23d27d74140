"""Never run: type checkers prove here that tools, stubs and agents carry their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

from pydantic import BaseModel

from mistralai.agents.authoring.agent_definition import AgentDefinition
from mistralai.agents.authoring.client_tool import ClientTool, client_tool
from mistralai.agents.authoring.connectors import connector
from mistralai.agents.authoring.tool import Tool, tool
from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from mistralai.agents.values.callbacks import OpenCallback


class City(BaseModel):
    name: str


@tool
def lookup(alert_id: str, deep: bool = False) -> dict[str, str]:
    return {alert_id: str(deep)}


@tool(annotations=ToolAnnotations(read_only_hint=True), timeout_seconds=3)
async def fetch(url: str) -> City:
    return City(name=url)


@client_tool
def locate(user: str) -> City:
    raise NotImplementedError


@client_tool(name="where")
async def locate_later(user: str) -> City:
    raise NotImplementedError


class Desk:
    @tool
    def find(self, case: int) -> str:
        return str(case)

    @tool(name="later")
    async def find_later(self, case: int) -> str:
        return str(case)


def plain(user: str) -> City:
    return City(name=user)


async def waits(user: str) -> City:
    return City(name=user)


def result(user: str) -> ToolResult[City]:
    return ToolResult(structured=City(name=user))


def wrong_parameter(user: int) -> City:
    return City(name=str(user))


def wrong_return(user: str) -> int:
    return len(user)


async def wrong_wait(user: str) -> int:
    return len(user)


def tools_keep_their_signature() -> None:
    assert_type(lookup("1"), dict[str, str])
    assert_type(lookup("1", deep=True), dict[str, str])
    pending: Coroutine[Any, Any, City] = fetch("u")
    pending.close()
    assert_type(Desk().find(3), str)
    find: Tool[[int], str] = Desk().find
    find(3)
    Desk().find_later(case=3).close()
    lookup(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused
    lookup()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]  # refused
    Desk().find("3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused


def stubs_type_their_answers() -> None:
    stub: ClientTool[[str], City] = locate_later
    stub.answer(plain)
    for fn in (plain, waits):
        locate.answer(fn)
        locate_later.answer(fn)
    locate.answer(result)
    locate.answer(lambda user: City(name=user))
    locate.answer(wrong_parameter)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused
    locate.answer(wrong_return)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused
    locate_later.answer(wrong_wait)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused


async def a_called_callback_takes_only_a_fitting_function(callback: OpenCallback) -> None:
    if locate.called(callback):
        assert_type(await callback.run(plain), City | ToolResult[Any])
        await callback.run(waits)
        await callback.run(wrong_return)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused
        await callback.run(wrong_parameter)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # refused


def agents_carry_their_output_type() -> None:
    assert_type(AgentDefinition(model="m"), AgentDefinition[str])
    assert_type(AgentDefinition(model="m", output_type=None, name="x"), AgentDefinition[str])
    assert_type(AgentDefinition(model="m", output_type=City), AgentDefinition[City])
    assert_type(AgentDefinition(model="m", output_type=list[int]), AgentDefinition[list[int]])
    assert_type(AgentDefinition(model="m", output_type=int | None), AgentDefinition[Any])
    AgentDefinition(model="m", tools=[lookup, fetch, locate, Desk().find], connectors=[connector("gmail")])
    AgentDefinition(model="m", permission_mode="maybe")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]  # refused
    AgentDefinition(model="m", nonsense=1)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]  # refused
