"""Tests of what type checkers make of programs: the wrong ones are refused line by line, the public pages' pass."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    type Checker = Callable[[Path, Mapping[str, Any]], dict[tuple[str, int], str]]

HERE = Path(__file__).parent
AS_THE_PAGES_WRITE: dict[str, Any] = {
    # A program that handles the events it knows leaves the others unhandled on purpose, and one that asks
    # `stub.called(callback)` of a call whose tool is not known yet passes on types that are not known either.
    "pyright": {"reportMatchNotExhaustive": False, "reportUnknownArgumentType": False},
    # They use one variable for what `agent.run` and what `session.run` returns.
    "mypy": ["--allow-redefinition"],
}
ERROR = re.compile(r"^(?P<file>[^:\n]+\.py):(?P<line>\d+): error: (?P<message>.*)$", re.MULTILINE)

# One worker runs them all: they share mypy's cache.
pytestmark = [pytest.mark.xdist_group("type checkers"), pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(params=["pyright", "mypy"])
def check(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Checker:
    """Checks the programs of a directory in strict mode: the errors, by file name and line."""
    if request.param == "pyright":
        return _pyright
    cache = pytestconfig.cache
    assert cache is not None
    kept = cache.mkdir("mypy")
    source = pytestconfig.rootpath / "src"
    return lambda directory, options: _mypy(directory, options, kept, source)


def _pyright(directory: Path, options: Mapping[str, Any]) -> dict[tuple[str, int], str]:
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.12", **options.get("pyright", {})}
    (directory / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "-p", str(directory), "--pythonpath", sys.executable, "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
        for each in found
        if each["severity"] == "error"
    }


def _mypy(directory: Path, options: Mapping[str, Any], cache: Path, source: Path) -> dict[tuple[str, int], str]:
    given: list[str] = options.get("mypy", [])
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.12", f"--cache-dir={cache}", *given]
    # Where the package is found: an editable install may be one that mypy cannot follow.
    found_in = {"MYPYPATH": str(source)}
    names = sorted(path.name for path in directory.glob("*.py"))
    done = subprocess.run(
        [*command, "--namespace-packages", "--explicit-package-bases", *names],
        cwd=directory,
        env=os.environ | found_in,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return {(match["file"], int(match["line"])): match["message"] for match in ERROR.finditer(done.stdout)}


class TestWrongCalls:
    def test_are_refused_each_and_nothing_else_is(self, check: Checker, tmp_path: Path) -> None:
        name = "wrong_calls.py"
        source = (HERE / name).read_text()
        (tmp_path / name).write_text(source)
        wrong = [number for number, line in enumerate(source.splitlines(), 1) if "  # wrong: " in line]
        assert len(wrong) > 50
        refused = check(tmp_path, {})
        assert sorted(line for _, line in refused) == wrong, refused


class TestTheProgramsOfThePublicPages:
    def test_are_accepted(self, check: Checker, tmp_path: Path, pytestconfig: pytest.Config) -> None:
        extract = pytestconfig.rootpath.parent / "shared" / "conformance" / "extract.py"
        if not extract.exists():
            pytest.skip("the public pages are not beside this clone")
        subprocess.run([sys.executable, str(extract), str(tmp_path)], capture_output=True, check=True)
        assert len(list(tmp_path.glob("*.py"))) == 12
        assert check(tmp_path, AS_THE_PAGES_WRITE) == {}


def test_both_checkers_are_told_to_leave_the_wrong_calls_out(pytestconfig: pytest.Config) -> None:
    project = (pytestconfig.rootpath / "pyproject.toml").read_text()
    assert project.count("wrong_calls") == 2
