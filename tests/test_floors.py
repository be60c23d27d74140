"""Tests that the packages keep to their floors: imports go down only, and core knows nothing of the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.import_rules import violations

if TYPE_CHECKING:
    from pathlib import Path


def broken_rules(tmp_path: Path, module: str, source: str) -> list[str]:
    file = tmp_path / module
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    return list(violations(tmp_path))


class TestTheFloors:
    def test_every_import_of_the_source_goes_down(self, pytestconfig: pytest.Config) -> None:
        agents = pytestconfig.rootpath / "src" / "mistralai" / "agents"
        assert list(violations(agents)) == []
        assert len(list(agents.rglob("*.py"))) > 1


class TestTheRules:
    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("values/x.py", "from mistralai.agents.authoring.tool import Tool"),
            ("values/x.py", "from mistralai.agents import authoring"),
            ("values/x.py", "from ..core import state"),
            ("values/__init__.py", "from ..core import state"),
            ("values/deep/x.py", "from ...core.state import State"),
            ("values/x.py", "import mistralai.agents.core.state as state"),
            ("values/x.py", "from mistralai.agents import Agent"),
            ("values/x.py", "import mistralai.agents"),
            ("core/x.py", "if TYPE_CHECKING:\n    from mistralai.agents.handles.turn import Turn"),
            ("core/x.py", "def late():\n    import mistralai.agents.local.runtime"),
            ("core/x.py", "importlib.import_module('mistralai.agents.local.runtime')"),
            ("core/x.py", "import sqlite3"),
            ("core/x.py", "from pathlib import Path"),
            ("core/x.py", "open('log')"),
            ("core/x.py", "await asyncio.open_connection()"),
            ("core/x.py", "from asyncio import start_server"),
            ("core/x.py", "import asyncio.subprocess"),
            ("models/x.py", "from mistralai.agents.core.loop import advance"),
            ("models/x.py", "from mistralai.agents.sources.mcp import Mcp"),
            ("local/x.py", "from mistralai.agents.server.store import Store"),
            ("handles/x.py", "import aiohttp"),
            ("cli/x.py", "from mistralai.agents.web.page import page"),
            ("x.py", ""),
            ("nowhere/x.py", ""),
        ],
    )
    def test_refuse(self, tmp_path: Path, module: str, source: str) -> None:
        assert len(broken_rules(tmp_path, module, source)) == 1

    @pytest.mark.parametrize(
        ("module", "source"),
        [
            ("__init__.py", "from mistralai.agents.handles.agent import Agent"),
            ("values/x.py", "from . import usage\nfrom .usage import TokenUsage"),
            ("core/x.py", "import asyncio\nfrom mistralai.agents.authoring.tool import Tool\nasyncio.timeout(1)"),
            ("core/deep/x.py", "from ..state import State\nfrom mistralai.agents.core.fold import apply"),
            ("models/x.py", "import aiohttp\nfrom mistralai.agents.core.ports import Clock"),
            ("local/x.py", "import sqlite3, pathlib\nfrom mistralai.agents.core.loop import advance"),
            ("cli/x.py", "from mistralai import agents\nfrom mistralai.agents import Agent"),
        ],
    )
    def test_allow(self, tmp_path: Path, module: str, source: str) -> None:
        assert broken_rules(tmp_path, module, source) == []
