"""Structured output as each provider is asked for it, through the server that the agent really calls."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mistralai import agents
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Call
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

type Mode = Literal["mistral", "openai", "anthropic"]
MODES: tuple[Mode, ...] = ("mistral", "openai", "anthropic")
CHAT: tuple[Mode, ...] = ("mistral", "openai")


class City(BaseModel):
    name: str
    population: int = 0
    twin: City | None = None


class Count(BaseModel):
    count: int


class Named(TypedDict):
    name: str


PARIS = '{"name": "Paris", "population": 2100000}'


@agents.tool
def look_up(name: str) -> str:
    """Look a city up."""
    return f"{name} is a city"


@asynccontextmanager
async def serving(mode: Mode, monkeypatch: pytest.MonkeyPatch, *script: Any) -> AsyncGenerator[StrictProvider]:
    """A server of a provider's that this process calls."""
    async with StrictProvider(mode, *script) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server
        assert server.violations == []


def format_of(request: dict[str, Any]) -> Any:
    return request.get("response_format")


class TestTheAgentsType:
    @pytest.mark.parametrize("mode", CHAT)
    async def test_constrains_every_call_of_chat_completions(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        script = [Answer(calls=(Call(name="look_up", arguments={"name": "Paris"}),)), Answer(text=PARIS)]
        async with serving(mode, monkeypatch, *script) as server:
            agent = agents.Agent(model="m", provider=mode, output_type=City, tools=[look_up])
            assert completed(await agent.run("Which city?")).output == City(name="Paris", population=2_100_000)
        first, second = map(format_of, server.requests)
        assert first == second
        assert first["type"] == "json_schema"
        described = first["json_schema"]
        assert (described["name"], described["strict"]) == ("City", True)

    @pytest.mark.parametrize("mode", CHAT)
    async def test_is_rewritten_to_what_strict_mode_takes(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(mode, monkeypatch, Answer(text=PARIS)) as server:
            await agents.Agent(model="m", provider=mode, output_type=City).run("Which city?")
        schema = format_of(server.requests[0])["json_schema"]["schema"]
        city = schema if "properties" in schema else schema["$defs"]["City"]
        assert city["required"] == ["name", "population", "twin"]
        assert city["additionalProperties"] is False
        assert "default" not in json.dumps(schema)

    @pytest.mark.parametrize("mode", CHAT)
    async def test_without_a_strict_form_is_sent_as_it_is(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(mode, monkeypatch, Answer(text='{"a": 1}')) as server:
            agent = agents.Agent(model="m", provider=mode, output_type=dict[str, int])
            assert completed(await agent.run("Count.")).output == {"a": 1}
        described = format_of(server.requests[0])["json_schema"]
        assert described["strict"] is False
        assert described["schema"]["additionalProperties"] == {"type": "integer"}

    async def test_is_asked_for_in_words_with_anthropic(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving("anthropic", monkeypatch, Answer(text=PARIS)) as server:
            agent = agents.Agent(model="m", provider="anthropic", output_type=City, instructions="Be brief.")
            assert completed(await agent.run("Which city?")).output == City(name="Paris", population=2_100_000)
        assert "response_format" not in server.requests[0]
        (system,) = server.requests[0]["system"]
        assert system["text"].startswith("Be brief.")
        assert '"population"' in system["text"]

    @pytest.mark.parametrize("mode", MODES)
    async def test_of_an_answer_that_does_not_fit_gives_a_value(
        self, mode: Mode, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with serving(mode, monkeypatch, Answer(text='{"name": 1}')):
            output = completed(await agents.Agent(model="m", provider=mode, output_type=City).run("Which?")).output
        assert isinstance(output, agents.InvalidOutput)
        assert output.raw == '{"name": 1}'
        assert "name" in output.error


class TestWhereItConstrains:
    """On the agent and on an in-process `agent.run`; elsewhere it only parses."""

    @pytest.mark.parametrize("mode", CHAT)
    async def test_the_type_of_a_run_wins_over_the_agents(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(mode, monkeypatch, Answer(text='{"name": "Lyon"}')) as server:
            agent = agents.Agent(model="m", provider=mode, output_type=City)
            assert completed(await agent.run("Which?", output_type=Named)).output == {"name": "Lyon"}
        assert format_of(server.requests[0])["json_schema"]["name"] == "Named"

    @pytest.mark.parametrize("mode", MODES)
    async def test_the_type_of_a_session_run_only_parses(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(mode, monkeypatch, Answer(text=PARIS)) as server:
            session = await agents.Agent(model="m", provider=mode).start_session()
            assert completed(await session.run("Which?", output_type=City)).output == City(
                name="Paris", population=2_100_000
            )
            await session.cancel()
        assert "population" not in json.dumps({**server.requests[0], "messages": server.requests[0]["messages"][-1]})
        assert format_of(server.requests[0]) is None

    @pytest.mark.parametrize("mode", CHAT)
    async def test_the_agents_type_constrains_the_turns_of_its_sessions(
        self, mode: Mode, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with serving(mode, monkeypatch, Answer(text=PARIS), Answer(text='{"count": 2}')) as server:
            session = await agents.Agent(model="m", provider=mode, output_type=City).start_session()
            await session.run("Which?")
            assert completed(await session.run("How many?", output_type=Count)).output == Count(count=2)
            await session.cancel()
        assert [format_of(request)["json_schema"]["name"] for request in server.requests] == ["City", "City"]

    @pytest.mark.parametrize("mode", CHAT)
    async def test_a_customized_session_is_asked_for_it_too(self, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(mode, monkeypatch, Answer(text=PARIS)) as server:
            agent = agents.Agent(model="m", provider=mode, output_type=City)
            session = await agent.start_session(agent={"instructions": "Be brief."})
            await session.run("Which?")
            await session.cancel()
        assert format_of(server.requests[0])["json_schema"]["name"] == "City"


class TestAnyTypeThatPydanticValidates:
    @pytest.mark.parametrize(
        ("output_type", "text", "output"),
        [
            (list[City], '[{"name": "Lyon"}]', [City(name="Lyon")]),
            (int, "7", 7),
            (bool, "false", False),
            (str, "plain words", "plain words"),
            (Literal["a", "b"], '"b"', "b"),
            (int | None, "null", None),
            (Annotated[int, Field(ge=3)], "4", 4),
            (tuple[int, str], '[1, "x"]', (1, "x")),
            (dict[str, list[int]], '{"a": [1]}', {"a": [1]}),
        ],
        ids=str,
    )
    @pytest.mark.parametrize("mode", MODES)
    async def test_is_sent_and_read(
        self, mode: Mode, output_type: Any, text: str, output: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with serving(mode, monkeypatch, Answer(text=text)):
            state = completed(await agents.Agent(model="m", provider=mode, output_type=output_type).run("Say it."))
        assert state.output == output
        assert type(state.output) is type(output)
