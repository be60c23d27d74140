"""Tests that README's programs run as they are printed, offline, and print what README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


def block_after(heading: str, language: str) -> str:
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


class TestTheFirstProgram:
    def test_runs_offline_and_prints_what_readme_says(self, tmp_path: Path) -> None:
        program, shown = block_after("A first program", "python"), block_after("A first program", "text")
        (tmp_path / "first.py").write_text(program)
        environment = {name: value for name, value in os.environ.items() if "API_KEY" not in name}
        done = subprocess.run(
            [sys.executable, "first.py"],
            cwd=tmp_path,
            env=environment,
            input="y\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        typed = shown.replace("[y/n] y\n", "[y/n] ")  # a terminal echoes what is typed, a pipe does not
        assert done.stdout == typed

    @pytest.mark.parametrize(
        ("said", "put_aside"), [("y\n", True), ("n\n", False), (None, False)], ids=["y", "n", "/dev/null"]
    )
    def test_takes_its_answer_from_a_file_too(self, said: str | None, put_aside: bool, tmp_path: Path) -> None:
        program = block_after("A first program", "python")
        (tmp_path / "first.py").write_text(
            program.replace('return f"{title} is', 'print("ran")\n    return f"{title} is')
        )
        (tmp_path / "answers").write_text(said or "")
        with (tmp_path / "answers" if said is not None else Path(os.devnull)).open() as answers:
            done = subprocess.run(
                [sys.executable, "first.py"], cwd=tmp_path, stdin=answers, capture_output=True, text=True, check=False
            )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("Middlemarch waits for Ada at the desk.\n")
        assert ("ran" in done.stdout) is put_aside

    def test_ends_at_once_where_ctrl_c_is_pressed_at_its_question(self, tmp_path: Path) -> None:
        (tmp_path / "first.py").write_text(block_after("A first program", "python"))
        program: pexpect.spawn[bytes] = pexpect.spawn(sys.executable, ["first.py"], cwd=str(tmp_path), timeout=20)
        program.expect_exact("[y/n] ")
        program.sendintr()
        shown = program.read()
        program.close()
        assert program.exitstatus == 1
        assert shown.split() == [b"^Cstopped"]
