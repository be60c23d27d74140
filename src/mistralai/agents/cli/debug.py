"""Whether errors are shown with where they come from."""

from __future__ import annotations

import logging

_SHOWN = {"traceback": False}


def set_debug(wanted: bool) -> bool:
    """Take note of `--debug`, wherever on the command line it stands."""
    if wanted:
        _SHOWN["traceback"] = True
    return wanted


def traceback_shown() -> bool:
    """Whether `--debug` was given."""
    return _SHOWN["traceback"]


def show_traceback(error: BaseException) -> None:
    """Print where an error comes from, if `--debug` was given."""
    if traceback_shown():
        import traceback

        traceback.print_exception(error)


def keep_logs_quiet() -> None:
    """Keep the SDK's log from the terminal: what a person is to know of it, the conversation tells."""
    logger = logging.getLogger("mistralai.agents")
    if not traceback_shown():
        logger.addHandler(logging.NullHandler())
    elif not logger.hasHandlers() and logging.lastResort is not None:
        logger.addHandler(
            logging.lastResort
        )  # the conversation adds a handler of its own, which would silence this one
