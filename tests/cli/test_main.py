"""Tests of the `agents` command's arguments, what it prints and its exit codes."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestTheCommand:
    def test_info_says_what_is_installed_and_where(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["info"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == ["fanal", metadata.version("fanal")]
        assert [line.split()[0] for line in lines] == ["fanal", "python", "import", "agent"]

    def test_without_a_command_it_shows_its_usage_and_ends_with_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([]) == 2
        assert "Usage: agents" in "".join(capsys.readouterr())

    def test_describes_each_command_in_full_at_80_columns(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        main(["--help"])
        assert "..." not in capsys.readouterr().out.replace("[ARGS]...", "")

    @pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["--help"], 0), (["nonsense"], 2)])
    def test_ends_with_the_exit_code_of_its_kind(self, arguments: list[str], code: int) -> None:
        assert main(arguments) == code

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nonsense"], "agents: No such command 'nonsense'. See: agents --help"),
            (["inf"], "agents: No such command 'inf'. Did you mean 'info'? See: agents --help"),
            (["chat", "--nonsense"], "agents: No such option: --nonsense"),
            (["chat", "--resume"], "agents: Option '--resume' requires an argument. See: agents chat --help"),
            (["info", "--what"], "agents: No such option: --what. See: agents info --help"),
            (["chat", "--resume", "latest", "--no-save"], "agents: --resume goes on with a saved session"),
            (["chat", "--resume", "latest", "--model", "m", "--demo"], "agents: A saved session keeps its model"),
            (["chat", "--agent", "nowhere"], "agents: There is no agent at 'nowhere'."),
            (["sessions", "--limit", "0"], "agents: --limit is 0."),
            (["init", "1x"], "agents: '1x' is no name for a project."),
        ],
    )
    def test_says_in_one_line_what_arguments_do_not_fit(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 2
        shown = capsys.readouterr().err
        assert shown.startswith(said)
        assert shown.count("\n") == 1

    def test_shows_a_traceback_only_with_debug(self, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (elsewhere / "main.py").write_text("import asyncio\n\n1 / 0\n")
        assert main(["chat"]) == 1
        assert capsys.readouterr().err == (
            "agents: main cannot be imported: ZeroDivisionError: division by zero (main.py:3). "
            "See --debug for the whole of it.\n"
        )

    @pytest.mark.parametrize("arguments", [["chat", "--debug"], ["info", "--debug"], ["--debug", "info"]])
    def test_shows_it_wherever_debug_stands(
        self, arguments: list[str], elsewhere: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (elsewhere / "main.py").write_text("1 / 0\n")
        assert main(arguments) == 1
        assert "Traceback (most recent call last)" in capsys.readouterr().err

    def test_shows_nothing_of_an_error_that_would_steer_the_terminal(
        self, elsewhere: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (elsewhere / "main.py").write_text("raise ValueError('a\\x1b[2Jb')\n")
        assert main(["chat"]) == 1
        assert "ValueError: a[2Jb" in capsys.readouterr().err


class TestWithoutTheTerminalPackages:
    @pytest.fixture(autouse=True)
    def bare(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "typer", None)

    @pytest.mark.parametrize("arguments", [["--version"], ["info"], ["info", "--json"]])
    def test_the_version_and_info_are_there_all_the_same(
        self, arguments: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 0
        assert metadata.version("fanal") in capsys.readouterr().out

    def test_other_commands_name_the_package_they_need(self) -> None:
        with pytest.raises(ModuleNotFoundError) as missing:
            main(["chat"])
        assert missing.value.name == "typer"
