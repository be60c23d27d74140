"""Tests of sessions that outlive the command: killed and resumed, listed, and answered from the inbox."""

from __future__ import annotations

import json
import signal
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from tests.cli.projects import SLOW

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.at_terminal import AtATerminal
    from tests.cli.conftest import Project, Run, Start


def session_ids(run: Run) -> list[str]:
    return [info["session_id"] for info in json.loads(run("sessions", "--json").stdout)]


def stop_in_a_tool(project: Project, at_terminal: Start) -> None:
    project.write(SLOW)
    terminal = at_terminal("chat", "-m", "go")
    terminal.wait_for("running slow")
    terminal.process.kill(signal.SIGKILL)
    terminal.end()


ASKS = """
    @agents.tool
    async def pay({parameters}) -> str:
        "Pay."
        await gate.hold()
        return "paid"

    agent = agents.Agent(
        name="tester", permission_mode="ask", tools=[pay], model=ScriptedModel([call("pay"), reply("Paid.")])
    )
"""


class TestAKilledConversation:
    @pytest.fixture
    def killed(self, at_terminal: Start) -> AtATerminal:
        """Killed while it asked for an approval."""
        terminal = at_terminal("chat", "--demo", "-m", "Review TR-2209")
        terminal.wait_for("y once")
        terminal.process.kill(signal.SIGKILL)
        terminal.end()
        return terminal

    @pytest.mark.usefixtures("killed")
    def test_asks_its_open_approval_again_and_goes_on(self, at_terminal: Start) -> None:
        terminal = at_terminal("chat", "--demo", "--resume", "latest")
        terminal.wait_for("y once")
        assert "> Review TR-2209" in terminal.shown
        terminal.type("y")
        terminal.wait_for("Case C-2209 is open")
        terminal.type("And TR-2214?")
        terminal.wait_for("Nothing is unusual about TR-2214")
        terminal.type("/exit")
        terminal.ends(0)

    @pytest.mark.usefixtures("killed")
    def test_is_named_by_the_end_of_its_id(self, run: Run) -> None:
        (session_id,) = session_ids(run)
        done = run("chat", "--demo", "--resume", session_id[-6:], typed="n\n\n")
        assert "No case was opened" in done.stdout

    def test_goes_on_where_the_model_was_writing(self, project: Project, at_terminal: Start, run: Run) -> None:
        project.says("reply('A beginning', gate)")
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("A beginning")
        terminal.process.kill(signal.SIGKILL)
        terminal.end()
        project.says("reply('The whole answer.')")
        done = run("chat", "--resume", "latest")
        assert done.returncode == 0
        assert "The whole answer." in done.stdout


