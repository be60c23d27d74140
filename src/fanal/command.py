"""The first step of the `agents` command: it says what keeps `mistralai.agents` from being imported, then hands over.

It lives outside `mistralai`: where another package owns that name, nothing under `mistralai.agents` can be imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import util

VENDOR_SDK = "mistralai-agents"
TERMINAL_PACKAGES = frozenset({"click", "prompt_toolkit", "rich", "typer"})


def conflict() -> str | None:
    """Which installed package stands in the place of this one, in one sentence with what to do; None if none does."""
    spec = util.find_spec("mistralai")
    if spec is not None and spec.origin is not None:
        owner = f"the mistralai client {_version('mistralai') or 'of another project'}"
        return (
            f"{owner} takes the whole name 'mistralai' ({spec.origin}) and cannot live beside Fanal: one of the two "
            "fails to import. Install 'mistralai>=2', or keep them in environments of their own."
        )
    if (version := _version(VENDOR_SDK)) is not None:
        return (
            f"{VENDOR_SDK} {version} installs the same files as Fanal, and the later of the two wrote over the other. "
            f"Uninstall both, then install fanal: pip uninstall {VENDOR_SDK} fanal && pip install fanal"
        )
    return None


def main() -> int:
    """Run the `agents` command and return its exit code: 0, 1 (failed), 2 (usage), 130 (Ctrl+C)."""
    if (problem := conflict()) is not None:
        return _refuse(problem)
    try:
        from mistralai.agents.cli.main import main as run

        return run()
    except ModuleNotFoundError as missing:
        if missing.name not in TERMINAL_PACKAGES:
            raise
        from mistralai.agents.cli.installation import installation

        here = installation()
        line = here.line(here.requirement("cli"))
        return _refuse(f"this command needs the package {missing.name}. Install it with: {line}")


def _version(distribution: str) -> str | None:
    if not any(_is_of(distribution, name) for where in sys.path for name in _names_in(where or ".")):
        return None  # `importlib.metadata` would know too, at twice the cost of everything else here
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _is_of(distribution: str, name: str) -> bool:
    return name.lower().replace("-", "_").startswith(f"{distribution.replace('-', '_')}_") and name.endswith("-info")


def _names_in(directory: str) -> list[str]:
    with suppress(OSError):
        return os.listdir(directory)
    return []


def _refuse(sentence: str) -> int:
    print(f"agents: {sentence}", file=sys.stderr)
    return 1
