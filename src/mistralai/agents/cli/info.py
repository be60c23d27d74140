"""`agents info`: what is installed, the project's agent, and what is missing."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.about_agent import about_agent, missing
from mistralai.agents.cli.problem import Problem
from mistralai.agents.cli.project import find_entrypoint, load_agent
from mistralai.agents.cli.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator


def info(path: str | None, *, as_json: bool) -> int:
    """Print it, and return the exit code: 1 where there is an agent that cannot be loaded."""
    about: dict[str, Any] = {
        "fanal": version(),
        "python": f"{platform.python_version()} ({sys.executable})",
        "import": f"mistralai.agents ({Path(__file__).parent.parent})",
    }
    code = 0
    try:
        entrypoint = find_entrypoint(path)
    except Problem as problem:
        if path is not None:
            raise
        about["agent"] = None
        about["problem"] = problem.message
    else:
        try:
            agent = load_agent(entrypoint)
        except Problem as problem:
            about["agent"], about["problem"], code = None, problem.message, 1
        else:
            about["agent"] = {"where": f"{entrypoint.module}:{entrypoint.attribute}", **about_agent(agent)}
            about["missing"] = missing(agent)
    print(json.dumps(about, ensure_ascii=False, indent=2) if as_json else "\n".join(_rows(about)))
    return code


def _rows(about: dict[str, Any]) -> Iterator[str]:
    for name in ("fanal", "python", "import"):
        yield f"{name:<8}{about[name]}"
    agent = about["agent"]
    if agent is None:
        yield f"{'agent':<8}{about['problem']}"
        return
    yield f"{'agent':<8}{agent['name']} ({agent['where']})"
    for name in ("description", "model", "instructions", "output", "policy", "limits", "hooks"):
        if (value := agent[name]) is not None:
            yield f"{'':<8}{name:<13}{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
    yield f"{'tools':<8}{len(agent['tools']) or 'none'}"
    for tool in agent["tools"]:
        yield f"{'':<8}{tool['id']} · {tool['permission']}{' · client' if tool['kind'] == 'client' else ''}"
        if tool["description"]:
            yield f"{'':<10}{tool['description'].splitlines()[0]}"
        yield f"{'':<10}{json.dumps(tool['input_schema'], ensure_ascii=False)}"
    yield from (f"{'missing':<8}{problem}" for problem in about["missing"])
    if not about["missing"]:
        yield f"{'ready':<8}nothing is missing: agents chat"
