"""A line of `agents` for a person to paste into the shell it was started from."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

PROGRAM = "agents"


def to_paste(*arguments: str) -> str:
    """Return the line, with the program as that shell finds it."""
    return shlex.join([_program(), *arguments])


def _program() -> str:
    """The bare name where it leads here; otherwise what was typed, such as `.venv/bin/agents`."""
    typed, found = sys.argv[0], shutil.which(PROGRAM)
    if Path(typed).name != PROGRAM or (found is not None and Path(found).absolute() == Path(typed).absolute()):
        return PROGRAM
    return typed
