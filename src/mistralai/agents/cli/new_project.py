"""`agents init`: a new project in a directory of its own."""

from __future__ import annotations

import keyword
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from mistralai.agents.cli.installation import Installation, installation
from mistralai.agents.cli.problem import Problem, one_line
from mistralai.agents.cli.project_files import PROVIDERS, files

USUAL_PROVIDER = "mistral"
_NEEDED = ("fanal", "pytest")


def new_project(name: str, *, ask: bool, git: bool) -> int:
    """Write the project, and say what to do next."""
    directory = Path(name)
    in_place = directory.resolve() == Path.cwd()
    project = _project_name(directory.resolve().name if in_place or not directory.name else directory.name)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise Problem(f"{directory} is there already and not empty. Choose another name, or move it away.")
    provider, model = _choose(ask=ask and sys.stdin.isatty())
    here = installation()
    try:
        for path, text in files(project, provider, model, here).items():
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Problem(f"{directory} cannot be written: {one_line(error)}") from error
    if git and not _in_a_repository(directory):
        _make_repository(directory)
    print(f"{directory.resolve().name} is a project. Its README.md says how to go on; in short:\n")
    go_there = () if in_place else (f"cd {shlex.quote(name)}",)
    for step in (*go_there, *_steps(here, f"export {PROVIDERS[provider].key}=...")):
        print(f"  {step}")
    return 0


def _steps(here: Installation, key: str) -> tuple[str, ...]:
    """What to type next: uv gives the project an environment of its own, pip goes on in the one that this runs in."""
    if here.uv:
        return "uv sync", "uv run pytest", key, "uv run agents chat"
    return "python -m pip install pytest", "python -m pytest", key, "agents chat"


def _project_name(name: str) -> str:
    project = re.sub(r"[\s_.]+", "-", name.strip().lower())
    if project in _NEEDED:
        raise Problem(
            f"{name!r} is a package that the project needs. Give it another name, such as my-agent.", exit_code=2
        )
    if keyword.iskeyword(project):
        raise Problem(f"{name!r} is a word of Python. Give it another name, such as my-{project}.", exit_code=2)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", project):
        raise Problem(
            f"{name!r} is no name for a project. Use letters, digits and hyphens, such as my-agent.", exit_code=2
        )
    return project


def _choose(*, ask: bool) -> tuple[str, str]:
    """Return the provider and the model."""
    if not ask:
        return USUAL_PROVIDER, PROVIDERS[USUAL_PROVIDER].model
    import typer

    while (
        provider := str(typer.prompt(f"Provider ({', '.join(PROVIDERS)})", default=USUAL_PROVIDER))
    ) not in PROVIDERS:
        print(f"There is no provider {provider!r}.")
    return provider, str(typer.prompt("Model", default=PROVIDERS[provider].model))


def _in_a_repository(directory: Path) -> bool:
    return any((parent / ".git").exists() for parent in directory.absolute().parents)


def _make_repository(directory: Path) -> None:
    if shutil.which("git") is None:
        print("agents: git is not installed, so no repository was made.", file=sys.stderr)
        return
    done = subprocess.run(["git", "init", "--quiet"], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"agents: git made no repository: {' '.join(done.stderr.split())}", file=sys.stderr)
