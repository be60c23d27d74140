"""Tests of the built distribution: what is in it, and how it lives beside other owners of the name `mistralai`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("packaging")]

CLIENT = "mistralai==3.7.0"
OLD_CLIENT = "mistralai==1.12.4"
BOTH = "from mistralai import agents; from mistralai.client import Mistral; print(agents.__name__, Mistral.__name__)"
NO_REGISTRY = re.compile(
    "No matching distribution|Could not find a version|connection|Temporary failure|timed out", re.I
)


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run in another directory than the project's, so that only what is installed can be imported."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


class Environment:
    """A fresh virtual environment with the packages a test installs."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self.python = where / "bin" / "python"
        run(sys.executable, "-m", "venv", "--without-pip", where, cwd=where.parent).check_returncode()

    def install(self, *what: str | Path) -> None:
        """Install with the pip of the tests' own environment; skip where no registry answers, but not in CI."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check", "install"]
        done = run(*pip, "--quiet", "--no-input", *what, cwd=self.where)
        if done.returncode != 0 and NO_REGISTRY.search(done.stderr) and not os.environ.get("CI"):
            pytest.skip(f"no package registry is reachable: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr

    def says(self, program: str) -> str:
        done = run(self.python, "-c", program, cwd=self.where)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def agents(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run(self.where / "bin" / "agents", *arguments, cwd=self.where)


@pytest.fixture(scope="module")
def project(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.rootpath


@pytest.fixture(scope="module")
def wheel(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist, cwd=project)
    assert done.returncode == 0, done.stderr
    (built,) = dist.glob("fanal-*.whl")
    return built


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment")


class TestTheWheel:
    def test_leaves_the_name_mistralai_to_be_shared(self, wheel: Path) -> None:
        names = set(zipfile.ZipFile(wheel).namelist())
        assert "mistralai/__init__.py" not in names
        assert {"mistralai/agents/py.typed", "fanal/py.typed", "fanal/command.py"} <= names
        assert {name.split("/")[0] for name in names} == {
            "mistralai",
            "fanal",
            wheel.name.split("-py3")[0] + ".dist-info",
        }

    def test_has_every_module_of_the_source(self, wheel: Path, project: Path) -> None:
        source = {str(path.relative_to(project / "src")) for path in (project / "src").rglob("*.py")}
        assert source <= set(zipfile.ZipFile(wheel).namelist())

    def test_carries_the_licence_and_the_command(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            about = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA")).rpartition("/")[0]
            metadata = archive.read(f"{about}/METADATA").decode()
            commands = archive.read(f"{about}/entry_points.txt").decode()
            assert "Apache License" in archive.read(f"{about}/licenses/LICENSE").decode()
        assert "License-Expression: Apache-2.0\n" in metadata
        assert "Requires-Python: >=3.12\n" in metadata
        assert commands.split() == [
            *("[console_scripts]", "agents", "=", "fanal.command:main"),
            *("[pytest11]", "fanal", "=", "fanal.pytest_plugin"),
        ]


class TestBesideTheClient:
    def test_a_wheel_and_the_client_both_import(self, environment: Environment, wheel: Path) -> None:
        environment.install(wheel, CLIENT)
        assert environment.says(BOTH) == "mistralai.agents Mistral"

    def test_an_editable_install_and_the_client_both_import(self, environment: Environment, project: Path) -> None:
        environment.install("--editable", project, CLIENT)
        assert environment.says(BOTH) == "mistralai.agents Mistral"


class TestBesideTheOldClient:
    def test_the_command_says_that_a_wheel_cannot_live_there(self, environment: Environment, wheel: Path) -> None:
        environment.install(wheel, OLD_CLIENT)
        self.refused(environment)

    def test_the_command_says_that_an_editable_install_cannot(self, environment: Environment, project: Path) -> None:
        environment.install("--editable", project, OLD_CLIENT)
        self.refused(environment)

    def refused(self, environment: Environment) -> None:
        done = environment.agents("info")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("agents: the mistralai client 1.12.4 takes the whole name 'mistralai'")
        assert "Install 'mistralai>=2'" in done.stderr


class TestAPlainInstall:
    def test_has_a_command_that_runs(self, environment: Environment, wheel: Path) -> None:
        environment.install(wheel)
        done = environment.agents("--version")
        assert (done.returncode, done.stdout, done.stderr) == (0, "fanal 0.1.0\n", "")
