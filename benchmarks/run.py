"""Runs the benchmarks and shows each figure beside its floor and its bar: `python -m benchmarks.run [PART ...]`.

Every part is measured in processes of its own; the model is a server on loopback in another. Ends with status 1 if a
figure is over its bar.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from benchmarks import command_line, model_server, starts
from benchmarks.figures import Figure, heading, line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LINEAR = 8 * 1.25
"""The bar of eight times the size: linear growth, with a quarter for what the machine does beside it."""


def turns(url: str) -> Iterator[Figure]:
    """A turn beside the bare loop."""
    for kind, at_once, bar in (("async", 1, None), ("async", 50, 2.5), ("sync", 1, None), ("sync", 50, 2.5)):
        name = f"a turn, {at_once} at once, {kind} tool (floor: aiohttp), CPU"
        yield Figure(name=name, unit="ms", most_times=bar, **_measure("turns", url, kind, str(at_once)))


def imports(_: str) -> Iterator[Figure]:
    """What a fresh interpreter pays."""
    yield from starts.figures()


def command(_: str) -> Iterator[Figure]:
    """What a person waits for after Enter."""
    yield from command_line.figures()


def sessions(url: str) -> Iterator[Figure]:
    """Memory and tasks of sessions that do nothing."""
    kinds = {"started": ("an idle session", 12.0), "answered": ("an idle session after a turn", 12.0)}
    for kind, (name, bar) in {**kinds, "blocked": ("a blocked session", 20.0)}.items():
        found = _measure("sessions", url, kind)
        yield Figure(name=f"{name}, memory", value=found["kb"], unit="KB", most=bar)
        yield Figure(name=f"{name}, asyncio tasks", value=found["tasks"], unit="", most=0.0)


def crowd(url: str) -> Iterator[Figure]:
    """Many sessions that wait."""
    found = _measure("sessions", url, "crowd")
    yield Figure(name="10,000 blocked sessions, memory of the process", value=found["mb"], unit="MB", most=250.0)
    name = "answering one of them, until its turn runs again, CPU"
    yield Figure(name=name, value=found["answer_ms"], unit="ms", most=5.0)


def durable(url: str) -> Iterator[Figure]:
    """Saved sessions."""
    found = _measure("durable", url)
    yield Figure(name="a saved turn, 1 at once (floor: not saved), CPU", unit="ms", most_above=1.5, **found["turn"])
    yield Figure(name="opening a session of 10,000 events, CPU", value=found["opening"], unit="ms", most=150.0)


def parked(url: str) -> Iterator[Figure]:
    """Many saved sessions that wait, in a process that may open few files."""
    found = _measure("parked", url)
    yield Figure(name="10,000 blocked saved sessions, memory of the process", value=found["mb"], unit="MB", most=250.0)
    name = "leaving one blocked, from its start, CPU"
    yield Figure(name=name, value=found["block_ms"], unit="ms", most=5.0)
    name = "answering a parked one (floor: one whose file is open), CPU"
    yield Figure(name=name, value=found["parked_ms"], floor=found["open_ms"], unit="ms", most_times=2.0)


def length(url: str) -> Iterator[Figure]:
    """A long session's late turns beside its early ones."""
    name = "turns 450-500 of a session (floor: 50-100), CPU"
    yield Figure(name=name, unit="ms", most_times=1.5, **_measure("long_session", url))


def growth(url: str) -> Iterator[Figure]:
    """Turns of eight times the size."""
    for name, found in _measure("growth", url).items():
        yield Figure(name=name, unit="ms", most_times=LINEAR, **found)


def hooks(url: str) -> Iterator[Figure]:
    """The price of a hook that does nothing."""
    found = _measure("hooks", url)
    if "missing" in found:
        print(f"  skipped: the loop does not call a hook at {', '.join(found['missing'])}")
        return
    yield Figure(name="a turn with an idle hook at all points (floor: none), CPU", unit="ms", most_times=1.1, **found)


PARTS: dict[str, tuple[str, Callable[[str], Iterator[Figure]]]] = {
    "turns": ("Two streamed model calls and one tool", turns),
    "imports": ("A fresh interpreter", imports),
    "command": ("The command line", command),
    "sessions": ("A thousand sessions, per session", sessions),
    "length": ("One long session", length),
    "growth": ("A turn of eight times the size", growth),
    "hooks": ("Hooks", hooks),
    "crowd": ("Ten thousand sessions", crowd),
    "durable": ("Saved sessions", durable),
    "parked": ("Ten thousand saved sessions, 1,024 open files", parked),
}


def _measure(module: str, url: str, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", f"benchmarks.{module}", url, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(names: list[str]) -> int:
    """Run the parts of these names, or all."""
    if unknown := sorted(set(names) - set(PARTS)):
        print(f"There is no part {', '.join(unknown)}. The parts are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores")
    over: list[str] = []
    with model_server.running() as url:
        for title, part in (PARTS[name] for name in names or PARTS):
            print(f"\n{heading(title)}", flush=True)
            for figure in part(url):
                print(line(figure), flush=True)
                if figure.over:
                    over.append(figure.name)
    print(f"\n{'all bars hold' if not over else f'over the bar: {"; ".join(over)}'}")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
