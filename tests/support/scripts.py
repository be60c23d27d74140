"""Running a program of a test in an interpreter of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
import asyncio, sys
from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, gate, reply

def ready():
    print("ready", flush=True)

"""
LONGEST_SECONDS = 30.0
"""A program that runs on is a failure; no test waits this long when all is well."""


@dataclass(frozen=True)
class Finished:
    """A program that has ended."""

    code: int
    out: str
    noise: list[str]
    """The lines of its standard error, without the runtime's own warning of open sessions."""
    warnings: list[str]
    """Those warnings."""


def run_script(where: Path, text: str, *, interrupt: bool = False, arguments: tuple[str, ...] = ()) -> Finished:
    """Run a program that ends by itself, or on the SIGINT it is sent once it has called `ready()`."""
    path = where / "program.py"
    path.write_text(HEAD + dedent(text))
    command = [sys.executable, "-W", "error", *arguments, str(path)]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            if interrupt:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n", process.communicate(timeout=LONGEST_SECONDS)
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    lines = err.splitlines()
    warnings = [line for line in lines if line.startswith("agents_sdk_local_runtime_closed_open_sessions")]
    return Finished(process.returncode, out, [line for line in lines if line not in warnings], warnings)
