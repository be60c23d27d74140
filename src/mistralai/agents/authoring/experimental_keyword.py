"""Warns that a keyword is experimental: once a keyword and process."""

from __future__ import annotations

import os
import warnings
from typing import Final

from mistralai.agents.values.errors import ExperimentalWarning

VARIABLE: Final = "AGENTS_SDK_EXPERIMENTAL_WARNINGS"
_WARNED: set[str] = set()


def warn_experimental(keyword: str, *, stacklevel: int = 2) -> None:
    """Warn the caller's caller, unless it was warned of this keyword before or the environment hides it."""
    if keyword in _WARNED or os.environ.get(VARIABLE) == "0":
        return
    _WARNED.add(keyword)
    warnings.warn(
        f"{keyword} is experimental: it may change or go in any release. {VARIABLE}=0 hides this warning.",
        ExperimentalWarning,
        stacklevel=stacklevel + 1,
    )
