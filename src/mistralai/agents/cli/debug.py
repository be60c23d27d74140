"""Whether errors are shown with where they come from."""

from __future__ import annotations

_SHOWN = {"traceback": False}


def set_debug(wanted: bool) -> bool:
    """Take note of `--debug`, wherever on the command line it stands."""
    if wanted:
        _SHOWN["traceback"] = True
    return wanted


def traceback_shown() -> bool:
    """Whether `--debug` was given."""
    return _SHOWN["traceback"]
