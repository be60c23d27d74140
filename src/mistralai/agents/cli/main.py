"""The `agents` command once `mistralai.agents` is known to be importable: what goes wrong is one line and a code."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "agents"
FAILED, USAGE, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0, 1 (failed), 2 (usage), 130 (Ctrl+C).

    None reads the program's own arguments.
    """
    from mistralai.agents.cli.streams import replace_closed

    given = list(sys.argv[1:] if arguments is None else arguments)
    if not replace_closed():
        return _say("Standard output is closed. Lead it to /dev/null where nobody reads it.", FAILED)
    try:
        import typer
    except ModuleNotFoundError:
        if (code := _without_terminal_packages(given)) is None:
            raise
        return code
    from mistralai.agents.cli.commands import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character that the locale lacks is no reason to stop
    try:
        returned: Any = app(args=given or ["--help"], prog_name=PROGRAM, standalone_mode=False)
    except ModuleNotFoundError:
        raise
    except BrokenPipeError:
        # Whoever read the output has left, and what is in Python's buffer goes nowhere either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (KeyboardInterrupt, typer.Abort) as stop:
        by_key = isinstance(stop, KeyboardInterrupt) or isinstance(stop.__cause__, KeyboardInterrupt)
        return _say("stopped", INTERRUPTED if by_key else FAILED)
    except Exception as error:
        # What typer raises for arguments that do not fit: the class above the one it lets programs raise.
        unfit = typer.BadParameter.__mro__[1]
        return _unfit(error, given) if isinstance(error, unfit) else _failed(error)
    if returned == INTERRUPTED:  # what typer makes of Ctrl+C
        return _say("stopped", INTERRUPTED)
    if not given:
        return USAGE
    return returned if isinstance(returned, int) else 0


def _unfit(error: Any, given: list[str]) -> int:
    from mistralai.agents.cli.commands import app

    said = " ".join(error.format_message().split())
    # An option without its value is found before there is a context that knows the command.
    names = [command.callback.__name__ for command in app.registered_commands if command.callback is not None]
    typed = next((f"{PROGRAM} {word}" for word in given if word in names), PROGRAM)
    where = typed if error.ctx is None else error.ctx.command_path
    return _say(f"{said}{'' if said.endswith(('.', '?')) else '.'} See: {where} --help", USAGE)


def _failed(error: Exception) -> int:
    from mistralai.agents.cli.debug import show_traceback
    from mistralai.agents.cli.problem import Problem, one_line
    from mistralai.agents.values.errors import AgentsError

    show_traceback(error)
    code = error.exit_code if isinstance(error, Problem) else FAILED
    if isinstance(error, Problem | AgentsError | OSError):
        return _say(one_line(error), code)
    return _say(f"unexpected {one_line(error)}. Run it with --debug to see where it comes from.", code)


def _without_terminal_packages(given: list[str]) -> int | None:
    """Carry out what needs none of them; None for anything else."""
    match given:
        case ["--version"]:
            from mistralai.agents.cli.version import version

            print(f"fanal {version()}")
            return 0
        case ["info", *rest] if set(rest) <= {"--json"}:
            from mistralai.agents.cli.info import info

            return info(None, as_json=bool(rest))
        case _:
            return None


def _say(sentence: str, code: int) -> int:
    from mistralai.agents.cli.chat.clean import one_row

    print(f"{PROGRAM}: {one_row(sentence)}", file=sys.stderr)  # it may hold what a project or a server said
    return code
