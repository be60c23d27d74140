"""Tests of what a program loads that defines agents and has not talked to one yet."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent


def loaded_by(program: str) -> set[str]:
    """The modules that a fresh interpreter holds after a program."""
    shown = f"{dedent(program)}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", shown], stdout=subprocess.PIPE, text=True, check=True)
    return set(done.stdout.split())


class TestDefiningAnAgent:
    def test_loads_no_event_loop_no_http_and_no_runtime(self) -> None:
        modules = loaded_by("""
            from mistralai import agents

            @agents.tool
            async def look_up(title: str) -> str:
                'Look a title up.'
                return title

            agents.Agent(model="m", tools=[look_up])
        """)
        assert not {"asyncio", "aiohttp", "msgspec", "griffe", "mistralai.agents.core.session"} & modules

    def test_loads_pydantic_only_with_the_first_tool(self) -> None:
        modules = loaded_by("""
            from mistralai import agents

            agents.Agent(model="m")
        """)
        assert not {"pydantic", "asyncio", "dataclasses"} & modules
