"""What a person waits for after Enter: the command's help, and the first character of an answer at a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

AGENTS = str(Path(sys.executable).with_name("agents"))
BARE = (sys.executable, "-c", "print('x')")
HELP = (AGENTS, "--help")
CHAT = (AGENTS, "chat", "--demo", "-m", "hi")
ROUNDS = 15


def figures() -> Iterator[Figure]:
    """Wall time to the first output, less that of an interpreter that only prints."""
    with tempfile.TemporaryDirectory() as scratch:
        environ = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPYCACHEPREFIX": f"{scratch}/bytecode",
            "AGENTS_SDK_DATA_DIR": f"{scratch}/data",
            "TERM": "xterm-256color",
        }
        first = partial(_first_output_ms, environ)
        measures = [
            partial(first, BARE, b"x"),
            partial(first, HELP, b"Usage"),
            # The answer's first word, for its first letter also stands in what was typed.
            partial(first, CHAT, b"I am"),
        ]
        for measure in measures:
            measure()  # compiles, and brings the files into memory
        rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
        bare, shown, answered = (min(column) for column in zip(*rounds, strict=True))
    name = "agents --help (floor: python that prints), wall"
    yield Figure(name=name, value=shown, unit="ms", floor=bare, most_above=250.0)
    name = "agents chat --demo -m hi to the answer's first words, wall"
    yield Figure(name=name, value=answered, unit="ms", floor=bare, most_above=600.0)


def _first_output_ms(environ: Mapping[str, str], command: tuple[str, ...], text: bytes) -> float:
    ours, theirs = pty.openpty()
    started = time.perf_counter()
    with subprocess.Popen(
        command, env=environ, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        read = b""
        while text not in read:
            if not (more := _more(ours)):
                raise RuntimeError(f"{command} ended without showing {text!r}: {read!r}")
            read += more
        taken = (time.perf_counter() - started) * 1000
        while _more(ours):
            pass
        process.wait()
    os.close(ours)
    return taken


def _more(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so where the other end is closed
        return b""
