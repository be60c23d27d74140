"""Projects to run the command in, and the terminal to run it at."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.cli.at_terminal import AGENTS, AtATerminal, environment
from tests.cli.fifo_gate import Fifo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = """\
from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, error, reply
from tests.cli.fifo_gate import FifoGate

gate = FifoGate("gate")
"""
type Start = Callable[..., AtATerminal]
type Run = Callable[..., subprocess.CompletedProcess[str]]


class Project:
    """A directory with a `main.py`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._written = 0
        directory.mkdir()
        self.gate = Fifo(directory / "gate")

    def write(self, source: str) -> None:
        """Write the `main.py`: what every project here imports, and this."""
        program = self.directory / "main.py"
        program.write_text(HEAD + dedent(source))
        # Compiled code counts as current where size and second are the same: two programs here may well be of one size.
        self._written += 1
        os.utime(program, (self._written, self._written))

    def says(self, *steps: str) -> None:
        """Let the agent be one without tools that plays these steps."""
        self.write(f"agent = agents.Agent(name='tester', model=ScriptedModel([{', '.join(steps)}]))\n")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data directory, not there yet."""
    return tmp_path / "data"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(tmp_path / "project")
    yield project
    project.gate.close()


@pytest.fixture
def at_terminal(project: Project, data: Path) -> Iterator[Start]:
    """Starts the command at a terminal in the project's directory."""
    started: list[AtATerminal] = []

    def start(*arguments: str, columns: int = 80, rows: int = 40, **variables: str) -> AtATerminal:
        terminal = AtATerminal(
            *arguments, where=project.directory, env=environment(data, **variables), columns=columns, rows=rows
        )
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.process.close(force=True)


@pytest.fixture
def run(project: Project, data: Path) -> Run:
    """Runs the command without a terminal in the project's directory."""

    def run(*arguments: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [AGENTS, *arguments],
            cwd=project.directory,
            env=environment(data, **variables),
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )

    return run
