"""The project's agent: where it is defined, and loading it into this process."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.problem import Problem, one_line

if TYPE_CHECKING:
    from types import ModuleType

    from mistralai.agents.handles.agent import Agent

MODULE, ATTRIBUTE = "main", "agent"
TABLE = "[tool.mistralai.agents]"


@dataclass(frozen=True, slots=True)
class Entrypoint:
    """Where an agent is defined."""

    directory: Path
    """The project's directory, from which its modules are imported."""
    module: str
    attribute: str
    told_by: str
    """The file or argument that says so."""


def find_entrypoint(given: str | None = None) -> Entrypoint:
    """Find where the agent is: at a path, in `module:attribute`, or in the current directory for None.

    Raises Problem where nothing is there.
    """
    if given is None:
        return _of_directory(Path.cwd())
    path = Path(given).expanduser().absolute()
    if path.is_dir():
        return _of_directory(path)
    if path.suffix == ".py":
        if not path.is_file():
            raise Problem(f"There is no file {given}. Name a file or directory that is there.", exit_code=2)
        return Entrypoint(path.parent, path.stem, ATTRIBUTE, path.name)
    if ":" in given:
        return _named(Path.cwd(), given, "--agent")
    raise Problem(
        f"There is no agent at {given!r}. Name a directory, a file such as main.py, or module:attribute.", exit_code=2
    )


def load_agent(at: Entrypoint, name: str | None = None) -> Agent[Any]:
    """Import the project's module and return its agent, or the one of that name in it. Raises Problem."""
    if name is None:
        return _attribute(_import(at), at)
    there = agents_of(at)
    if name not in there:
        has = f"It has {', '.join(sorted(there))}." if there else "It has none."
        raise Problem(f"{at.module} has no agent named {name!r}. {has}", exit_code=2)
    return there[name]


def agents_of(at: Entrypoint) -> dict[str, Agent[Any]]:
    """Import the project's module and return its agents, by name. Raises Problem."""
    from mistralai.agents.handles.agent import Agent

    return {agent.name: agent for agent in vars(_import(at)).values() if isinstance(agent, Agent)}


def _of_directory(directory: Path) -> Entrypoint:
    settings = directory / "pyproject.toml"
    if (named := _entrypoint_setting(settings)) is not None:
        return _named(directory, named, settings.name)
    if (directory / f"{MODULE}.py").is_file():
        return Entrypoint(directory, MODULE, ATTRIBUTE, f"{MODULE}.py")
    raise Problem(
        f"There is no agent in {directory}: no {MODULE}.py, and no entrypoint in {TABLE} of a pyproject.toml. Run this "
        "where your agent is, name it with --agent, or make a project with: agents init NAME"
    )


def _entrypoint_setting(settings: Path) -> str | None:
    import tomllib

    try:
        table: Any = tomllib.loads(settings.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Problem(f"{settings} cannot be read: {one_line(error)}") from error
    for key in ("tool", "mistralai", "agents", "entrypoint"):
        if not isinstance(table, dict) or key not in table:
            return None
        table = table[key]  # pyright: ignore[reportUnknownVariableType]  # TOML holds anything
    if not isinstance(table, str):
        raise Problem(f'{settings}: entrypoint in {TABLE} is {table!r}. Write "module:attribute".')
    return table


def _named(directory: Path, named: str, told_by: str) -> Entrypoint:
    module, _, attribute = named.partition(":")
    if not all(part.isidentifier() for part in module.split(".")) or not attribute.isidentifier():
        raise Problem(f'{told_by}: {named!r} is no entry point. Write "module:attribute", such as "main:agent".')
    return Entrypoint(directory, module, attribute, told_by)


def _import(at: Entrypoint) -> ModuleType:
    if sys.path[:1] != [str(at.directory)]:
        sys.path.insert(0, str(at.directory))
    try:
        return import_module(at.module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == at.module:
            raise Problem(f"{at.told_by} names the module {at.module}, which is not in {at.directory}.") from error
        raise Problem(f"{at.module} cannot be imported: {one_line(error)}{_place(error, at)}") from error


def _place(error: BaseException, at: Entrypoint) -> str:
    """Where in the project's own files an import stopped, and what to do."""
    if isinstance(error, ModuleNotFoundError):
        return f". Install {error.name} in this environment ({sys.prefix})."
    if isinstance(error, SyntaxError):
        return ""
    place, trace = "", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(at.directory):
            place = f" ({file.relative_to(at.directory)}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{place}. See --debug for the whole of it."


def _attribute(module: ModuleType, at: Entrypoint) -> Agent[Any]:
    from mistralai.agents.handles.agent import Agent

    found: object = getattr(module, at.attribute, None)
    if isinstance(found, Agent):
        return found  # pyright: ignore[reportUnknownVariableType]  # of whatever output
    there = [name for name, value in vars(module).items() if isinstance(value, Agent)]
    if found is not None:
        raise Problem(f"{at.attribute} in {at.module} is {type(found).__name__}, not an agents.Agent.")
    hint = f" It has {', '.join(there)}: choose with --agent {at.module}:{there[0]}" if there else ""
    raise Problem(f"{at.module} has no {at.attribute!r}. Define one: {at.attribute} = agents.Agent(...).{hint}")
