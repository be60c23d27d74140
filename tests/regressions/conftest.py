"""What these tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_experimental_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")
