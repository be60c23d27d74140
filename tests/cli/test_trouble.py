"""Tests of conversations in trouble: a session that cannot be saved, tools that end the program or read its input."""

from __future__ import annotations

import resource
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.at_terminal import AtATerminal
    from tests.cli.conftest import Project, Run, Start

FULL = """
    import os, pathlib, resource

    def fill(request):
        "From here on, no file of this process gets longer than the session's is."
        (journal,) = pathlib.Path(os.environ["AGENTS_SDK_DATA_DIR"]).rglob("journal.jsonl")
        resource.setrlimit(resource.RLIMIT_FSIZE, (journal.stat().st_size, resource.RLIM_INFINITY))
        return reply("A beginning.")

    agent = agents.Agent(name="tester", model=ScriptedModel([fill, reply("Again."), reply("More.")]))
"""
KEPT_WHOLE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""The tests share their compiled code: none of it may be cut short."""
RESUME = "The turn goes on when it is opened again. Go on with: agents chat --resume"


class TestASessionThatCannotBeSaved:
    @pytest.mark.parametrize("arguments", [("-m", "go"), ("--json", "-m", "go"), ()])
    def test_ends_the_command_over_pipes_with_what_is_wrong_and_how_to_go_on(
        self, arguments: tuple[str, ...], project: Project, run: Run
    ) -> None:
        project.write(FULL)
        done = run("chat", *arguments, typed="go\nmore\n", **KEPT_WHOLE)
        assert done.returncode == 1
        wrong, how = done.stderr.splitlines()
        assert "cannot be written: File too large." in wrong
        assert how.startswith(RESUME)

    @pytest.fixture
    def stuck(self, project: Project, at_terminal: Start) -> AtATerminal:
        project.write(FULL)
        terminal = at_terminal("chat", columns=400, **KEPT_WHOLE)
        terminal.wait_for("/help")
        terminal.type("go")
        terminal.wait_for("waiting until the session can be saved")
        assert "cannot be written: File too large." in terminal.shown
        return terminal

    @pytest.mark.parametrize("keys", ["\x04", "/exit\r", "\x03\x03", "\x03\x04"])
    def test_can_be_left_at_a_terminal(self, keys: str, stuck: AtATerminal) -> None:
        stuck.press(keys)
        stuck.ends(1)
        assert RESUME in stuck.shown

    def test_that_does_not_take_the_interruption_either_says_so(self, stuck: AtATerminal) -> None:
        stuck.press("\x03")
        stuck.wait_for(
            "Nothing was applied. The session can still be read; make room or mend the disk, then try again.\n"
        )
        stuck.press("\x04")
        stuck.ends(1)
        assert "Traceback" not in stuck.shown

    @pytest.mark.skipif(sys.platform != "linux", reason="another process's limits are Linux's to set")
    def test_goes_on_once_it_can(self, stuck: AtATerminal) -> None:
        assert stuck.process.pid is not None
        resource.prlimit(stuck.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        stuck.wait_for(" tokens (")
        stuck.type("more")
        stuck.wait_for("More.")
        stuck.press("\x04")
        stuck.ends(0)


ENDS = """
    import sys

    @agents.tool
    def leave() -> str:
        "Leave."
        sys.exit(4)

    @agents.tool
    async def stop() -> str:
        "Stop."
        raise KeyboardInterrupt

    def named(tool):
        return agents.Agent(name=tool.name, tools=[tool], model=ScriptedModel([call(tool.name), reply("x", hold=gate)]))

    one, other = named(leave), named(stop)
"""
BY = {"leave": "Tool leave ended the program: SystemExit: 4", "stop": "Tool stop ended the program: KeyboardInterrupt"}


@pytest.mark.parametrize("tool", BY)
class TestAToolThatEndsTheProgram:
    def test_ends_the_conversation_at_a_terminal(self, tool: str, project: Project, at_terminal: Start) -> None:
        project.write(ENDS)
        terminal = at_terminal("chat", tool)
        terminal.wait_for("/help")
        terminal.type("go")
        terminal.ends(1)
        assert BY[tool] in terminal.rows
        assert "Traceback" not in terminal.shown
        assert f"Go on with: agents chat {tool} --resume" in terminal.shown.replace("\n", "")

    @pytest.mark.parametrize("arguments", [("-m", "go"), ("--json", "-m", "go"), ()])
    def test_ends_it_over_pipes(self, arguments: tuple[str, ...], tool: str, project: Project, run: Run) -> None:
        project.write(ENDS)
        done = run("chat", tool, *arguments, typed="go\nmore\n")
        assert done.returncode == 1
        by, how = done.stderr.splitlines()
        assert by == f"agents: {BY[tool]}"
        assert f"Go on with: agents chat {tool} --resume" in how


READS = """
    import subprocess

    @agents.tool
    def read() -> str:
        "Read what is typed."
        return input()

    @agents.tool
    def child() -> str:
        "Let a child read it."
        return repr(subprocess.run(["cat"], capture_output=True, text=True, check=True).stdout)

    def last(request):
        return reply(f"Heard {request.messages[-1].content}.")

    agent = agents.Agent(
        name="tester", tools=[read, child], model=ScriptedModel([calls(call("read"), call("child")), last, last])
    )
"""


class TestAToolThatReadsTheInput:
    def test_finds_it_empty_at_a_terminal_and_the_keys_stay_with_the_conversation(
        self, project: Project, at_terminal: Start
    ) -> None:
        project.write(READS)
        terminal = at_terminal("chat")
        terminal.wait_for("/help")
        terminal.type("go")
        terminal.wait_for("EOFError: EOF when reading a line")
        terminal.wait_for("Heard ''.")
        terminal.type("more")
        terminal.wait_for("Heard more.")
        terminal.press("\x04")
        terminal.ends(0)

    def test_finds_it_empty_over_pipes_and_the_lines_stay_with_the_conversation(
        self, project: Project, run: Run
    ) -> None:
        project.write(READS)
        done = run("chat", typed="go\nmore\n")
        assert done.returncode == 0
        assert "EOFError: EOF when reading a line" in done.stdout
        assert "Heard ''." in done.stdout
        assert "Heard more." in done.stdout
