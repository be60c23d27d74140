"""Tests of `agents chat` without a terminal: lines in, plain text out, and exit codes for scripts."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from tests.cli.at_terminal import AGENTS, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Project, Run


class TestLines:
    def test_are_messages_one_turn_after_the_other(self, project: Project, run: Run) -> None:
        project.says(
            "lambda r: reply('one: ' + r.messages[-1].content)", "lambda r: reply('two: ' + r.messages[-1].content)"
        )
        done = run("chat", typed="first\nsecond 日本")
        assert (done.returncode, done.stderr) == (0, "")
        assert [line for line in done.stdout.splitlines() if ": " in line] == ["one: first", "two: second 日本"]

    def test_of_output_hold_no_escape_codes_and_the_text_as_it_was_written(self, project: Project, run: Run) -> None:
        project.says(r"reply('# Title\n\n**bold** \x1b[31mred\x1b[0m')")
        done = run("chat", "-m", "go")
        assert "# Title\n\n**bold** [31mred[0m\n" in done.stdout
        assert "\x1b" not in done.stdout + done.stderr

    def test_can_be_commands(self, project: Project, run: Run) -> None:
        project.says("reply('Hello.')")
        done = run("chat", typed="hi\n/usage\n/exit\nnever sent\n")
        assert done.returncode == 0
        assert "15 tokens (10 in, 5 out) in 1 model call" in done.stdout

    def test_that_list_events_show_what_was_said_called_and_came_back(self, run: Run) -> None:
        done = run("chat", "--demo", typed="Review TR-2209\nn\n\n/events 100\n")
        rows = [" ".join(line.split()[1:]) for line in done.stdout.splitlines()]
        for row in (
            "TurnStarted",
            "EntryCompleted user: Review TR-2209",
            'EntryCompleted → find_payment {"reference": "TR-2209"}',
            "CallbackOpened Allow tools.client.open_case?",
            "EntryCompleted ← open_case refused: The user rejected this tool call.",
            "SessionUpdated waiting",
        ):
            assert row in rows
        assert any(row.startswith('EntryCompleted ← find_payment: {"reference": "TR-2209"') for row in rows)
        assert any(row.startswith("TurnEnded Completed: No case was opened") for row in rows)

    @pytest.mark.parametrize("name", ["talk.md", "talk.json"])
    def test_that_save_the_conversation_write_nothing_that_steers_a_terminal(
        self, name: str, project: Project, run: Run
    ) -> None:
        project.says(r"reply('a\x1b[31mb\x9b2Jc\udce9')")
        run("chat", typed=f"hi\n/save {name}\n")
        saved = (project.directory / name).read_text()
        assert "2Jc\\udce9" in saved
        assert "\x1b" not in saved
        assert "\x9b" not in saved

    def test_that_show_help_have_an_empty_one_after_it(self, project: Project, run: Run) -> None:
        project.says("reply('Hello.')")
        assert "twice ends.\n\nHello." in run("chat", typed="/help\nhi\n").stdout

    def test_are_read_to_the_end_where_the_last_has_no_line_end(self, project: Project, run: Run) -> None:
        project.says("reply('Hello.')")
        assert "Hello." in run("chat", typed="hi").stdout


class TestApprovals:
    def test_are_answered_by_the_next_lines(self, run: Run) -> None:
        done = run("chat", "--demo", typed="Review TR-2209\nwhat?\nn\ntoo early\nbye\n")
        assert done.returncode == 0
        assert "Answer y, a or n." in done.stdout
        assert "· n no:\n" in done.stdout
        assert "No case was opened" in done.stdout

    def test_stay_open_where_the_input_ends_and_the_line_says_how_to_go_on(self, run: Run) -> None:
        done = run("chat", "--demo", "-m", "Review TR-2209")
        assert done.returncode == 1
        assert done.stderr.startswith("The turn waits for your answer. Go on with: agents chat --demo --resume ")
        resumed = run("chat", "--demo", "--resume", done.stderr.split()[-1], typed="y\n")
        assert resumed.returncode == 0
        assert "Case C-2209 is open" in resumed.stdout

    @pytest.mark.parametrize("typed", ["Review TR-2209\n", "Review TR-2209\n/exit\n"])
    def test_that_stay_open_end_the_conversation_with_1(self, run: Run, typed: str) -> None:
        done = run("chat", "--demo", typed=typed)
        assert done.returncode == 1
        assert "Answer y, a or n." not in done.stdout
        assert "The turn waits for your answer." in done.stderr

    def test_are_denied_at_the_end_of_input_where_nothing_is_saved(self, run: Run, data: Path) -> None:
        done = run("chat", "--demo", "--no-save", "-m", "Review TR-2209")
        assert done.returncode == 0
        assert "No case was opened" in done.stdout
        assert not data.exists()


class TestJson:
    def test_is_the_record_of_the_turn_and_nothing_else(self, project: Project, run: Run) -> None:
        project.says("reply('Hello.')")
        done = run("chat", "--json", "-m", "hi")
        assert (done.returncode, done.stderr) == (0, "")
        assert agents.from_json(agents.Completed[str], done.stdout).text == "Hello."

    def test_is_alone_whatever_the_module_a_tool_or_its_child_process_prints(self, project: Project, run: Run) -> None:
        project.write(
            """
            import os, subprocess

            print("at import")

            @agents.tool
            def loud() -> str:
                "Print."
                print("of a tool")
                os.write(1, b"of a descriptor\\n")
                subprocess.run(["echo", "of a child"])
                return "x"

            agent = agents.Agent(name="tester", model=ScriptedModel([call("loud"), reply("Hello.")]), tools=[loud])
            """
        )
        done = run("chat", "--json", "-m", "hi")
        assert agents.from_json(agents.Completed[str], done.stdout).text == "Hello."
        for printed in ("at import", "of a tool", "of a descriptor", "of a child"):
            assert f"{printed}\n" in done.stderr
        about = run("info", "--json")
        assert json.loads(about.stdout)["agent"]["name"] == "tester"
        assert about.stderr == "at import\n"

    def test_of_a_turn_that_waits_lists_its_questions(self, run: Run) -> None:
        done = run("chat", "--demo", "--json", "-m", "Review TR-2209")
        assert done.returncode == 1
        (question,) = agents.from_json(agents.Blocked, done.stdout).callbacks
        assert isinstance(question, agents.OpenApproval)
        assert "waits for your answer" in done.stderr

    def test_of_a_turn_that_failed_holds_its_code(self, project: Project, run: Run) -> None:
        project.says("error(503, 'overloaded')")
        done = run("chat", "--json", "-m", "hi")
        assert done.returncode == 1
        assert agents.from_json(agents.Failed, done.stdout).error.code == "completion_unavailable"

    def test_needs_a_message(self, run: Run) -> None:
        done = run("chat", "--demo", "--json")
        assert done.returncode == 2
        assert done.stderr == "agents: --json prints the record of one turn: give its message with -m.\n"


class TestANotice:
    def test_says_that_the_model_is_called_again(self, project: Project, run: Run) -> None:
        project.write("agent = agents.Agent(name='tester', model='m', provider='openai')\n")
        unreachable = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "AGENTS_SDK_MODEL_RETRY_SECONDS": "1"}
        done = run("chat", "-m", "hi", **unreachable)
        assert done.returncode == 1
        notice = done.stdout.splitlines()[0]
        assert notice.startswith("The model is called again in ")
        assert "The connection to 127.0.0.1 failed" in notice


class TestWhatGoesWrong:
    def test_in_a_turn_ends_one_message_with_1_and_a_line_on_stderr(self, project: Project, run: Run) -> None:
        project.says("error(503, 'overloaded')")
        done = run("chat", "-m", "go")
        assert done.returncode == 1
        assert done.stderr.startswith("agents: The scripted model answered HTTP 503: overloaded")
        assert "[completion_unavailable]" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_in_a_line_ends_the_conversation_with_1(self, project: Project, run: Run) -> None:
        project.says("reply('Hello.')", "error(503, 'overloaded')")
        assert run("chat", typed="hi").returncode == 0
        assert run("chat", typed="hi\nmore").returncode == 1

    def test_in_a_line_counts_where_a_later_one_goes_well(self, project: Project, run: Run) -> None:
        project.says("error(503, 'overloaded')", "reply('Hello.')")
        done = run("chat", typed="hi\nmore")
        assert "Hello." in done.stdout
        assert done.returncode == 1

    def test_in_an_earlier_conversation_is_no_failure_of_the_one_that_goes_on(self, project: Project, run: Run) -> None:
        project.says("error(503, 'overloaded')")
        assert run("chat", "-m", "hi").returncode == 1
        project.says("reply('Hello.')")
        assert run("chat", "--resume", "latest", "-m", "again").returncode == 0

    def test_for_want_of_a_key_is_said_before_a_session_starts(self, project: Project, run: Run, data: Path) -> None:
        project.write("agent = agents.Agent(model='mistral-large-4')\n")
        done = run("chat", "-m", "go")
        assert done.returncode == 1
        assert done.stderr.startswith("agents: No API key for the provider 'mistral': set MISTRAL_API_KEY.")
        assert not data.exists()

    def test_for_want_of_a_session_is_said_before_that_of_a_key(self, project: Project, run: Run) -> None:
        project.write("agent = agents.Agent(model='mistral-large-4')\n")
        done = run("chat", "--resume", "nope", "-m", "go")
        assert done.returncode == 1
        assert done.stderr == "agents: No session 'nope' is saved. See those that are with: agents sessions\n"

    def test_with_a_reader_that_has_left_ends_quietly(self, project: Project, data: Path) -> None:
        project.says("reply(*['line\\n' * 500] * 200)")
        with subprocess.Popen(
            [AGENTS, "chat", "-m", "go"],
            cwd=project.directory,
            env=environment(data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == b"line\n"
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() == 1


class TestAReaderThatLeaves:
    def test_takes_the_conversation_with_it_and_no_line_is_sent_after(self, project: Project, data: Path) -> None:
        project.write(
            """
            @agents.tool
            async def pay(amount: int) -> str:
                "Pay."
                with open("paid", "a") as file:
                    file.write("paid\\n")
                await gate.hold()
                return "ok"

            turn = [call("pay", {"amount": 1}, text="Paying.\\n" * 3), reply("Paid.")]
            agent = agents.Agent(name="tester", model=ScriptedModel(turn * 3), tools=[pay])
            """
        )
        with subprocess.Popen(
            [AGENTS, "chat"],
            cwd=project.directory,
            env=environment(data),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdin.write("first\nsecond\nthird\n")
            process.stdin.flush()
            assert process.stdout.readline() == "Paying.\n"
            process.stdout.close()
            project.gate.open()
            assert process.stderr.read() == ""
            assert process.wait() == 1
        assert (project.directory / "paid").read_text().count("paid") == 1

    def test_of_a_full_disk_says_so_once(self, project: Project, data: Path) -> None:
        project.says("reply('Hello.')", "reply('Hello again.')")
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [AGENTS, "chat"],
                cwd=project.directory,
                env=environment(data),
                input="one\ntwo\n",
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 1
        assert done.stderr == "agents: The output cannot be written: No space left on device\n"


class TestCtrlC:
    @pytest.fixture
    def running(self, project: Project, data: Path) -> subprocess.Popen[str]:
        project.says("reply('A beginning\\n', gate, ' and an end.')")
        process = subprocess.Popen(
            [AGENTS, "chat", "-m", "go"],
            cwd=project.directory,
            env=environment(data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "A beginning\n"
        return process

    def test_interrupts_the_turn(self, running: subprocess.Popen[str]) -> None:
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate()
        assert "Interrupted. The session goes on with your next message." in output
        assert "Traceback" not in errors
        assert running.returncode == 1


class TestStreamsThatAreClosed:
    @pytest.fixture
    def shell(self, project: Project, data: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
        """Runs a line of the shell, which can close them."""
        project.says("reply('Hello.')")

        def shell(line: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                line,
                shell=True,
                cwd=project.directory,
                env=environment(data),
                capture_output=True,
                text=True,
                check=False,
            )

        return shell

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("agents chat -m hi <&-", "Hello."),
            ("agents chat --json -m hi <&-", "Hello."),
            ("agents inbox <&-", "Nothing waits for you."),
            ("agents init my-agent --no-git <&-", "my-agent is a project."),
            ("agents chat -m hi <&- 2>&-", "Hello."),
        ],
    )
    def test_let_a_stdin_be_one_without_a_line(
        self, line: str, said: str, shell: Callable[[str], subprocess.CompletedProcess[str]]
    ) -> None:
        done = shell(line)
        assert (done.returncode, done.stderr) == (0, "")
        assert said in done.stdout

    @pytest.mark.parametrize("line", ["agents chat -m hi >&-", "agents chat --json -m hi >&-", "agents info >&-"])
    def test_without_a_stdout_nothing_is_done_and_stderr_says_why(
        self, line: str, shell: Callable[[str], subprocess.CompletedProcess[str]], data: Path
    ) -> None:
        done = shell(line)
        assert done.returncode == 1
        assert done.stderr == "agents: Standard output is closed. Lead it to /dev/null where nobody reads it.\n"
        assert not data.exists()


class TestTheEncoding:
    def test_of_a_stream_that_knows_few_characters_loses_only_those(self, project: Project, data: Path) -> None:
        project.says("reply('café 日本')")
        done = subprocess.run(
            [AGENTS, "chat", "-m", "go"],
            cwd=project.directory,
            env=environment(data, PYTHONIOENCODING="latin-1"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0
        assert done.stdout.decode("latin-1").startswith("café ??\n")
