"""Importing the project's module into this process, and saying where in the project it stopped."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from mistralai.agents.cli.problem import Problem, one_line

if TYPE_CHECKING:
    from types import ModuleType

    from mistralai.agents.cli.project import Entrypoint


def import_project(at: Entrypoint) -> ModuleType:
    """Import the module in which an agent is defined. Raises Problem."""
    if sys.path[:1] != [str(at.directory)]:
        sys.path.insert(0, str(at.directory))
    try:
        if at.file is not None and not _leads_to(at.module, at.file):
            return _import_file(at.file)
        return import_module(at.module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a module raises: nothing of it runs any more
        if isinstance(error, ModuleNotFoundError) and error.name and f"{at.module}.".startswith(f"{error.name}."):
            raise Problem(f"{at.told_by} names the module {at.module}, which is not in {at.directory}.") from error
        raise Problem(f"{at.module} cannot be imported: {one_line(error)}{_place(error, at)}") from error


def _leads_to(name: str, file: Path) -> bool:
    """Whether a name is that file's: `json.py` and `agent.v2.py` have none that is their own."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin) == file


def _import_file(file: Path) -> ModuleType:
    name = f"agents_of_{re.sub(r'\W', '_', file.stem)}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python module")
    sys.modules[name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
