"""Tests of the package's front door: what it names, what it costs to enter, and that all of it is described."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from mistralai import agents

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(agents.__file__).read_text()
TREE = ast.parse(SOURCE)
MODULES = {"experimental", "hook", "pattern", "testing"}


def stubs() -> dict[str, str]:
    """The names that type checkers see, and the module each comes from."""
    block = next(node for node in TREE.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {
        alias.asname or alias.name: str(node.module)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def table() -> dict[str, str]:
    """The names that are loaded on demand, and the module each comes from."""
    node = next(node for node in TREE.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_WHERE")
    where: dict[str, str] = ast.literal_eval(node.value)
    return {name: f"mistralai.agents.{module}" for module, names in where.items() for name in names.split()}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestThePublicNames:
    def test_that_checkers_see_are_those_that_are_loaded(self) -> None:
        seen = stubs()
        assert {name: module for name, module in seen.items() if name not in MODULES} == table()
        assert {name for name in seen if name in MODULES} == MODULES

    def test_are_all_listed_in_order(self) -> None:
        listed = list(agents.__all__)
        assert set(listed) - MODULES == set(table())
        assert listed == sorted(listed)
        assert len(listed) == len(set(listed))

    def test_can_each_be_had_and_are_shown_by_dir(self) -> None:
        shown = set(dir(agents))
        for name in {*table(), *MODULES}:
            assert name in shown
            assert getattr(agents, name) is not None

    def test_are_the_only_ones_that_dir_shows_beside_what_every_module_has(self) -> None:
        public = {name for name in dir(agents) if not name.startswith("_")}
        own = {path.stem for path in Path(agents.__file__).parent.iterdir() if path.is_dir()}
        assert public - own <= {*table(), *MODULES, "annotations", "TYPE_CHECKING"}

    def test_that_are_misspelt_are_attribute_errors(self) -> None:
        misspelt = "Complted"
        with pytest.raises(AttributeError, match=r"'mistralai\.agents' has no attribute 'Complted'"):
            getattr(agents, misspelt)


class TestImportingThePackage:
    def test_loads_none_of_the_large_libraries(self) -> None:
        large = ("pydantic", "aiohttp", "asyncio", "msgspec", "griffe", "typing_extensions", "dataclasses")
        loaded = python(f"import sys, mistralai.agents; print([name for name in {large!r} if name in sys.modules])")
        assert loaded == "[]\n"

    def test_runs_no_module_of_its_own_but_the_front_door(self) -> None:
        own = "[name for name in sys.modules if name.startswith('mistralai.agents.')]"
        assert python(f"import sys, mistralai.agents; print({own})") == "[]\n"

    def test_loads_every_name_by_a_star(self) -> None:
        assert python("from mistralai.agents import *; print(Agent.__name__, tool.__name__)") == "Agent tool\n"


def public_values() -> Iterator[tuple[str, Any]]:
    for name in sorted(table()):
        yield name, getattr(agents, name)


def undescribed_members(name: str, cls: type[Any]) -> Iterator[str]:
    """The public methods and properties of a class of ours that say nothing of themselves."""
    for base in cls.__mro__:
        if not base.__module__.startswith("mistralai.agents"):
            continue
        members: dict[str, Any] = dict(vars(base))
        for member, value in members.items():
            if member.startswith("_"):
                continue
            speaks = inspect.isfunction(getattr(value, "__func__", value)) or isinstance(value, property)
            if speaks and not inspect.getdoc(getattr(cls, member)):
                yield f"{name}.{member}"


def undescribed_fields(cls: type[Any]) -> Iterator[str]:
    """The public attributes that a class, or a base of ours, declares without a string after it."""
    for base in cls.__mro__:
        # An error says that it comes from the front door; the file it stands in has fields of no other kind.
        if base.__module__.startswith("mistralai.agents."):
            yield from undescribed_attributes(base)


def undescribed_attributes(cls: type[Any]) -> Iterator[str]:
    module = importlib.import_module(cls.__module__)
    tree = ast.parse(Path(str(module.__file__)).read_text())
    node = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == cls.__name__)
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        field = statement.target.id
        said = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if not said and not field.startswith("_") and field not in ("type", "model_config"):
            yield f"{cls.__module__}.{cls.__name__}.{field}"


class TestEveryPublicName:
    def test_says_what_it_is(self) -> None:
        aliases = {"ContentBlock", "HistoryImportEntry", "ModelEvent", "ModelMessage", "Termination", "TurnState"}
        silent = [
            name
            for name, value in public_values()
            if name not in aliases and not (value.__dict__.get("__doc__") if isinstance(value, type) else value.__doc__)
        ]
        assert silent == []

    def test_has_methods_that_say_what_they_do(self) -> None:
        classes = [(name, value) for name, value in public_values() if isinstance(value, type)]
        assert [line for name, cls in classes for line in undescribed_members(name, cls)] == []

    def test_has_fields_that_say_what_they_hold(self) -> None:
        classes = [value for _, value in public_values() if isinstance(value, type)]
        assert [line for cls in classes for line in undescribed_fields(cls)] == []

    def test_belongs_to_this_package(self) -> None:
        for _, value in public_values():
            assert not isinstance(value, ModuleType)
            assert str(getattr(value, "__module__", "mistralai.agents")).startswith("mistralai.agents")

    def test_that_is_a_pydantic_model_needs_no_class_of_the_user_to_be_read(self) -> None:
        for _, value in public_values():
            if isinstance(value, type) and issubclass(value, BaseModel):
                assert value.__pydantic_complete__


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_type_checkers_know_the_type_of_all_of_it() -> None:
    command = [sys.executable, "-m", "pyright", "--verifytypes", "mistralai.agents", "--ignoreexternal", "--outputjson"]
    # pyright looks where the `python` on PATH would import the package from.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PATH": path})
    report: dict[str, Any] = json.loads(done.stdout)["typeCompleteness"]
    unclear = [
        f"{symbol['name']}: {each['message']}"
        for symbol in report["symbols"]
        if symbol["isExported"] and not (symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"])
        for each in symbol["diagnostics"]
    ]
    assert unclear == []
    assert report["completenessScore"] == 1
