"""Tests of scripts/setup: which interpreter it takes, what it makes, and what it says where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = ("sh", "cat", "cksum", "cp", "dirname", "mkdir", "rm")
FAKE_PYTHON = """#!/bin/sh
# Answers as a Python {version} would: its version, whether it can make environments, and how it makes one.
case "$*" in
    *ensurepip*) exit {no_venv} ;;
    *version_info*) echo "{version} {reported}" ;;
    "-m venv "*) echo "venv $3" >>"$LOG"; mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo x >"$3/pyvenv.cfg" ;;
    *"pip install"*) echo "install $*" >>"$LOG"; case "$*" in *"$BROKEN"*) exit 1 ;; esac ;;
    --version) echo "Python {version}.0" ;;
esac
"""
SHIM = "#!/bin/sh\necho 'pyenv: this version is not active' >&2\nexit 127\n"
OLD = "#!/bin/sh\nexit 1\n"


class Machine:
    """A machine with few tools on PATH, a copy of the project's set-up, and the Pythons that a test puts there."""

    def __init__(self, root: Path, project: Path) -> None:
        self.bin, self.home, self.log, self.project = root / "bin", root / "home", root / "log", root / "project"
        for made in (self.bin, self.home, self.project / "scripts", self.project / "requirements"):
            made.mkdir(parents=True)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or pytest.skip(f"needs {tool}"))
        shutil.copy(project / "scripts" / "setup", self.project / "scripts" / "setup")
        for name in ("test", "check", "model"):
            (self.project / "requirements" / f"{name}.txt").write_text("")
        (self.project / "pyproject.toml").write_text("")
        self.log.write_text("")

    def executable(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def python(self, path: Path, version: str, *, venv: bool = True) -> Path:
        return self.executable(path, FAKE_PYTHON.format(version=version, reported=path, no_venv=0 if venv else 1))

    def setup(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        known = {"PATH": str(self.bin), "HOME": str(self.home), "LOG": str(self.log), "BROKEN": "nothing is"}
        command = [str(self.project / "scripts" / "setup"), *arguments]
        return subprocess.run(command, env=known | environment, capture_output=True, text=True, check=False)

    def done(self) -> list[str]:
        """What was made and installed since the last look."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return [
            " ".join(word for word in line.split() if not word.startswith("--") and word not in {"-m", "pip"})
            for line in lines
        ]


@pytest.fixture
def machine(tmp_path: Path, pytestconfig: pytest.Config) -> Machine:
    return Machine(tmp_path, pytestconfig.rootpath)


class TestFindingAnInterpreter:
    def test_takes_the_newest_on_path(self, machine: Machine) -> None:
        machine.python(machine.bin / "python3.12", "3.12")
        newest = machine.python(machine.bin / "python3.13", "3.13")
        assert machine.setup("--find").stdout.strip() == str(newest)

    def test_passes_over_a_shim_that_does_not_run_and_finds_pyenvs_version(self, machine: Machine) -> None:
        machine.executable(machine.bin / "python3.13", SHIM)
        machine.executable(machine.bin / "python3", SHIM)
        there = machine.python(machine.home / ".pyenv" / "versions" / "3.13.0" / "bin" / "python", "3.13")
        assert machine.setup("--find").stdout.strip() == str(there)

    def test_looks_where_pyenv_root_says(self, machine: Machine, tmp_path: Path) -> None:
        there = machine.python(tmp_path / "elsewhere" / "versions" / "3.12.1" / "bin" / "python", "3.12")
        assert machine.setup("--find", PYENV_ROOT=str(tmp_path / "elsewhere")).stdout.strip() == str(there)

    def test_takes_a_plain_python3_that_is_new_enough(self, machine: Machine) -> None:
        plain = machine.python(machine.bin / "python3", "3.14")
        assert machine.setup("--find").stdout.strip() == str(plain)

    def test_finds_one_of_exactly_the_version_asked_for(self, machine: Machine) -> None:
        machine.python(machine.bin / "python3.13", "3.13")
        asked = machine.python(machine.bin / "python3.12", "3.12")
        assert machine.setup("--find", "3.12").stdout.strip() == str(asked)
        assert machine.setup("--find", "3.14").returncode == 1

    def test_says_what_it_looked_for_when_there_is_none(self, machine: Machine) -> None:
        machine.executable(machine.bin / "python3", OLD)
        done = machine.setup()
        assert done.returncode == 1
        assert done.stdout == ""
        assert "no Python 3.12 or later runs here" in done.stderr
        assert "PYTHON=/path/to/python make setup" in done.stderr

    def test_names_the_package_that_is_missing_where_venv_is_split_off(self, machine: Machine) -> None:
        machine.python(machine.bin / "python3.12", "3.12", venv=False)
        done = machine.setup()
        assert done.returncode == 1
        assert "apt-get install python3.12-venv" in done.stderr

    def test_prefers_an_older_one_that_can_make_environments(self, machine: Machine) -> None:
        machine.python(machine.bin / "python3.13", "3.13", venv=False)
        able = machine.python(machine.bin / "python3.12", "3.12")
        assert machine.setup("--find").stdout.strip() == str(able)

    def test_the_one_named_by_python_counts_alone(self, machine: Machine, tmp_path: Path) -> None:
        machine.python(machine.bin / "python3.13", "3.13")
        named = machine.python(tmp_path / "mine", "3.12")
        assert machine.setup("--find", PYTHON=str(named)).stdout.strip() == str(named)

    def test_says_so_when_the_named_one_does_not_run(self, machine: Machine, tmp_path: Path) -> None:
        machine.python(machine.bin / "python3.13", "3.13")
        done = machine.setup(PYTHON=str(tmp_path / "missing"))
        assert done.returncode == 1
        assert f"PYTHON={tmp_path / 'missing'} does not run as Python 3.12 or later" in done.stderr


class TestMakingTheEnvironment:
    @pytest.fixture(autouse=True)
    def interpreter(self, machine: Machine) -> Path:
        return machine.python(machine.bin / "python3.13", "3.13")

    def test_installs_every_set_and_the_project(self, machine: Machine) -> None:
        done = machine.setup()
        assert done.returncode == 0, done.stderr
        assert machine.done() == [
            "venv .venv",
            "install install -r requirements/test.txt",
            "install install -r requirements/check.txt",
            "install install -r requirements/model.txt",
            "install install .",
        ]

    def test_does_nothing_when_nothing_changed(self, machine: Machine) -> None:
        machine.setup()
        machine.done()
        again = machine.setup()
        assert (again.returncode, again.stdout, again.stderr, machine.done()) == (0, "", "", [])

    def test_installs_again_into_the_same_environment_when_a_pin_changed(self, machine: Machine) -> None:
        machine.setup(".venv", "test")
        machine.done()
        (machine.project / "requirements" / "test.txt").write_text("pytest==9\n")
        machine.setup(".venv", "test")
        assert machine.done() == ["install install -r requirements/test.txt", "install install ."]

    def test_makes_it_anew_when_its_interpreter_is_gone(self, machine: Machine) -> None:
        machine.setup(".venv", "test")
        machine.done()
        (machine.project / ".venv" / "bin" / "python").unlink()
        machine.setup(".venv", "test")
        assert machine.done()[0] == "venv .venv"

    def test_makes_it_anew_for_another_interpreter_that_is_named(self, machine: Machine, interpreter: Path) -> None:
        machine.setup(".venv", "test")
        machine.done()
        machine.setup(".venv", "test", PYTHON=str(interpreter))
        assert machine.done() == []
        other = machine.python(machine.bin / "other", "3.12")
        machine.setup(".venv", "test", PYTHON=str(other))
        assert machine.done()[0] == "venv .venv"

    def test_goes_on_without_the_model_server_but_not_in_ci(self, machine: Machine) -> None:
        without = machine.setup(BROKEN="model.txt")
        assert without.returncode == 0
        assert "tests against a real model server will be skipped" in without.stderr
        (machine.project / "pyproject.toml").write_text("changed")
        assert machine.setup(BROKEN="model.txt", CI="true").returncode == 1

    def test_a_failed_install_is_said_and_tried_again(self, machine: Machine) -> None:
        failed = machine.setup(BROKEN="check.txt")
        assert failed.returncode == 1
        assert "requirements/check.txt could not be installed" in failed.stderr
        assert machine.setup().returncode == 0

    def test_leaves_a_directory_alone_that_is_no_environment(self, machine: Machine) -> None:
        kept = machine.project / "mine" / "letter"
        kept.parent.mkdir()
        kept.write_text("dear")
        done = machine.setup("mine", "test")
        assert done.returncode == 1
        assert "mine exists and is no virtual environment" in done.stderr
        assert kept.read_text() == "dear"

    def test_an_unknown_set_is_refused(self, machine: Machine) -> None:
        done = machine.setup(".venv", "tests")
        assert "there is no requirements/tests.txt" in done.stderr
        assert done.returncode == 1


UV = """#!/bin/sh
case "$*" in
    "python find "*) exit 2 ;;
    "venv "*) shift 4; mkdir -p "$2/bin" && cp "$FAKE" "$2/bin/python" && echo x >"$2/pyvenv.cfg" ;;
esac
echo "uv $*" >>"$LOG"
"""


class TestWithUv:
    def test_it_makes_the_environment_where_venv_is_missing(self, machine: Machine) -> None:
        python = machine.python(machine.bin / "python3.12", "3.12", venv=False)
        machine.executable(machine.bin / "uv", UV)
        done = machine.setup(".venv", "test", FAKE=str(python))
        assert done.returncode == 0, done.stderr
        assert [line.split()[:3] for line in machine.log.read_text().splitlines()] == [
            ["uv", str(python), ".venv"],
            ["uv", "pip", "install"],
            ["uv", "pip", "install"],
        ]


@pytest.mark.skipif(os.name != "posix", reason="scripts/setup is a POSIX shell script")
class TestTheScript:
    def test_names_no_feature_of_bash(self, pytestconfig: pytest.Config) -> None:
        text = (pytestconfig.rootpath / "scripts" / "setup").read_text()
        assert text.startswith("#!/bin/sh\n")
        assert "[[" not in text
