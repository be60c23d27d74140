"""Where the command keeps what is the user's: saved sessions, and the lines that were typed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mistralai.agents.cli.problem import Problem

VARIABLE = "AGENTS_SDK_DATA_DIR"


def data_directory(given: str | None = None) -> Path:
    """Return the directory: the one given, the one the environment names, or where the system keeps such data."""
    if named := given or os.environ.get(VARIABLE):
        return Path(named).expanduser().absolute()
    match sys.platform:
        case "darwin":
            return Path.home() / "Library" / "Application Support" / "fanal"
        case "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "fanal"
        case _:
            base = os.environ.get("XDG_DATA_HOME", "")
            # A relative path there is to be ignored, says the standard that the variable comes from.
            return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share") / "fanal"


def existing_data_directory(given: str | None = None) -> Path:
    """Return the same to read from. Raises Problem where the one given is not there: that is a slip of the keyboard."""
    data = data_directory(given)
    if given is not None and not data.is_dir():
        raise Problem(f"--data-dir is {given!r}, and there is no such directory.", exit_code=2)
    return data


def sessions_directory(data: Path) -> Path:
    """Return where sessions are saved."""
    return data / "sessions"


def typed_lines(data: Path) -> Path:
    """Return the file of the lines typed in conversations."""
    return data / "typed-lines"
