"""Fifty sessions whose processes are killed at random. CHAOS_SECONDS says how long; `make chaos` takes 60 s."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.journal.chaos import Chaos

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.timeout(300)
class TestChaos:
    async def test_breaks_nothing_that_must_hold(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        chaos = Chaos(tmp_path)
        await chaos.run(float(os.environ.get("CHAOS_SECONDS", "10")))
        counted = await chaos.check()
        with capsys.disabled():
            print("\nchaos:", ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in counted.items()))
        assert counted["kills"] > 2
        assert counted["turns"] > 0
