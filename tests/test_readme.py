"""Tests that README's programs run as they are printed, offline, and print what README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect

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

    def test_ends_at_once_where_ctrl_c_is_pressed_at_its_question(self, tmp_path: Path) -> None:
        (tmp_path / "first.py").write_text(block_after("A first program", "python"))
        program: pexpect.spawn[bytes] = pexpect.spawn(sys.executable, ["first.py"], cwd=str(tmp_path), timeout=20)
        program.expect_exact("[y/n] ")
        program.sendintr()
        shown = program.read()
        program.close()
        assert program.exitstatus == 1
        assert shown.split() == [b"^Cstopped"]
