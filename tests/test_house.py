"""Tests of what every tracked file keeps to: its length, no host or path of one machine, no ignore without a reason."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINES = 500
REGISTRY = re.compile(r"(py(pi)|python(hosted)|npm(js)|debian)\.org")
MACHINE_PATH = re.compile(r"(?<![\w.~*-])/(home|root|Users|work)/[\w.-]")
IGNORE = re.compile(
    r"# (noqa|type: ignore|pyright: ignore)(:? ?[A-Z]+[0-9]+(, ?[A-Z]+[0-9]+)*|\[[\w, -]*\])?(?P<rest>.*)"
)
UNFINISHED = re.compile(r"\b(TO(DO)|FIX(ME)|XX(X)|Not(Implemented)Error)\b")
SLEEP = re.compile(r"\b(time|asyncio|anyio)\.sleep\((0\.[0-9]+|[1-9])")


@pytest.fixture(scope="module")
def tracked(pytestconfig: pytest.Config) -> dict[str, list[str]]:
    """The lines of each text file that git tracks, by its path."""
    root = pytestconfig.rootpath
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("needs git and a clone: which files are tracked is what it asks")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    return {name: lines for name in listed.stdout.split("\0") if name and (lines := _lines(root / name)) is not None}


def _lines(path: Path) -> list[str] | None:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return None


def found(files: dict[str, list[str]], pattern: re.Pattern[str], suffix: str = "") -> Iterator[str]:
    for name, lines in files.items():
        if name.endswith(suffix):
            yield from (
                f"{name}:{number}: {line.strip()}" for number, line in enumerate(lines, 1) if pattern.search(line)
            )


def without_reason(line: str) -> bool:
    match = IGNORE.search(line)
    return match is not None and re.search(r"\w{3}", match["rest"]) is None


class TestEveryTrackedFile:
    def test_of_python_has_at_most_500_lines(self, tracked: dict[str, list[str]]) -> None:
        long = {name: len(lines) for name, lines in tracked.items() if name.endswith(".py") and len(lines) > MOST_LINES}
        assert long == {}

    def test_names_no_registry_host(self, tracked: dict[str, list[str]]) -> None:
        assert list(found(tracked, REGISTRY)) == []

    def test_names_no_path_of_one_machine(self, tracked: dict[str, list[str]], pytestconfig: pytest.Config) -> None:
        assert list(found(tracked, MACHINE_PATH)) == []
        here = re.compile(re.escape(f"{pytestconfig.rootpath}/") + "|" + re.escape(f"{Path.home()}/"))
        assert list(found(tracked, here)) == []

    def test_ignores_a_check_only_with_a_reason(self, tracked: dict[str, list[str]]) -> None:
        python = {
            name: lines for name, lines in tracked.items() if name.endswith(".py") and name != "tests/test_house.py"
        }
        assert [
            f"{name}: {line.strip()}" for name, lines in python.items() for line in lines if without_reason(line)
        ] == []

    def test_of_the_source_is_finished(self, tracked: dict[str, list[str]]) -> None:
        source = {name: lines for name, lines in tracked.items() if name.startswith("src/")}
        assert list(found(source, UNFINISHED)) == []

    def test_of_the_tests_waits_on_state_not_on_time(self, tracked: dict[str, list[str]]) -> None:
        tests = {name: lines for name, lines in tracked.items() if name.startswith("tests/")}
        assert list(found(tests, SLEEP, ".py")) == []


class TestAnIgnore:
    @pytest.mark.parametrize(
        "line", ["x  # noqa", "x  # noqa: B010", "x  # type: ignore[attr-defined]", "x  # pyright: ignore"]
    )
    def test_alone_has_no_reason(self, line: str) -> None:
        assert without_reason(line)

    @pytest.mark.parametrize(
        "line",
        ["x", "x  # noqa: B010, E501 - read at run time", "x  # type: ignore[misc]  # the stub is wrong"],
    )
    def test_followed_by_words_has_one(self, line: str) -> None:
        assert not without_reason(line)