class TestResume:
    def test_of_the_latest_takes_the_one_that_was_used_last_and_says_which(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        run("chat", "--demo", "-m", "hi")
        newest, oldest = session_ids(run)
        assert newest > oldest
        run("chat", "--demo", "--resume", oldest, typed="n\n\n")
        assert session_ids(run) == [oldest, newest]
        done = run("chat", "--demo", "--resume", "latest", "-m", "hi")
        assert done.stderr.startswith(f"Session {oldest}, last used ")

    def test_takes_any_part_of_an_id(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        (session_id,) = session_ids(run)
        listed = run("sessions").stdout.splitlines()[1].split()[0]
        done = run("chat", "--demo", "--resume", listed[:6], typed="n\n\n")
        assert "No case was opened" in done.stdout
        assert done.stderr.startswith(f"Session {session_id}, ")

    def test_says_that_there_is_no_such_session(self, run: Run) -> None:
        done = run("chat", "--demo", "--resume", "0123456789")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "agents: No session '0123456789' is saved. See those that are with: agents sessions\n"

    def test_says_that_more_than_one_is_meant(self, run: Run) -> None:
        for _ in range(2):
            run("chat", "--demo", "-m", "hi")
        start = session_ids(run)[0][:4]
        assert "saved sessions match" in run("chat", "--demo", "--resume", start).stderr

    def test_refuses_the_session_of_another_agent_and_says_what_differs(self, project: Project, run: Run) -> None:
        run("chat", "--demo", "-m", "hi")
        project.says("reply('x')")
        done = run("chat", "--resume", session_ids(run)[0], "-m", "hi")
        assert done.returncode == 1
        assert "that one is named 'payment-reviewer'" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_of_a_session_another_conversation_holds_is_refused(self, at_terminal: Start, run: Run) -> None:
        terminal = at_terminal("chat", "--demo", "-m", "Review TR-2209")
        terminal.wait_for("y once")
        done = run("chat", "--demo", "--resume", "latest", "-m", "hi")
        assert done.returncode == 1
        assert "is held by another process. Go on there, or end that first." in done.stderr
        assert done.stderr.count("\n") == 1

    def test_of_a_session_another_conversation_holds_is_refused_at_its_question_too(
        self, at_terminal: Start, run: Run
    ) -> None:
        holder = at_terminal("chat", "--demo", "-m", "Review TR-2209")
        holder.wait_for("y once")
        assert run("chat", "--demo", "--resume", "latest", typed="y\n").returncode == 1
        terminal = at_terminal("chat", "--demo", "--resume", "latest")
        terminal.ends(1)
        assert "is held by another process" in terminal.shown.replace("\n", " ")
        assert "Traceback" not in terminal.shown


class TestSessions:
    def test_tells_a_turn_that_stopped_with_its_process_from_one_that_runs(
        self, project: Project, at_terminal: Start, run: Run
    ) -> None:
        project.write(SLOW)
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("running slow")
        (_, row) = run("sessions").stdout.splitlines()
        assert "  running  " in row
        (info,) = json.loads(run("sessions", "--json").stdout)
        assert (info["status"], info["held"]) == ("running", True)
        terminal.process.kill(signal.SIGKILL)
        terminal.end()
        (_, row) = run("sessions").stdout.splitlines()
        assert "  stopped in a turn  " in row
        (info,) = json.loads(run("sessions", "--json").stdout)
        assert (info["status"], info["held"]) == ("running", False)

    def test_says_when_a_question_expires(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209", AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS="2640")
        assert "asks (44 min left)" in run("sessions").stdout
        (info,) = json.loads(run("sessions", "--json").stdout)
        expires_at = datetime.fromisoformat(info["expires_at"])
        assert 2639 < (expires_at - datetime.fromisoformat(info["updated_at"])).total_seconds() < 2641

    def test_of_a_directory_that_is_not_there_says_so(self, run: Run) -> None:
        done = run("sessions", "--data-dir", "nowhere")
        assert done.returncode == 2
        assert done.stderr == "agents: --data-dir is 'nowhere', and there is no such directory.\n"

    def test_lists_what_was_said_first_and_what_waits(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        run("chat", "--demo", "-m", "hi")
        _, first, second = run("sessions").stdout.splitlines()
        assert first.endswith("payment-reviewer  idle                hi")
        assert second.endswith("payment-reviewer  asks (60 min left)  Review TR-2209")

    def test_a_conversation_in_which_nothing_was_said_is_none(self, run: Run) -> None:
        assert run("chat", "--demo").returncode == 0
        assert session_ids(run) == []
        assert run("sessions").stdout.startswith("No sessions are saved in ")


class TestADamagedSession:
    @pytest.fixture
    def damaged(self, run: Run, data: Path) -> str:
        """The ID of a session of which the first line is not what was written."""
        run("chat", "--demo", "-m", "hi")
        (journal,) = (data / "sessions").glob("*/journal.jsonl")
        journal.write_bytes(b'{"bad\n' + journal.read_bytes().partition(b"\n")[2])
        return journal.parent.name

    def test_is_listed_with_what_is_wrong(self, damaged: str, run: Run) -> None:
        _, row = run("sessions").stdout.splitlines()
        assert row.startswith(damaged[-12:])
        assert "  cannot be read  Journal " in row
        assert "is damaged: the line at byte 0" in row
        (info,) = json.loads(run("sessions", "--json").stdout)
        assert info["session_id"] == damaged
        assert "is damaged" in info["termination"]["message"]

    def test_says_what_is_wrong_where_it_is_resumed(self, damaged: str, run: Run) -> None:
        done = run("chat", "--demo", "--resume", damaged, "-m", "hi")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("agents: Journal ")
        assert "is damaged: the line at byte 0" in done.stderr
        assert done.stderr.count("\n") == 1


class TestTheInbox:
    def test_leaves_alone_what_another_process_holds_and_asks_the_next(self, at_terminal: Start, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        holder = at_terminal("chat", "--demo", "-m", "Review TR-2209")
        holder.wait_for("y once")
        done = run("inbox", "--demo", typed="n\n\n")
        assert done.returncode == 1
        assert "agents: Held by another process; not answered." in done.stderr
        assert "1 session still waits for an answer" in done.stderr
        assert done.stdout.count("? Allow") == 1
        assert "No case was opened" in done.stdout
        holder.type("y")
        holder.wait_for("Case C-2209 is open")

    def test_says_what_cannot_be_opened_and_asks_the_next(self, run: Run, data: Path) -> None:
        for _ in range(3):
            run("chat", "--demo", "-m", "Review TR-2209")
        journal = data / "sessions" / session_ids(run)[1] / "journal.jsonl"
        lines = journal.read_bytes().split(b"\n")
        lines[len(lines) // 2] = b"garbage"
        journal.write_bytes(b"\n".join(lines))
        done = run("inbox", "--demo", typed="n\n\nn\n\n")
        assert done.returncode == 1
        assert "is damaged" in done.stderr
        assert done.stdout.count("No case was opened") == 2

    def test_asks_the_others_where_the_agent_has_changed(self, project: Project, run: Run) -> None:
        project.write(ASKS.format(parameters=""))
        run("chat", "-m", "go")
        project.write(ASKS.format(parameters="much: int = 1"))
        run("chat", "-m", "go")
        run("chat", "-m", "go")
        project.write(ASKS.format(parameters=""))
        project.gate.open(2)
        done = run("inbox", typed="y\ny\n")
        assert done.returncode == 1
        assert done.stderr.count("was started by another agent than") == 2
        assert "Paid." in done.stdout

    @pytest.mark.parametrize("keys", ["\x04", "/exit\r", "\x03\x03"])
    def test_can_be_left_while_a_turn_runs(self, keys: str, project: Project, run: Run, at_terminal: Start) -> None:
        project.write(ASKS.format(parameters=""))
        for _ in range(2):
            run("chat", "-m", "go")
        terminal = at_terminal("inbox")
        terminal.wait_for("y once")
        terminal.type("y")
        terminal.wait_for("running pay")
        terminal.press(keys)
        terminal.ends(1)
        assert "2 of 2" not in terminal.shown
        assert "1 session still waits for an answer" in terminal.shown

    def test_says_what_stays_open_where_nobody_answers(self, run: Run) -> None:
        for _ in range(2):
            run("chat", "--demo", "-m", "Review TR-2209")
        done = run("inbox", "--demo")
        assert done.returncode == 1
        assert done.stderr == "agents: 2 sessions still wait for an answer. Ask again with: agents inbox --demo\n"

    def test_names_a_turn_that_stopped_with_its_process(self, project: Project, at_terminal: Start, run: Run) -> None:
        stop_in_a_tool(project, at_terminal)
        done = run("inbox")
        (session_id,) = session_ids(run)
        assert done.stdout == (
            f"A turn of tester stopped with its process. Go on with: agents chat --resume {session_id}\n"
        )

    def test_of_a_directory_that_is_not_there_says_so(self, run: Run) -> None:
        done = run("inbox", "--demo", "--data-dir", "nowhere")
        assert done.returncode == 2
        assert done.stderr == "agents: --data-dir is 'nowhere', and there is no such directory.\n"

    def test_is_empty_where_nothing_waits(self, run: Run) -> None:
        done = run("inbox", "--demo")
        assert (done.returncode, done.stdout) == (0, "Nothing waits for you.\n")

    def test_asks_what_waits_and_the_turn_goes_on(self, run: Run) -> None:
        for _ in range(2):
            run("chat", "--demo", "-m", "Review TR-2209")
        done = run("inbox", "--demo", typed="y\nn\nnot today\n")
        assert done.returncode == 0
        assert "1 of 2" in done.stdout
        assert "Case C-2209 is open" in done.stdout
        assert "No case was opened" in done.stdout
        assert run("inbox", "--demo").stdout == "Nothing waits for you.\n"

    def test_leaves_open_what_nobody_answers(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        assert run("inbox", "--demo").returncode == 1
        assert run("inbox", "--demo", typed="y\n").returncode == 0

    def test_is_answered_at_a_terminal_too(self, run: Run, at_terminal: Start) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        terminal = at_terminal("inbox", "--demo")
        terminal.wait_for("y once")
        terminal.type("y")
        terminal.ends(0)
        assert "Case C-2209 is open" in terminal.shown

    def test_names_the_agents_of_other_places_that_wait(self, project: Project, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        project.says("reply('x')")
        assert "Questions of payment-reviewer wait too" in run("inbox").stdout
