"""How this package came into its environment, so that what is installed next comes the same way."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Installation:
    """Where the package came from, and what installs into its environment."""

    directory: str | None = None
    """The directory it was installed from; None if it was none."""
    editable: bool = False
    """Whether the code in that directory is what runs."""
    git: str | None = None
    """The address of the repository it was installed from, without the commit; None if it was none."""
    commit: str | None = None
    url: str | None = None
    """The address of the file it was installed from; None if it was none."""
    uv: bool = False
    """Whether uv made the environment, which has no pip then."""

    @property
    def source(self) -> str | None:
        """What uv is to take the package from, as TOML; None for a registry."""
        if self.directory is not None:
            return f"{{ path = {json.dumps(self.directory)}{', editable = true' if self.editable else ''} }}"
        if self.git is not None:
            return f"{{ git = {json.dumps(self.git)}{f', rev = {json.dumps(self.commit)}' if self.commit else ''} }}"
        return f"{{ url = {json.dumps(self.url)} }}" if self.url is not None else None

    def requirement(self, extra: str) -> str:
        """Return what `pip install` takes to install the package from there with an extra."""
        if self.directory is not None:
            return f"{self.directory}[{extra}]"
        if self.git is not None:
            return f"fanal[{extra}] @ git+{self.git}{f'@{self.commit}' if self.commit else ''}"
        return f"fanal[{extra}]" + (f" @ {self.url}" if self.url is not None else "")

    def line(self, *requirements: str) -> str:
        """Return the line for the shell that installs into this environment."""
        return f"{'uv pip' if self.uv else 'pip'} install {shlex.join(requirements)}"


def installation() -> Installation:
    """Return how the running package was installed."""
    from importlib import metadata

    made_by_uv = _made_by_uv()
    try:
        about: Any = json.loads(metadata.distribution("fanal").read_text("direct_url.json") or "{}")
        url = str(about.get("url") or "")
        path = Path(unquote(urlsplit(url).path)) if url.startswith("file:") else None
        if "dir_info" in about and path is not None and path.is_dir():
            return Installation(directory=str(path), editable=bool(about["dir_info"].get("editable")), uv=made_by_uv)
        if (vcs := about.get("vcs_info", {})).get("vcs") == "git":
            return Installation(git=url, commit=vcs.get("commit_id"), uv=made_by_uv)
        if "archive_info" in about and (path is None or path.is_file()):
            return Installation(url=url, uv=made_by_uv)
    except (metadata.PackageNotFoundError, OSError, ValueError, AttributeError):
        pass  # what is written there is for installers: without it there is still the registry
    return Installation(uv=made_by_uv)


def _made_by_uv() -> bool:
    try:
        settings = (Path(sys.prefix) / "pyvenv.cfg").read_text(encoding="utf-8")
    except (OSError, ValueError):
        settings = ""
    return find_spec("pip") is None and any(line.partition("=")[0].strip() == "uv" for line in settings.splitlines())
