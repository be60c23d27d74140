"""The `agents` command once `mistralai.agents` is known to be importable: its arguments and what each prints."""

from __future__ import annotations

import argparse
import platform
import sys
from importlib import metadata
from pathlib import Path


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 1 (failed), 2 (usage). None reads the program's own arguments."""
    parser = argparse.ArgumentParser(prog="agents", description="Fanal, an open agents SDK.")
    parser.add_argument("--version", action="version", version=f"fanal {metadata.version('fanal')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("info", help="what is installed, and where")
    if parser.parse_args(arguments).command is None:
        parser.print_help(sys.stderr)
        return 2
    return info()


def info() -> int:
    """Print what is installed. That nothing stands in its way was made sure of before this module was imported."""
    print(f"fanal   {metadata.version('fanal')}")
    print(f"python  {platform.python_version()} ({sys.executable})")
    print(f"import  mistralai.agents ({Path(__file__).parent.parent})")
    return 0
