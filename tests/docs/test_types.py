"""Tests that the code on the pages type-checks: a page's blocks as one program."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.docs.pages import pages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.xdist_group("type checkers"), pytest.mark.slow, pytest.mark.timeout(300)]


class TestTheBlocksOfThePages:
    def test_satisfy_a_type_checker(self, tmp_path: Path) -> None:
        for page in pages():
            if blocks := [block.code for block in page.blocks if block.runs]:
                name = page.name.removesuffix(".md").replace("/", "_").replace("-", "_")
                # A function around it, for the awaits.
                program = "async def page() -> None:\n" + textwrap.indent("\n".join(blocks), "    ")
                (tmp_path / f"{name}.py").write_text(program)
        (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard"}))
        command = [sys.executable, "-m", "pyright", "-p", str(tmp_path), "--pythonpath", sys.executable]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
