"""Tests of the line that goes on with a session: pasted into a shell, it opens the same one with the same agent."""

from __future__ import annotations

import shlex
import signal
import subprocess
import termios
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.cli.chat.leaving import line_to_go_on
from mistralai.agents.cli.chat.options import ChatOptions
from tests.cli.at_terminal import AGENTS, environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Project, Run, Start

ASKS = """
    @agents.tool
    def wipe() -> str:
        "Delete everything."
        return "gone"

    def step(request):
        return call("wipe") if len(request.messages) == 1 else reply("It is gone.")

    agent = agents.Agent(name="first", model=ScriptedModel([reply("I am the other one.")]))
    other = agents.Agent(name="second", model=ScriptedModel([step]), tools=[wipe], permission_mode="ask")
"""


class TestTheLineToGoOn:
    def test_pasted_opens_the_session_of_that_agent_in_that_place(
        self, project: Project, run: Run, data: Path, tmp_path: Path
    ) -> None:
        project.write(ASKS)
        where = tmp_path / "a project of mine"
        project.directory.rename(where)
        project.directory.mkdir()
        done = run("chat", "second", "--agent", str(where), "--data-dir", str(tmp_path / "my data"), "-m", "go")
        said, line = done.stderr.strip().split(" Go on with: ")
        assert said == "The turn waits for your answer."
        pasted = subprocess.run(
            line,
            shell=True,
            cwd=project.directory,
            env=environment(data),
            input="y\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (pasted.returncode, pasted.stderr) == (0, "")
        assert "It is gone." in pasted.stdout
        assert not data.exists()

    def test_keeps_the_model_on_this_machine_and_no_other(self) -> None:
        local = line_to_go_on("0123", ChatOptions(model="local", demo=True))
        assert shlex.split(local)[-5:] == ["--demo", "--model", "local", "--resume", "0123"]
        assert "--model" not in line_to_go_on("0123", ChatOptions(model="mistral-large-4"))

    def test_names_the_program_as_it_was_typed_where_its_bare_name_leads_elsewhere(
        self, project: Project, data: Path
    ) -> None:
        done = subprocess.run(
            [AGENTS, "chat", "--demo", "-m", "Review TR-2209"],
            cwd=project.directory,
            env=environment(data, PATH="/usr/bin:/bin"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        line = done.stderr.strip().partition(" Go on with: ")[2]
        assert shlex.split(line)[:3] == [AGENTS, "chat", "--demo"]


class TestASigterm:
    def test_at_a_terminal_is_a_leaving_that_sets_it_as_it_was(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('A beginning', gate, ' and an end.')")
        terminal = at_terminal("chat")
        before = termios.tcgetattr(terminal.process.child_fd)[3]
        terminal.wait_for("tester")
        terminal.type("go")
        terminal.wait_for("A beginning")
        terminal.process.kill(signal.SIGTERM)
        terminal.wait_for("Go on with: agents chat --resume")
        after = termios.tcgetattr(terminal.process.child_fd)[3]
        terminal.ends(143)
        assert after & termios.ECHO == before & termios.ECHO
        assert after & termios.ICANON


@pytest.fixture(autouse=True)
def as_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the program that runs, which here is pytest."""
    monkeypatch.setattr("sys.argv", ["agents"])
