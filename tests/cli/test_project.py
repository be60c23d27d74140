"""Tests of finding and loading the project's agent, through `agents info`."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from mistralai.agents.cli.project import find_entrypoint

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Project, Run

TWO = """
    first = agents.Agent(name="first", model="m")
    second = agents.Agent(name="second", model="m", provider="openai")
"""


def info(run: Run, *arguments: str, **variables: str) -> Any:
    return json.loads(run("info", "--json", *arguments, **variables).stdout)


class TestFindingTheAgent:
    def test_it_is_agent_in_main(self, project: Project, run: Run) -> None:
        project.says("reply('x')")
        assert info(run)["agent"]["where"] == "main:agent"

    def test_the_settings_name_another_place(self, project: Project, run: Run) -> None:
        project.write(TWO)
        settings = '[tool.mistralai.agents]\nentrypoint = "main:second"\n'
        (project.directory / "pyproject.toml").write_text(settings)
        assert info(run)["agent"]["name"] == "second"

    def test_a_package_may_hold_it(self, project: Project, run: Run) -> None:
        package = project.directory / "desk"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "staff.py").write_text(
            "from mistralai import agents\nclerk = agents.Agent(name='clerk', model='m')\n"
        )
        assert info(run, "desk.staff:clerk")["agent"]["name"] == "clerk"

    def test_a_path_names_a_directory_or_a_file(self, project: Project, run: Run, tmp_path: Path) -> None:
        project.says("reply('x')")
        for path in (project.directory, project.directory / "main.py"):
            assert info(run, str(path))["agent"]["name"] == "tester"

    def test_a_name_chooses_among_several(self, project: Project, run: Run) -> None:
        project.write(
            """
            agent = agents.Agent(name="first", model=ScriptedModel([reply("I am first.")]))
            other = agents.Agent(name="second", model=ScriptedModel([reply("I am second.")]))
            """
        )
        assert "I am second." in run("chat", "second", "-m", "hi").stdout
        assert "I am first." in run("chat", "-m", "hi").stdout
        refused = run("chat", "third", "-m", "hi")
        assert refused.returncode == 2
        assert refused.stderr == "agents: main has no agent named 'third'. It has first, second.\n"

    @pytest.mark.parametrize("name", ["json.py", "asyncio.py", "typing.py", "agent.v2.py", "my-agent.py", "é.py"])
    def test_a_file_is_that_file_whatever_its_name(self, name: str, project: Project, run: Run) -> None:
        project.says("reply('I am the file.')")
        (project.directory / "main.py").rename(project.directory / name)
        assert "I am the file." in run("chat", "--agent", name, "-m", "hi").stdout

    def test_two_of_one_name_are_not_told_apart_and_it_says_so(self, project: Project, run: Run) -> None:
        project.write(
            """
            first = agents.Agent(model=ScriptedModel([reply("I am first.")]))
            second = agents.Agent(model=ScriptedModel([reply("I am second.")]))
            same = third = agents.Agent(name="third", model=ScriptedModel([reply("I am third.")]))
            """
        )
        for arguments in (("chat", "default_agent", "-m", "hi"), ("inbox",)):
            refused = run(*arguments)
            assert refused.returncode == 1
            assert refused.stderr.startswith(
                "agents: main has 2 agents named 'default_agent': first, second. Give each"
            )
        assert "I am third." in run("chat", "third", "-m", "hi").stdout


class TestWhatKeepsItFromBeingLoaded:
    @pytest.mark.parametrize(
        ("source", "said"),
        [
            (
                "import not_there\n",
                "main cannot be imported: ModuleNotFoundError: No module named 'not_there'. Install",
            ),
            ("agent = \n", "main cannot be imported: SyntaxError: invalid syntax (main.py, line"),
            ("raise SystemExit(3)\n", "main cannot be imported: SystemExit: 3 (main.py:"),
            ("class Odd(BaseException): ...\nraise Odd('so')\n", "main cannot be imported: Odd: so (main.py:"),
            ("import asyncio\nraise asyncio.CancelledError\n", "main cannot be imported: CancelledError (main.py:"),
            ("agent = 'me'\n", "agent in main is str, not an agents.Agent."),
            ("", "main has no 'agent'. Define one: agent = agents.Agent(...)."),
            (dedent(TWO), "main has no 'agent'. Define one: agent = agents.Agent(...). It has first, second: choose"),
        ],
    )
    def test_is_said_in_one_line(self, source: str, said: str, project: Project, run: Run) -> None:
        project.write(source)
        done = run("chat", "-m", "hi")
        assert done.returncode == 1
        assert done.stderr.startswith(f"agents: {said}")
        assert done.stderr.count("\n") == 1
        assert info(run)["problem"].startswith(said)

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ("[tool", "pyproject.toml cannot be read: TOMLDecodeError"),
            ("[tool.mistralai.agents]\nentrypoint = 3", 'is 3. Write "module:attribute".'),
            ("[tool.mistralai.agents]\nentrypoint = 'main'", "pyproject.toml: 'main' is no entry point."),
            ("[tool.mistralai.agents]\nentrypoint = 'gone:agent'", "names the module gone, which is not in"),
        ],
    )
    def test_may_be_the_settings(self, settings: str, said: str, project: Project, run: Run) -> None:
        (project.directory / "pyproject.toml").write_text(settings)
        done = run("chat", "-m", "hi")
        assert done.returncode == 1
        assert said in done.stderr

    def test_may_be_ctrl_c(self, project: Project, run: Run) -> None:
        project.write("raise KeyboardInterrupt\n")
        done = run("chat", "-m", "hi")
        assert done.returncode == 130
        assert done.stderr.split("\n") == ["agents: stopped", ""]

    @pytest.mark.parametrize("where", [":", "main:", ":agent", "main:an agent"])
    def test_may_be_an_entry_point_that_is_none(self, where: str, run: Run) -> None:
        done = run("chat", "--agent", where, "-m", "hi")
        assert done.returncode == 2
        assert done.stderr.startswith(f"agents: --agent: {where!r} is no entry point.")

    def test_may_be_a_package_that_is_not_there(self, run: Run) -> None:
        assert "names the module gone.away, which is not in" in run("chat", "--agent", "gone.away:agent").stderr

    def test_may_be_that_there_is_none(self, run: Run) -> None:
        done = run("chat", "-m", "hi")
        assert done.returncode == 1
        assert done.stderr.startswith("agents: There is no agent in ")
        assert done.stderr.endswith("or make a project with: agents init NAME\n")


class TestInfo:
    SOURCE = """
        @agents.tool
        def find(title: str) -> str:
            "Find a book."
            return title

        @agents.client_tool
        def where() -> str:
            "Where the reader is."

        agent = agents.Agent(
            name="librarian",
            model="mistral-large-4",
            tools=[find, where],
            permission_policy=agents.PermissionPolicy(
                default="deny", rules=[agents.PermissionRule(tools=["client.find"], decision="ask")]
            ),
        )
    """

    def test_shows_the_tools_what_the_policy_says_of_each_and_what_is_missing(self, project: Project, run: Run) -> None:
        project.write(self.SOURCE)
        done = run("info")
        assert done.returncode == 0
        for text in (
            "librarian (main:agent)",
            "client.find · ask\n",
            "client.where · deny · client\n",
            " title: string\n",
        ):
            assert text in done.stdout
        assert "missing No API key for the provider 'mistral': set MISTRAL_API_KEY." in done.stdout

    def test_as_json_is_for_programs(self, project: Project, run: Run) -> None:
        project.write(self.SOURCE)
        said = info(run, MISTRAL_API_KEY="key")
        assert [tool["permission"] for tool in said["agent"]["tools"]] == ["ask", "deny"]
        assert said["agent"]["tools"][0]["input_schema"]["required"] == ["title"]
        assert said["missing"] == []

    def test_names_what_a_rule_covers_and_is_no_tool_of_the_agent(self, project: Project, run: Run) -> None:
        project.write(self.SOURCE.replace('["client.find"]', '["client.find", "client.lend", "connectors.*"]'))
        assert "no tool for  client.lend, connectors.*\n" in run("info").stdout
        assert info(run)["agent"]["unmatched"] == ["client.lend", "connectors.*"]

    def test_an_agent_that_cannot_be_loaded_ends_it_with_1(self, project: Project, run: Run) -> None:
        project.write("1 / 0\n")
        assert run("info").returncode == 1


class TestAnEntryPoint:
    def test_of_a_directory_without_one_says_what_to_do(self, tmp_path: Path) -> None:
        from mistralai.agents.cli.problem import Problem

        with pytest.raises(Problem, match=r"no main\.py, and no entrypoint"):
            find_entrypoint(str(tmp_path))
