"""Tests that the first hour works as it is typed: its files, its commands, and what they print."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pexpect
import pytest

from tests.docs.pages import DOCS, Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page(DOCS / "first-hour.md")
ELSEWHERE = {
    "make setup": "tests/test_setup.py",
    "make demo": "tests/test_demo.py",
    "export MISTRAL_API_KEY=…": "needs a key",
    ".venv/bin/agents chat --agent build/first/desk.py": "tests/cli, at a terminal",
    'pip install "/path/to/this/folder[cli]"': "tests/test_packaging.py",
}
"""The commands that are not run here, and why."""
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if "API_KEY" not in name and not name.startswith("COV")
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an environment in it, as `make setup` leaves one."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def typed(shown: str) -> str:
    """What is typed at the questions that a page shows with their answers."""
    return "".join(f"{line.rpartition('] ')[2]}\n" for line in shown.splitlines() if "[y/n] " in line)


def printed(shown: str) -> str:
    """What a program prints of it: a terminal echoes what is typed, a pipe does not."""
    return "".join(line[: line.index("[y/n] ") + 6] if "[y/n] " in line else f"{line}\n" for line in shown.splitlines())


class TestTheFirstHour:
    def test_does_what_it_says_step_by_step(self, folder: Path) -> None:
        for block, after in zip(PAGE.blocks, [*PAGE.blocks[1:], None], strict=True):
            if block.is_file:
                (folder / block.title).write_text(block.code)
            if block.language != "sh" or block.code.strip() in ELSEWHERE:
                continue
            shown = after.code if after is not None and after.title == "Output" else None
            done = subprocess.run(
                shlex.split(block.code),
                cwd=folder,
                env=ENVIRONMENT,
                input=typed(shown or ""),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (block.code, done.stderr)
            if shown is not None:
                assert done.stdout == printed(shown), block.code

    def test_a_refusal_is_taken_too(self, folder: Path) -> None:
        (folder / "build" / "first").mkdir(parents=True)
        for block in PAGE.blocks:
            if block.is_file:
                (folder / block.title).write_text(block.code)
        command = [".venv/bin/python", "build/first/ask.py"]
        done = subprocess.run(
            command, cwd=folder, env=ENVIRONMENT, input="n\n", capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("Noor has Persuasion for two weeks.\n['client.lend']\n")

    @pytest.mark.parametrize("said", ["y\n", None], ids=["a file", "/dev/null"])
    def test_its_question_takes_its_answer_from_a_file_too(self, said: str | None, folder: Path) -> None:
        (folder / "build" / "first").mkdir(parents=True)
        for block in PAGE.blocks:
            if block.is_file:
                (folder / block.title).write_text(block.code)
        (folder / "answers").write_text(said or "")
        command = [".venv/bin/python", "build/first/ask.py"]
        with open(folder / "answers" if said is not None else os.devnull) as answers:
            done = subprocess.run(
                command, cwd=folder, env=ENVIRONMENT, stdin=answers, capture_output=True, text=True, check=False
            )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("Noor has Persuasion for two weeks.\n['client.lend']\n")

    def test_ctrl_c_at_its_question_ends_it_at_once(self, folder: Path) -> None:
        (folder / "build" / "first").mkdir(parents=True)
        for block in PAGE.blocks:
            if block.is_file:
                (folder / block.title).write_text(block.code)
        program: pexpect.spawn[bytes] = pexpect.spawn(
            ".venv/bin/python", ["build/first/ask.py"], cwd=str(folder), timeout=20
        )
        program.expect_exact("[y/n] ")
        program.sendintr()
        shown = program.read()
        program.close()
        assert program.exitstatus == 1
        assert shown.split() == [b"^Cstopped"]
