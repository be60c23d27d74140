"""Client tools: the stub, the answers it takes, and the call of an answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import BaseModel

from mistralai.agents.authoring.call_errors import OutputMismatch
from mistralai.agents.authoring.client_tool import ClientToolAnswers, client_tool
from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.session_input import SessionInput
from mistralai.agents.authoring.tool_context import ToolContext  # noqa: TC001  # read when a tool is declared
from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.requests import ClientToolCall
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable


class Place(BaseModel):
    city: str


class Org(SessionInput):
    input_id = "org"


@client_tool(annotations=ToolAnnotations(read_only_hint=True))
def locate(user: str, precise: bool = False, *, unit: str = "km") -> Place:
    """Where the user is."""
    raise NotImplementedError


@client_tool
def ask() -> str:
    """Ask the user."""
    raise NotImplementedError


async def in_thread(call: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(call)


def opened(tool_id: str) -> OpenClientToolCall[..., Any]:
    call = ClientToolCall(
        tool_id=tool_id, name="x", arguments={}, tool_call_id="c", session_id="s", turn_id="t", callback_id="b"
    )
    return OpenClientToolCall(id="b", session_id="s", turn_id="t", kind="client_tool", title=None, call=call)


class TestAStub:
    def test_is_derived_like_a_tool(self) -> None:
        assert (locate.id, locate.name, locate.description) == ("client.locate", "locate", "Where the user is.")
        assert list(locate.input_schema["properties"]) == ["user", "precise", "unit"]
        assert locate.output_schema is not None
        assert locate.annotations.read_only_hint is True

    def test_never_runs_its_body(self) -> None:
        with pytest.raises(SdkError, match=r"Use ask.answer\(fn\)"):
            ask()

    def test_knows_its_own_calls(self) -> None:
        approval: Any = OpenApproval(id="b", session_id="s", turn_id="t", kind="approval", title=None, request=None)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # not read
        assert locate.called(opened("client.locate"))
        assert not locate.called(opened("client.ask"))
        assert not locate.called(approval)

    def test_takes_nothing_that_only_the_agent_s_process_has(self) -> None:
        def here(ctx: ToolContext) -> str: ...  # type: ignore[empty-body]  # never runs
        def org(of: Annotated[Org, Depends()]) -> str: ...  # type: ignore[empty-body]  # never runs

        for function in (here, org):
            with pytest.raises(SdkError, match=r"which does not run a client tool"):
                client_tool(function)


class TestAnAnswer:
    def test_must_take_the_stub_s_parameters(self) -> None:
        def too_few(user: str) -> Place:
            return Place(city=user)

        with pytest.raises(SdkError, match=r"does not take its parameters \(user, precise, unit\)"):
            locate.answer(too_few)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test
        with pytest.raises(SdkError, match=r"takes a function"):
            locate.answer("Lyon")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test

    def test_is_found_by_the_tool_s_id(self) -> None:
        answers = ClientToolAnswers(ask.answer(lambda: "yes"))
        found = answers.find("client.ask")
        assert found is not None
        assert found.stub is ask
        assert answers.find("client.locate") is None
        assert answers.default is None

    def test_given_twice_is_refused(self) -> None:
        with pytest.raises(SdkError, match=r"client.ask has two answers"):
            ClientToolAnswers(ask.answer(lambda: "a"), ask.answer(lambda: "b"))

    def test_that_is_none_is_refused(self) -> None:
        function: Any = print
        with pytest.raises(SdkError, match=r"Pass stub.answer"):
            ClientToolAnswers(function)
        with pytest.raises(SdkError, match=r"default is 3"):
            ClientToolAnswers(default=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test


class TestRunningAnAnswer:
    async def test_calls_it_with_checked_arguments_and_the_stub_s_defaults(self) -> None:
        async def find(who: str, exact: bool, *, unit: str) -> Place:
            return Place(city=f"{who} {exact} {unit}")

        fn: Any = find
        assert await locate.run(fn, {"user": "ada"}, run_in_thread=in_thread) == Place(city="ada False km")

    async def test_runs_a_plain_function_in_a_thread(self) -> None:
        def find(user: str, precise: bool = False, *, unit: str = "") -> Place:
            with pytest.raises(RuntimeError):
                asyncio.get_running_loop()
            return Place(city=user)

        assert await locate.run(find, {"user": "ada"}, run_in_thread=in_thread) == Place(city="ada")

    async def test_awaits_what_a_plain_function_returns(self) -> None:
        async def later() -> str:
            return "later"

        assert await ask.run(lambda: later(), {}, run_in_thread=in_thread) == "later"

    async def test_with_arguments_that_do_not_fit_is_an_error_for_the_model(self) -> None:
        def never(user: str, precise: bool = False, *, unit: str = "") -> Place:
            raise AssertionError

        result = await locate.run(never, {"precise": "maybe"}, run_in_thread=in_thread)
        assert isinstance(result, ToolResult)
        assert result.is_error
        assert "user: is required" in str(result.content)

    async def test_raises_what_it_raises(self) -> None:
        def fails() -> str:
            raise LookupError("no")

        with pytest.raises(LookupError):
            await ask.run(fails, {}, run_in_thread=in_thread)


class TestAGivenAnswer:
    def test_is_checked_against_the_return_type(self) -> None:
        assert locate.check_answer({"city": "Lyon"}) == ToolResult(structured={"city": "Lyon"})
        assert locate.check_answer(Place(city="Lyon")) == ToolResult(structured={"city": "Lyon"})
        with pytest.raises(OutputMismatch, match=r"city: is required"):
            locate.check_answer({"town": "Lyon"})

    @pytest.mark.parametrize("value", [False, 0, None, [], {}, 0.0])
    def test_may_be_anything_that_is_false(self, value: Any) -> None:
        @client_tool
        def anything() -> Any: ...

        assert anything.check_answer(value) == ToolResult(structured=value)

    def test_is_not_checked_where_the_stub_has_its_own_output_schema(self) -> None:
        @client_tool(output_schema={"type": "integer"})
        def count() -> int: ...  # type: ignore[empty-body]  # never runs

        assert count.check_answer([1]) == ToolResult(structured=[1])
        assert not count.checks_answers
        with pytest.raises(OutputMismatch):
            count.encode_result([1])
