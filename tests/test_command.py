"""Tests of the `agents` command's first step: what stands in the way of the SDK is said in one line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from fanal.command import conflict, main
from mistralai.agents.cli.installation import installation

if TYPE_CHECKING:
    from pathlib import Path


class MissingPackage:
    """An import finder under which the command line cannot be imported for want of one package."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "mistralai.agents.cli.main":
            raise ModuleNotFoundError(f"No module named {self.package!r}", name=self.package)


class TestWhatStandsInTheWay:
    def test_is_nothing_in_a_sound_environment(self) -> None:
        assert conflict() is None

    def test_is_the_vendors_sdk_which_has_the_same_files(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        about = tmp_path / "mistralai_agents-1.1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mistralai-agents\nVersion: 1.1.0\n")
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        assert main() == 1
        said = capsys.readouterr().err
        assert said.startswith("agents: mistralai-agents 1.1.0 installs the same files as Fanal")
        assert said.count("\n") == 1

    @pytest.mark.parametrize("package", ["typer", "rich", "prompt_toolkit"])
    def test_is_a_terminal_package_that_is_not_installed(
        self, package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delitem(sys.modules, "mistralai.agents.cli.main", raising=False)
        monkeypatch.setattr(sys, "meta_path", [MissingPackage(package), *sys.meta_path])
        assert main() == 1
        here = installation()
        assert capsys.readouterr().err == (
            f"agents: this command needs the package {package}. Install it with: {here.line(here.requirement('cli'))}\n"
        )

    def test_any_other_missing_module_is_a_fault_of_ours_and_shown_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(sys.modules, "mistralai.agents.cli.main", raising=False)
        monkeypatch.setattr(sys, "meta_path", [MissingPackage("mistralai.agents.core"), *sys.meta_path])
        with pytest.raises(ModuleNotFoundError):
            main()
