"""Finds the local runtime of an event loop, and starts it when it is first needed."""

from __future__ import annotations

import asyncio
import atexit
import os
from typing import TYPE_CHECKING, Any

from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.local.runtime import Runtime

DEFAULTS: dict[str, Any] = {
    "program_timeout_seconds": 60.0,
    "journal_factory": None,
    "keep_ended_sessions": None,
    "max_model_calls": None,
}
_RUNTIMES: dict[tuple[int, int], Runtime] = {}
"""By process and loop: a forked child has none of its parent's."""


def find() -> Runtime | None:
    """Return the runtime of the running loop; None where it has not started."""
    loop = asyncio.get_running_loop()
    runtime = _RUNTIMES.get((os.getpid(), id(loop)))
    return runtime if runtime is not None and runtime.loop is loop and not runtime.closed else None


async def start(options: Mapping[str, Any] | None = None) -> Runtime:
    """Return the runtime of the running loop, started with these options if it was not running.

    Raises SdkError where it runs with another value of an option that is given.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    runtime = find()
    if runtime is not None:
        _check(runtime, given)
        return runtime
    from mistralai.agents.local.place import LocalPlace
    from mistralai.agents.local.runtime import Runtime

    _sweep()
    loop = asyncio.get_running_loop()
    runtime = _RUNTIMES[os.getpid(), id(loop)] = Runtime(loop, DEFAULTS | given)
    runtime.place = LocalPlace(runtime)
    await runtime.prime()
    return runtime


def _check(runtime: Runtime, given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if (running := runtime.options[name]) != value:
            raise SdkError(
                f"This event loop's local runtime already runs with {name}={running!r}, so {name}={value!r} cannot be "
                "set. Open the local_runtime() block before the first local session of the loop."
            )


def _sweep() -> None:
    """Drop the runtimes of loops that were closed without being shut down."""
    pid = os.getpid()
    for key, runtime in list(_RUNTIMES.items()):
        if runtime.closed or runtime.loop.is_closed() or key[0] != pid:
            del _RUNTIMES[key]
            if key[0] == pid and not runtime.closed:
                runtime.closed = True
                if runtime.saved is not None:
                    runtime.saved.abandon_all()
                runtime.report_open()


@atexit.register
def _at_exit() -> None:
    pid = os.getpid()
    for key, runtime in list(_RUNTIMES.items()):
        if key[0] == pid and not runtime.closed:
            runtime.closed = True
            runtime.report_open()
