"""What a fresh interpreter pays for the import, for one tool and an agent, and until the model reads a first byte."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from functools import partial
from textwrap import dedent
from typing import TYPE_CHECKING

from benchmarks.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROUNDS = 15
NOTHING = "pass"
IMPORT = "import mistralai.agents"
SCHEMA = "from pydantic import TypeAdapter\ndef f(title: str) -> str: ...\nTypeAdapter(f).json_schema()"
ONE_TOOL = dedent('''
    from mistralai import agents

    @agents.tool
    def look_up(title: str) -> str:
        """Look a book up.

        Args:
            title: The title on the cover.
        """
        return title

    librarian = agents.Agent(model="mistral-large-4", instructions="Help readers find books.", tools=[look_up])
''')
FIRST_TURN = f"{ONE_TOOL}\nimport asyncio\nasyncio.run(librarian.run('Is Middlemarch there?'))"
FIRST_REQUEST = dedent("""
    import asyncio, os, aiohttp

    async def main():
        async with aiohttp.ClientSession() as client:
            await client.post(os.environ["MISTRAL_SERVER_URL"], data=b"{}")

    asyncio.run(main())
""")


def figures() -> Iterator[Figure]:
    """CPU of imports, wall time to the first byte. Bytecode is cached, as after any program's first run."""
    with tempfile.TemporaryDirectory() as bytecode, socket.create_server(("127.0.0.1", 0)) as server:
        environ = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPYCACHEPREFIX": bytecode,
            "MISTRAL_API_KEY": "key",
            "MISTRAL_SERVER_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
        }
        cpu = partial(_cpu_ms, environ)
        programs = (NOTHING, IMPORT, SCHEMA, ONE_TOOL)
        bare, imported, schema, one_tool = _least([partial(cpu, code) for code in programs])
        yield Figure(
            name="import mistralai.agents (floor: pass), CPU", value=imported, unit="ms", floor=bare, most_above=25.0
        )
        name = "import, one @tool and an Agent (floor: pydantic alone), CPU"
        yield Figure(name=name, value=one_tool, unit="ms", floor=schema, most=150.0)
        wall = partial(_first_byte_ms, environ, server)
        first, least = _least([partial(wall, code) for code in (FIRST_TURN, FIRST_REQUEST)])
        name = "a fresh process to the first byte sent (floor: aiohttp), wall"
        yield Figure(name=name, value=first, unit="ms", floor=least, most=450.0)


def _least(measures: list[Callable[[], float]]) -> list[float]:
    """The least of each: the work is the same every time, and what else the machine does only adds to it."""
    for measure in measures:
        measure()  # compiles, and brings the files into memory
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*rounds, strict=True)]


def _start(environ: Mapping[str, str], code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], env=environ, stderr=subprocess.DEVNULL)


def _cpu_ms(environ: Mapping[str, str], code: str) -> float:
    process = _start(environ, code)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"This program failed: {code}")
    return (used.ru_utime + used.ru_stime) * 1000


def _first_byte_ms(environ: Mapping[str, str], server: socket.socket, code: str) -> float:
    server.settimeout(30.0)
    started = time.perf_counter()
    with _start(environ, code) as process:
        connection, _ = server.accept()
        with connection:
            connection.recv(1)
            taken = (time.perf_counter() - started) * 1000
            process.kill()
    return taken
