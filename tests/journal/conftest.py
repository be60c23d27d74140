"""What the tests of saved sessions start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_experimental_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where sessions are saved."""
    return tmp_path / "sessions"
