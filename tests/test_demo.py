"""Tests of the demo: run as `make demo` runs it, in a pseudo-terminal and without one, and talked to by its model."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fanal.demo import ALERT, payment_reviewer
from fanal.demo_model import DemoModel
from mistralai import agents
from mistralai.agents.testing import StrictProvider, call, reply

ROOT = Path(__file__).parent.parent
PROGRAM = (sys.executable, str(ROOT / "examples" / "payment_alert.py"))
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("MISTRAL_API_KEY", "OPENAI_BASE_URL", "DEMO_MODEL") and not name.startswith("COV")
}


class AtATerminal:
    """The demo in a pseudo-terminal."""

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            PROGRAM, stdin=slave, stdout=slave, stderr=slave, env=ENVIRONMENT, start_new_session=True, close_fds=True
        )
        os.close(slave)
        self.shown = ""

    def read_until(self, text: str) -> None:
        while text not in self.shown:
            self.shown += self._more() or pytest.fail(f"ended before {text!r}: {self.shown}")

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> int:
        while more := self._more():
            self.shown += more
        os.close(self.master)
        return self.process.wait()

    def _more(self) -> str:
        try:
            return os.read(self.master, 4096).decode(errors="replace").replace("\r\n", "\n")
        except OSError:  # Linux says so where the other end is closed
            return ""


@pytest.fixture
def terminal() -> AtATerminal:
    terminal = AtATerminal()
    terminal.read_until("Allow open_case? [y/n] ")
    return terminal


class TestAtATerminal:
    def test_nothing_is_opened_until_the_person_answers(self, terminal: AtATerminal) -> None:
        assert '→ open_case {"reference": "TR-2209"' in terminal.shown
        assert "C-2209" not in terminal.shown
        terminal.type("n\n")
        assert terminal.end() == 0

    def test_yes_opens_the_case_and_shows_the_record(self, terminal: AtATerminal) -> None:
        terminal.type("y\n")
        assert terminal.end() == 0
        assert "Case C-2209 is open" in terminal.shown
        assert "record  Completed" in terminal.shown

    def test_what_it_prints_is_what_the_readme_shows(self, terminal: AtATerminal) -> None:
        terminal.type("y\n")
        terminal.end()
        readme = (ROOT / "README.md").read_text()
        shown = "\n".join(line.rstrip() for line in terminal.shown.strip().splitlines())
        assert f"```text\n{shown}\n```" in readme

    def test_no_opens_none_and_the_answer_follows(self, terminal: AtATerminal) -> None:
        terminal.type("n\n")
        assert terminal.end() == 0
        assert "The person at the terminal said no." in terminal.shown
        listed = [line for line in terminal.shown.splitlines() if line.startswith("        client.")]
        assert [line.endswith(" · refused, it did not run") for line in listed] == [False, True]
        assert "No case was opened" in terminal.shown

    def test_anything_else_is_asked_again(self, terminal: AtATerminal) -> None:
        terminal.type("perhaps\n")
        terminal.read_until("perhaps\n  ? Allow open_case? [y/n] ")
        terminal.type("yes\n")
        assert terminal.end() == 0

    def test_the_end_of_input_refuses(self, terminal: AtATerminal) -> None:
        terminal.type("\x04")
        assert terminal.end() == 0
        assert "No case was opened" in terminal.shown

    def test_an_interrupt_ends_it_in_one_line(self, terminal: AtATerminal) -> None:
        terminal.process.send_signal(2)
        assert terminal.end() == 130
        assert terminal.shown.endswith("\nstopped\n")
        assert "Traceback" not in terminal.shown


class TestWithoutATerminal:
    def test_it_approves_and_says_so(self) -> None:
        done, _ = self.run()
        assert (done.returncode, done.stderr) == (0, "")
        assert "? open_case: no terminal to ask at, so the demo approves" in done.stdout
        assert "Case C-2209 is open" in done.stdout

    def test_it_takes_less_than_3_seconds(self) -> None:
        assert any(self.run()[1] < 3 for _ in range(3))  # the best of three: the machine has other work

    def run(self) -> tuple[subprocess.CompletedProcess[str], float]:
        began = time.perf_counter()
        done = subprocess.run(
            PROGRAM, stdin=subprocess.DEVNULL, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        return done, time.perf_counter() - began

    async def test_it_asks_the_model_that_a_server_of_your_own_lists(self) -> None:
        async with StrictProvider(
            "openai", call("find_payment", {"reference": "TR-2214"}), reply("No case.")
        ) as server:
            process = await asyncio.create_subprocess_exec(
                *PROGRAM, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=ENVIRONMENT | server.environ
            )
            shown = (await process.communicate())[0].decode()
        assert process.returncode == 0
        assert shown.startswith("model   strict-model\n")
        assert shown.endswith('        client.find_payment {"reference": "TR-2214"}\n        \'No case.\'\n')
        assert server.violations == []

    def test_a_model_that_cannot_be_reached_fails_in_words(self) -> None:
        environment = ENVIRONMENT | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "AGENTS_SDK_MODEL_RETRY_SECONDS": "0"}
        done = subprocess.run(
            PROGRAM, stdin=subprocess.DEVNULL, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "model   default\n" in done.stdout
        assert "record  Failed" in done.stdout
        assert "completion_failed: The connection to" in done.stdout


class TestTheScript:
    async def say(self, content: str, answer: agents.AllowApproval | agents.DenyApproval) -> agents.Completed[str]:
        agent = payment_reviewer(DemoModel(pace_seconds=0))
        state = await agent.run(content, on_approval=lambda ctx, request: answer)
        assert isinstance(state, agents.Completed)
        return state

    async def test_opens_a_case_that_is_approved(self) -> None:
        state = await self.say(ALERT, agents.AllowApproval())
        assert [call.name for call in state.tool_calls] == ["client.find_payment", "client.open_case"]

    async def test_follows_a_refusal(self) -> None:
        state = await self.say(ALERT, agents.DenyApproval())
        assert state.text is not None
        assert state.text.startswith("No case was opened")

    async def test_finds_nothing_unusual_in_a_usual_payment(self) -> None:
        state = await self.say("What about TR-2214?", agents.DenyApproval())
        assert state.text is not None
        assert state.text.startswith("Nothing is unusual about TR-2214")

    async def test_says_which_payments_there_are_where_one_is_not(self) -> None:
        state = await self.say("Review TR-0000.", agents.DenyApproval())
        assert state.text == "I cannot review TR-0000. There is no payment TR-0000. There are TR-2209 and TR-2214."

    async def test_says_what_it_is_where_no_payment_is_named(self) -> None:
        state = await self.say("hi", agents.DenyApproval())
        assert state.text is not None
        assert "not a language model" in state.text
