"""Which module imports which, read from the source without running it, and which of those imports break the floors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOT = "mistralai.agents"
FLOORS = (
    {"values"},
    {"authoring"},
    {"core"},
    {"models", "programs", "sandboxes", "sources", "skills"},
    {"local", "client", "server"},
    {"handles"},
    {"cli", "web", "testing", "pattern", "experimental"},
)
FLOOR_OF = {package: number for number, packages in enumerate(FLOORS) for package in packages}
CORE, OUTSIDE, HANDLES = FLOOR_OF["core"], FLOOR_OF["models"], FLOOR_OF["handles"]

HTTP = {"aiohttp", "http", "urllib", "requests", "httpx"}
SQL = {"sqlite3", "psycopg", "asyncpg"}
FILES = {"fcntl", "io", "mmap", "os", "pathlib", "shutil", "tempfile"}
TRANSPORTS = {"selectors", "socket", "socketserver", "ssl", "subprocess"}
ASYNCIO_TRANSPORTS = {
    "create_subprocess_exec",
    "create_subprocess_shell",
    "open_connection",
    "open_unix_connection",
    "start_server",
    "start_unix_server",
    "streams",
    "subprocess",
    "transports",
}
UNKNOWN_TO = {CORE: HTTP | SQL | FILES | TRANSPORTS, HANDLES: HTTP | SQL}


class Use(NamedTuple):
    """One thing that a module names: a module, a name in one, or a built-in function it calls."""

    line: int
    name: str


def uses(source: str, module: str, *, is_package: bool = False) -> Iterator[Use]:
    """Every import of a module's source, those under TYPE_CHECKING, in functions and by `import_module` too."""
    parts = module.split(".")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                yield from (Use(node.lineno, alias.name) for alias in node.names)
            case ast.ImportFrom(module=origin, level=level):
                start = parts[: len(parts) - level + is_package] if level else []
                prefix = ".".join([*start, *([origin] if origin else [])])
                yield from (Use(node.lineno, f"{prefix}.{alias.name}") for alias in node.names)
            case ast.Attribute(value=ast.Name(id="asyncio"), attr=attribute):
                yield Use(node.lineno, f"asyncio.{attribute}")
            case ast.Call(func=ast.Name(id="open")):
                yield Use(node.lineno, "open()")
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield Use(node.lineno, name)
            case _:
                pass


def objection(package: str, name: str) -> str | None:
    """Why a module of `package` must not name this; None if it may."""
    floor = FLOOR_OF[package]
    top, _, rest = name.partition(".")
    if name == ROOT or name.startswith(f"{ROOT}."):
        other = name.removeprefix(ROOT).removeprefix(".").partition(".")[0]
        if other not in FLOOR_OF:
            return None if floor > HANDLES else f"floor {floor} must not import the package's front door"
        if other != package and FLOOR_OF[other] >= floor:
            return f"{package} is on floor {floor}, {other} on floor {FLOOR_OF[other]}, and imports only go down"
        if floor == OUTSIDE and other == "core" and not name.startswith(f"{ROOT}.core.ports"):
            return "the outside world knows core's ports, nothing else of it"
        return None
    if top in UNKNOWN_TO.get(floor, ()):
        return f"{package} knows nothing of {top}"
    if floor == CORE and (name == "open()" or (top == "asyncio" and rest.partition(".")[0] in ASYNCIO_TRANSPORTS)):
        return f"core knows nothing of {name}"
    return None


def violations(agents: Path) -> Iterator[str]:
    """One line a broken rule under the package's directory, as `file:line: what is imported: why not`."""
    for path in sorted(agents.rglob("*.py")):
        where = path.relative_to(agents)
        if len(where.parts) == 1:
            if where.name != "__init__.py":
                yield f"{where}:1: a module of the package's root stands on no floor"
            continue
        package = where.parts[0]
        if package not in FLOOR_OF:
            yield f"{where}:1: the package {package} stands on no floor"
            continue
        is_package = where.name == "__init__.py"
        module = ".".join([ROOT, *where.with_suffix("").parts[: -1 if is_package else None]])
        for use in uses(path.read_text(), module, is_package=is_package):
            if (reason := objection(package, use.name)) is not None:
                yield f"{where}:{use.line}: {use.name}: {reason}"
