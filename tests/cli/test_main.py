"""Tests of the `agents` command's arguments, what it prints and its exit codes."""

from __future__ import annotations

from importlib import metadata

import pytest

from mistralai.agents.cli.main import main


class TestTheCommand:
    def test_info_says_what_is_installed_and_where(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["info"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == ["fanal", metadata.version("fanal")]
        assert [line.split()[0] for line in lines] == ["fanal", "python", "import"]

    def test_without_a_command_it_shows_its_usage_and_ends_with_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([]) == 2
        assert capsys.readouterr().err.startswith("usage: agents")

    @pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["--help"], 0), (["nonsense"], 2)])
    def test_ends_with_the_exit_code_of_its_kind(self, arguments: list[str], code: int) -> None:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == code
