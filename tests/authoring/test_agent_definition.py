"""The agent's arguments: defaults, checks, and that nothing changes afterwards."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from mistralai.agents.authoring.agent_definition import AgentDefinition, SessionAgentCustomization
from mistralai.agents.authoring.agent_options import AgentOptions
from mistralai.agents.authoring.builtins import Builtins, ProgrammaticToolCallingConfig
from mistralai.agents.authoring.client_tool import client_tool
from mistralai.agents.authoring.connectors import RemoteMCP, StdioMCP, all_connectors, connector
from mistralai.agents.authoring.environment import MistralSandbox, NoSandbox
from mistralai.agents.authoring.hook import Hook
from mistralai.agents.authoring.permissions import PermissionPolicy
from mistralai.agents.authoring.secrets import MistralSecret
from mistralai.agents.authoring.skills import LocalSkillBundle, RegistrySkill, all_registry_skills
from mistralai.agents.authoring.subagent import Subagent, SubagentPolicy
from mistralai.agents.authoring.tool import tool
from mistralai.agents.values.errors import SdkError, UnsupportedAgentFeatureError
from mistralai.agents.values.turn_states import InvalidOutput
from mistralai.agents.values.usage import UsageLimits

if TYPE_CHECKING:
    from pathlib import Path


@tool
def lookup(x: int) -> int:
    return x


class Answer(BaseModel):
    city: str


@dataclass
class Point:
    x: int


class FakeModel:
    def stream(self, request: Any, /) -> Any: ...


def define(**options: Any) -> AgentDefinition[Any]:
    given: Any = {"model": "m", **options}
    return AgentDefinition(**given)


class TestAnAgent:
    def test_has_the_defaults_of_its_page(self) -> None:
        agent = AgentDefinition(model="mistral-large-4")
        held = {key: getattr(agent, key) for key in inspect.signature(AgentDefinition).parameters}
        assert held == {
            "model": "mistral-large-4", "name": "default_agent", "instructions": None, "description": None, "tools": (),
            "output_type": None, "permission_mode": "auto", "permission_policy": None, "tool_errors": "model",
            "max_iterations": None, "temperature": None, "reasoning_effort": None, "provider": "mistral",
            "first_output_timeout_seconds": None, "auto_compact_threshold": None, "hooks": (), "guardrails": (),
            "subagents": (), "subagent_policy": None, "builtins": Builtins(), "environment": NoSandbox(), "skills": (),
            "connectors": (), "mcps": {}, "secrets": {}, "limits": None,
        }  # fmt: skip

    def test_types_every_argument_it_takes(self) -> None:
        taken = set(inspect.signature(AgentDefinition).parameters)
        assert taken == {*AgentOptions.__annotations__, "model", "output_type"}

    def test_keeps_what_it_was_given(self) -> None:
        policy = PermissionPolicy()
        agent = define(
            tools=[lookup], permission_policy=policy, temperature=0, limits=UsageLimits(tool_calls=1), model=FakeModel()
        )
        assert agent.tools == (lookup,)
        assert agent.permission_policy is policy

    def test_never_changes(self) -> None:
        agent = define()
        with pytest.raises(AttributeError, match=r"Cannot set 'name'"):
            agent.name = "other"
        with pytest.raises(AttributeError, match=r"Cannot delete 'name'"):
            del agent.name

    def test_shows_its_name_and_its_model(self) -> None:
        assert repr(define(name="a")) == "AgentDefinition(name='a', model='m')"

    @pytest.mark.parametrize(
        ("argument", "value"),
        [
            ("model", ""), ("model", None), ("model", FakeModel), ("name", ""), ("name", "a/b"), ("name", "a\nb"),
            ("instructions", 3), ("description", b"x"), ("tools", lookup), ("tools", [print]), ("tools", None),
            ("output_type", object()), ("permission_mode", "maybe"), ("permission_policy", {}), ("tool_errors", "x"),
            ("max_iterations", 0), ("max_iterations", True), ("temperature", 2.1), ("temperature", "hot"),
            ("reasoning_effort", "huge"), ("provider", "acme"), ("first_output_timeout_seconds", 0),
            ("auto_compact_threshold", -1), ("hooks", [lookup]), ("hooks", [Hook]), ("guardrails", Hook()),
            ("builtins", False), ("connectors", ["gmail"]), ("connectors", [3]), ("limits", {}),
        ],
    )  # fmt: skip
    def test_refuses_a_bad_value_and_names_the_argument(self, argument: str, value: Any) -> None:
        with pytest.raises(SdkError, match=rf"Agent.*{argument}"):
            define(**{argument: value})

    def test_refuses_an_unknown_keyword(self) -> None:
        with pytest.raises(TypeError, match=r"^Agent\(\) .*instruction"):
            define(instruction="x")

    def test_refuses_a_temperature_for_a_provider_without_one(self) -> None:
        with pytest.raises(SdkError, match='provider "anthropic" does not take'):
            define(provider="anthropic", temperature=1)

    def test_refuses_a_tool_that_is_a_method_of_no_instance(self) -> None:
        class Desk:
            @tool
            def look(self, x: int) -> int:
                return x

        with pytest.raises(SdkError, match=r"has no instance"):
            define(tools=[Desk.look])
        assert define(tools=[Desk().look]).tools[0].id == "client.look"


class TestToolsOfOneName:
    def test_are_refused(self) -> None:
        @client_tool(name="lookup")
        def other() -> str: ...  # type: ignore[empty-body]  # never runs

        with pytest.raises(SdkError, match=r"two tools have the ID 'client.lookup'"):
            define(tools=[lookup, other])
        with pytest.raises(SdkError, match=r"'client.lookup'"):
            define(tools=[lookup, lookup])

    def test_are_refused_where_a_hook_brings_one(self) -> None:
        assert define(hooks=[Hook(tools=(lookup,))]).all_tools == (lookup,)
        with pytest.raises(SdkError, match=r"'client.lookup'"):
            define(tools=[lookup], guardrails=[Hook(tools=(lookup,))])


class TestWhatIsNotBuilt:
    @pytest.mark.parametrize(
        ("argument", "value"),
        [
            ("subagents", [Subagent(name="a", description="b", instructions="c")]),
            ("subagent_policy", SubagentPolicy()),
            ("builtins", Builtins(programmatic_tool_calling=ProgrammaticToolCallingConfig())),
            ("builtins", Builtins(background_processes=True)),
            ("environment", "a sandbox"),
            ("skills", ["x"]),
            ("mcps", {"a": RemoteMCP(url="https://example.com")}),
            ("secrets", {"A": MistralSecret.workspace("a")}),
        ],
    )
    def test_is_refused_rather_than_left_out(self, argument: str, value: Any) -> None:
        with pytest.raises(UnsupportedAgentFeatureError, match=rf"{argument}="):
            define(**{argument: value})

    def test_may_be_turned_off(self) -> None:
        assert define(builtins=Builtins.none(), subagents=[], mcps={}).builtins == Builtins.none()

    def test_of_the_vendor_s_cloud_is_refused_where_it_is_named(self) -> None:
        for make in (MistralSandbox, lambda: RegistrySkill("x"), all_registry_skills):
            with pytest.raises(UnsupportedAgentFeatureError):
                make()


class TestAnOutputType:
    def test_reads_an_answer(self) -> None:
        output = define(output_type=Answer).output
        assert output is not None
        assert output.name == "Answer"
        assert output.schema["required"] == ["city"]
        assert output.parse('{"city": "Lyon"}') == Answer(city="Lyon")
        assert output.parse('```json\n{"city": "Lyon"}\n```') == Answer(city="Lyon")

    def test_of_any_kind_is_read(self) -> None:
        for declared, text, value in (
            (Point, '{"x": 1}', Point(1)),
            (list[int], "[1]", [1]),
            (int | None, "null", None),
            (str, "Lyon", "Lyon"),
            (str, '"Lyon"', "Lyon"),
        ):
            output = define(output_type=declared).output
            assert output is not None
            assert output.parse(text) == value

    def test_that_the_answer_does_not_fit_gives_an_invalid_output(self) -> None:
        output = define(output_type=Answer).output
        assert output is not None
        read = output.parse("Lyon")
        assert isinstance(read, InvalidOutput)
        assert read.raw == "Lyon"
        assert output.parse("{}") == InvalidOutput(raw="{}", error="city: is required")

    def test_is_none_for_text(self) -> None:
        assert define().output is None


class TestWhatASessionChanges:
    def test_is_taken_as_a_dict_or_a_record(self) -> None:
        assert SessionAgentCustomization.of(None) == SessionAgentCustomization()
        changed = SessionAgentCustomization(model="other", max_iterations=3)
        assert SessionAgentCustomization.of({"model": "other", "max_iterations": 3}) == changed
        assert SessionAgentCustomization.of(changed) is changed

    @pytest.mark.parametrize("given", [{"tools": []}, {"temperature": 3}, {"model": ""}, {"max_iterations": 0}, "x"])
    def test_that_is_wrong_is_refused(self, given: Any) -> None:
        with pytest.raises(SdkError):
            SessionAgentCustomization.of(given)


class TestPartsOfADefinition:
    def test_a_connector_is_named_once(self) -> None:
        assert define(connectors=[connector("a"), connector("b")]).connectors == (connector("a"), connector("b"))
        assert all_connectors(exclude=["slack"]).exclude == ("slack",)
        with pytest.raises(SdkError, match=r"names 'gmail' twice"):
            define(connectors=[connector("gmail"), connector("gmail")])

    @pytest.mark.parametrize(
        "make",
        [
            lambda: connector(""),
            lambda: connector("a", auto_auth=1),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test
            lambda: all_connectors(max_connectors=0),
            lambda: all_connectors(exclude="a"),
            lambda: RemoteMCP(url="ftp://a"),
            lambda: RemoteMCP(url="https://a", tool_timeout_seconds=0),
            lambda: StdioMCP(command=""),
            lambda: StdioMCP(command="a", env={"A": 1}),  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]  # the point of the test
            lambda: MistralSecret.workspace(""),
            lambda: Subagent(name="", description="b", instructions="c"),
            lambda: SubagentPolicy(max_depth=-1),
            lambda: SubagentPolicy(idle_message_starts="all"),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test
            lambda: Builtins(skills=1),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # the point of the test
        ],
    )
    def test_a_bad_value_is_refused(self, make: Any) -> None:
        with pytest.raises(SdkError):
            make()

    def test_a_skill_is_a_directory_with_its_file(self, tmp_path: Path) -> None:
        with pytest.raises(SdkError, match=r"has no SKILL.md"):
            LocalSkillBundle.from_directory(tmp_path)
        (tmp_path / "SKILL.md").write_text("---\nname: a\n---\n")
        assert LocalSkillBundle.from_directory(tmp_path).directory == tmp_path
