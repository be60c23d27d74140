"""The `agents` command in a pseudo-terminal, with what a person would see on its screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

AGENTS = str(Path(sys.executable).with_name("agents"))
ROOT = Path(__file__).parents[2]
SECONDS = 15


def environment(data: Path, **more: str) -> dict[str, str]:
    """The environment of a person with an empty data directory and no keys."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(
            ("COV", "PYTHONDONT", "MISTRAL", "OPENAI", "ANTHROPIC", "PYTEST", "NO_COLOR", "FORCE_COLOR")
        )
    }
    # The projects of these tests use `tests.cli.fifo_gate`.
    return {
        **kept,
        "AGENTS_SDK_DATA_DIR": str(data),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([str(Path(AGENTS).parent), os.environ.get("PATH", os.defpath)]),
        # Each start of the command is a fresh interpreter: they share what was compiled.
        "PYTHONPYCACHEPREFIX": str(data.parent.parent / "bytecode"),
        "PYTHONPATH": str(ROOT),
        **more,
    }


class AtATerminal:
    """A command that runs at a terminal of a size."""

    def __init__(self, *arguments: str, where: Path, env: dict[str, str], columns: int = 80, rows: int = 40) -> None:
        self.screen: Any = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream: Any = pyte.ByteStream(self.screen)
        self.raw = b""
        """Everything that was written to the terminal."""
        self.process: pexpect.spawn[bytes] = pexpect.spawn(
            AGENTS, list(arguments), cwd=str(where), env=env, dimensions=(rows, columns), timeout=SECONDS
        )

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, and what has left it at the top."""
        above = ["".join(line[x].data for x in range(self.screen.columns)) for line in self.screen.history.top]
        return [row.rstrip() for row in (*above, *self.screen.display)]

    @property
    def shown(self) -> str:
        """The rows as one text."""
        return "\n".join(self.rows).strip()

    def wait_for(self, text: str) -> None:
        """Return once a text stands on the screen."""
        while text not in self.shown:
            if not self._more():
                pytest.fail(f"it ended without showing {text!r}:\n{self.shown}")

    def wait_until_gone(self, text: str) -> None:
        """Return once a text no longer stands on the screen."""
        while text in self.shown:
            if not self._more():
                pytest.fail(f"it ended and still shows {text!r}:\n{self.shown}")

    def type(self, text: str) -> None:
        """Type a line and Enter."""
        self.process.send(f"{text}\r")

    def press(self, keys: str) -> None:
        """Type without Enter."""
        self.process.send(keys)

    def end(self) -> int | None:
        """Read to the end, and return the exit code; None where a signal ended it."""
        while self._more():
            pass
        self.process.close()
        return self.process.exitstatus

    def ends(self, code: int) -> None:
        """Read to the end, which comes with this exit code."""
        ended = self.end()
        assert ended == code, f"it ended with {ended}:\n{self.shown}"

    def _more(self) -> bool:
        try:
            read = self.process.read_nonblocking(65536, SECONDS)
        except pexpect.EOF:
            return False
        except pexpect.TIMEOUT:
            pytest.fail(f"nothing more came for {SECONDS} s:\n{self.shown}")
        self.raw += read
        self._stream.feed(read)
        return True
