"""The project's agent: where it is defined, and loading it into this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.importing import import_project
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
    file: Path | None = None
    """The module's file; None where its name leads there."""


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
        return Entrypoint(path.parent, path.stem, ATTRIBUTE, path.name, path)
    if ":" in given:
        return _named(Path.cwd(), given, "--agent", exit_code=2)
    raise Problem(
        f"There is no agent at {given!r}. Name a directory, a file such as main.py, or module:attribute.", exit_code=2
    )


def load_agent(at: Entrypoint, name: str | None = None) -> Agent[Any]:
    """Import the project's module and return its agent, or the one of that name in it. Raises Problem."""
    if name is None:
        return _attribute(import_project(at), at)
    there = _by_name(at)
    if name not in there:
        has = f"It has {', '.join(sorted(there))}." if there else "It has none."
        raise Problem(f"{at.module} has no agent named {name!r}. {has}", exit_code=2)
    return _only(there[name], at)


def agents_of(at: Entrypoint) -> dict[str, Agent[Any]]:
    """Import the project's module and return its agents, by name. Raises Problem, also where two share one."""
    return {name: _only(of_that_name, at) for name, of_that_name in _by_name(at).items()}


def _by_name(at: Entrypoint) -> dict[str, dict[str, Agent[Any]]]:
    """By the name of an agent: the agents of that name, each by its attribute."""
    from mistralai.agents.handles.agent import Agent

    found: dict[str, dict[str, Agent[Any]]] = {}
    for attribute, value in vars(import_project(at)).items():
        if isinstance(value, Agent):
            agent: Agent[Any] = value  # pyright: ignore[reportUnknownVariableType]  # of whatever output
            of_that_name = found.setdefault(agent.name, {})
            if all(agent is not other for other in of_that_name.values()):
                of_that_name[attribute] = agent
    return found


def _only(found: dict[str, Agent[Any]], at: Entrypoint) -> Agent[Any]:
    agent, *others = found.values()
    if others:
        raise Problem(
            f"{at.module} has {len(found)} agents named {agent.name!r}: {', '.join(found)}. Give each a name of its "
            "own with Agent(name=), by which its saved sessions are found."
        )
    return agent


def _of_directory(directory: Path) -> Entrypoint:
    settings = directory / "pyproject.toml"
    if (named := _entrypoint_setting(settings)) is not None:
        return _named(directory, named, settings.name)
    if (file := directory / f"{MODULE}.py").is_file():
        return Entrypoint(directory, MODULE, ATTRIBUTE, file.name, file)
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


def _named(directory: Path, named: str, told_by: str, *, exit_code: int = 1) -> Entrypoint:
    module, _, attribute = named.partition(":")
    if not all(part.isidentifier() for part in module.split(".")) or not attribute.isidentifier():
        raise Problem(
            f'{told_by}: {named!r} is no entry point. Write "module:attribute", such as "main:agent".',
            exit_code=exit_code,
        )
    return Entrypoint(directory, module, attribute, told_by)


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
