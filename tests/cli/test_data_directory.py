"""Tests of where sessions are kept on each system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mistralai.agents.cli.data_directory import data_directory


class TestTheDataDirectory:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        for name in ("AGENTS_SDK_DATA_DIR", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(Path, "home", lambda: tmp_path)
        return tmp_path

    @pytest.mark.parametrize(
        ("system", "path"), [("linux", ".local/share/fanal"), ("darwin", "Library/Application Support/fanal")]
    )
    def test_is_where_the_system_keeps_such_data(
        self, system: str, path: str, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", system)
        assert data_directory() == home / path

    def test_follows_the_variable_of_the_desktop_where_that_is_absolute(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setenv("XDG_DATA_HOME", str(home / "elsewhere"))
        assert data_directory() == home / "elsewhere" / "fanal"
        monkeypatch.setenv("XDG_DATA_HOME", "relative")
        assert data_directory() == home / ".local" / "share" / "fanal"

    def test_is_what_the_environment_names_unless_an_option_does(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_DATA_DIR", str(home / "named"))
        assert data_directory() == home / "named"
        assert data_directory(str(home / "given")) == home / "given"
