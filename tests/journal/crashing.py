"""Running the story in a process that dies at a named point of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.journal import story

SECONDS = 30


def crash(place: Path, point: str, *options: str) -> dict[str, Any]:
    """Let a process tell the story until it is killed at the point; return what it had said."""
    done = subprocess.run(
        [sys.executable, str(Path(story.__file__)), str(place), *options],
        env={**os.environ, "AGENTS_SDK_CRASH_AT": point},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, f"{point} was never reached: {done.stdout}{done.stderr}"
    said: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        said |= json.loads(line)
    return said
