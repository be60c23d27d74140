"""`agents info`: what is installed, the project's agent, and what is missing."""

from __future__ import annotations

import json
import platform
import sys
from contextlib import nullcontext
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.about_agent import about_agent, missing
from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.debug import show_traceback
from mistralai.agents.cli.problem import Problem
from mistralai.agents.cli.project import find_entrypoint, load_agent
from mistralai.agents.cli.signature import parameters, type_of
from mistralai.agents.cli.streams import stdout_kept
from mistralai.agents.cli.terminal_width import terminal_width
from mistralai.agents.cli.version import version

if TYPE_CHECKING:
    from collections.abc import Iterator

_LABELS = {"unmatched": "no tool for"}


def info(path: str | None, *, as_json: bool) -> int:
    """Print it, and return the exit code: 1 where there is an agent that cannot be loaded."""
    with stdout_kept() if as_json else nullcontext(print) as say:
        about, code = _about(path)
        if as_json:
            say(json.dumps(about, ensure_ascii=False, indent=2))
    if not as_json:
        width = terminal_width()
        print("\n".join(_lines(head, text, width) for head, text in _rows(about)))
    return code


def _about(path: str | None) -> tuple[dict[str, Any], int]:
    """What there is to say, and the exit code."""
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
            show_traceback(problem)
            about["agent"], about["problem"], code = None, problem.message, 1
        else:
            about["agent"] = {"where": f"{entrypoint.module}:{entrypoint.attribute}", **about_agent(agent)}
            about["missing"] = missing(agent)
    return about, code


def _lines(head: str, text: str, width: int | None) -> str:
    """A row, on as many lines as a terminal needs to break no word; they go on below where the text began."""
    row = f"{head}{one_row(text)}"
    if width is None:
        return row
    return fill(row, width, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False)


def _rows(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What stands at the left of each row, and its text."""
    for name in ("fanal", "python", "import"):
        yield f"{name:<8}", about[name]
    agent = about["agent"]
    if agent is None:
        yield f"{'agent':<8}", about["problem"]
        return
    yield f"{'agent':<8}", f"{agent['name']} ({agent['where']})"
    for name in ("description", "model", "instructions", "output", "policy", "unmatched", "limits", "hooks"):
        if (value := agent[name]) is not None:
            yield f"{'':<8}{_LABELS.get(name, name):<13}", value if isinstance(value, str) else ", ".join(value)
    yield f"{'tools':<8}", str(len(agent["tools"]) or "none")
    for tool in agent["tools"]:
        yield from _tool_rows(tool)
    yield from ((f"{'missing':<8}", problem) for problem in about["missing"])
    if not about["missing"]:
        yield f"{'ready':<8}", "nothing is missing: agents chat"


def _tool_rows(tool: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield " " * 8, f"{tool['id']} · {tool['permission']}{' · client' if tool['kind'] == 'client' else ''}"
    if tool["description"]:
        yield " " * 10, tool["description"].splitlines()[0]
    yield from ((" " * 12, line) for line in parameters(tool["input_schema"]))
    if tool["output_schema"] is not None:
        yield " " * 10, f"→ {type_of(tool['output_schema'])}"
