"""Reads the summary and the parameter descriptions of a docstring, in Google, NumPy or reST style."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTION = re.compile(r"^\s*:\w|^\s*\w[\w ]*:\s*$|^\s*-{3,}\s*$", re.MULTILINE)


def summary_of(docstring: str | None) -> str:
    """The first paragraph on one line; `""` for none."""
    if not docstring:
        return ""
    first = inspect.cleandoc(docstring).partition("\n\n")[0]
    if (section := _SECTION.search(first)) is not None:
        first = first[: section.start()]
    return " ".join(first.split())


def parameter_descriptions(docstring: str | None) -> Mapping[str, str]:
    """What the docstring says about each parameter, by name, each on one line."""
    if not docstring or _SECTION.search(text := inspect.cleandoc(docstring)) is None:
        return {}  # no section of any style: the parser, which takes 70 ms to import, is not needed
    import griffe

    # A style is chosen by the sections found. Complaints are about how the docstring is written; nobody can act here.
    written = griffe.Docstring(text)
    written.value = f"\n{written.value}\n"  # it takes a field for one only between two ends of lines
    parsed = griffe.parse_auto(
        written,
        per_style_options={"google": {"warnings": False}, "numpy": {"warnings": False}, "sphinx": {"warnings": False}},
    )
    found: dict[str, str] = {}
    for section in parsed:
        if section.kind in (griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.other_parameters):
            items: list[Any] = section.value
            for item in items:
                description = " ".join(str(item.description).split())
                if description:
                    for name in str(item.name).split(","):
                        found[name.strip().lstrip("*")] = description
    return found
