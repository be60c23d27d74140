"""Tests of the questions of `agents chat` at a terminal, and of the calls that are asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.projects import SLOW, TOOLS

if TYPE_CHECKING:
    from tests.cli.at_terminal import AtATerminal
    from tests.cli.conftest import Project, Run, Start


class TestApprovals:
    @pytest.fixture
    def asked(self, project: Project, at_terminal: Start) -> AtATerminal:
        """Waiting for the answer to a call; the model repeats what it reads of the result."""
        project.write(
            TOOLS
            + """
    agent = named(
        call("wipe", {"path": "/tmp/日本 \\u202e", "deep": True}),
        lambda request: reply(f"It says: {last(request)}"),
        call("wipe", {"path": "b"}),
        lambda request: reply(f"Then: {last(request)}"),
        call("wipe", {"path": "b"}),
        reply("Thrice."),
        permission_policy=ask,
    )
    """
        )
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("go")
        terminal.wait_for("· n no:")
        return terminal

    def test_show_the_arguments_in_full_and_what_would_not_be_seen_in_them(self, asked: AtATerminal) -> None:
        assert "? Allow wipe?" in asked.shown
        assert '    path  "/tmp/日本 \\u202e"' in asked.rows
        assert "    deep  true" in asked.rows

    def test_y_allows_once(self, asked: AtATerminal) -> None:
        asked.type("y")
        asked.wait_for("It says: gone")
        asked.type("again")
        asked.wait_for("path  b")
        asked.type("y")
        asked.wait_for("Then: gone")

    def test_a_allows_the_same_call_for_the_session(self, asked: AtATerminal) -> None:
        asked.type("y")
        asked.wait_for("It says: gone")
        asked.type("again")
        asked.wait_for("path  b")
        asked.type("a")
        asked.wait_for("Then: gone")
        asked.type("and again")
        asked.wait_for("Thrice.")
        assert asked.shown.count("? Allow wipe?") == 2

    def test_n_asks_why_and_the_model_reads_it(self, asked: AtATerminal) -> None:
        asked.type("n")
        asked.wait_for("Why not?")
        asked.type("keep 日本")
        asked.wait_for("It says:")
        asked.wait_for("keep 日本")
        assert "← wipe refused: The user rejected this tool call: keep 日本" in asked.shown

    def test_anything_else_is_asked_again(self, asked: AtATerminal) -> None:
        asked.type("maybe")
        asked.wait_for("Answer y, a or n.")
        asked.type("y")
        asked.wait_for("It says: gone")

    def test_exit_ends_with_the_turn_still_waiting(self, asked: AtATerminal) -> None:
        asked.type("/exit")
        asked.ends(1)
        assert "The turn waits for your answer. Go on with: agents chat --resume" in asked.shown

    def test_say_when_they_expire(self, asked: AtATerminal) -> None:
        assert "? Allow wipe? · expires in 60 min" in asked.rows

    def test_break_a_long_value_below_where_it_began(self, project: Project, at_terminal: Start) -> None:
        long = "lorem ipsum " * 20
        project.write(
            TOOLS
            + f"""
    agent = named(call("wipe", {{"path": "{long}x"}}), permission_policy=ask)
    """
        )
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("y once")
        first = next(at for at, row in enumerate(terminal.rows) if row.startswith("    path  lorem"))
        assert all(row.startswith("          ") for row in terminal.rows[first + 1 : first + 4])
        terminal.press("\x03")

    def test_ctrl_c_stops_the_turn_and_takes_the_question_back(self, asked: AtATerminal) -> None:
        asked.press("\x03")
        asked.wait_for("Interrupted. The session goes on")
        asked.wait_until_gone("y once")
        assert asked.shown.endswith("\n>")

    def test_that_expire_take_their_question_back_and_the_turn_goes_on(
        self, project: Project, at_terminal: Start
    ) -> None:
        project.write(
            TOOLS
            + """
    agent = named(
        call("wipe", {"path": "a"}), lambda request: reply(f"It says: {last(request)}"), permission_policy=ask
    )
    """
        )
        terminal = at_terminal("chat", "-m", "go", AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS="1")
        terminal.wait_for("y once")
        terminal.wait_for("It says: Nobody approved this tool call in time")
        terminal.ends(0)

    def test_what_a_tool_prints_is_shown_above(self, asked: AtATerminal) -> None:
        asked.type("y")
        asked.wait_for("wiping /tmp/日本")
        asked.wait_for("It says: gone")


PAIR = """
    @agents.tool
    async def refund(order: str, reason: str = "late") -> str:
        "Pay an order back."
        if order == "A-1":
            await gate.hold()
        return "paid"

    model = ScriptedModel([calls(call("refund", {"order": "A-1"}), call("refund", {"order": "A-2"})), reply("Both.")])
    agent = agents.Agent(name="tester", model=model, tools=[refund], permission_mode="ask")
"""


class TestTwoCallsAtOnce:
    @pytest.fixture
    def one_runs(self, project: Project, at_terminal: Start) -> AtATerminal:
        """The first call runs, and the second one is asked about."""
        project.write(PAIR)
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("y once")
        terminal.type("y")
        terminal.wait_for("order  A-2")
        return terminal

    def test_of_one_tool_say_whose_result_it_is(self, one_runs: AtATerminal, project: Project) -> None:
        project.gate.open()
        one_runs.wait_for('← refund order="A-1" done')
        one_runs.type("y")
        one_runs.ends(0)
        assert '← refund order="A-2" done' in one_runs.shown

    def test_keep_the_question_below_the_result_of_the_other(self, one_runs: AtATerminal, project: Project) -> None:
        project.gate.open()
        one_runs.wait_for('← refund order="A-1" done')
        one_runs.wait_until_gone("running")
        result = next(at for at, row in enumerate(one_runs.rows) if "← refund" in row)
        below = "\n".join(one_runs.rows[result + 1 :])
        assert "? Allow refund?" in below
        assert "    order  A-2" in below
        one_runs.type("n")
        one_runs.type("")
        one_runs.ends(0)

    def test_say_what_runs_while_the_other_is_asked_about(self, one_runs: AtATerminal, project: Project) -> None:
        one_runs.wait_for("running refund")
        project.gate.open()
        one_runs.wait_for("done (")
        one_runs.wait_until_gone("running refund")
        assert "thinking" not in one_runs.shown

    def test_keep_the_question_whole_over_pipes(self, project: Project, run: Run) -> None:
        project.write(PAIR)
        project.gate.open()
        done = run("chat", "-m", "go", typed="y\ny\n")
        assert done.returncode == 0
        rows = done.stdout.splitlines()
        asked = [at for at, row in enumerate(rows) if row.startswith("? Allow refund?")]
        results = [at for at, row in enumerate(rows) if "← refund" in row]
        assert len(results) == 2
        for at in asked:
            prompt = next(n for n in range(at, len(rows)) if rows[n].startswith("y once"))
            assert not any(at < result < prompt + 1 for result in results)


class TestATool:
    def test_that_was_allowed_is_said_to_run(self, project: Project, at_terminal: Start) -> None:
        project.write(
            SLOW.replace("tools=[slow]", "tools=[slow], permission_mode='ask'"),
        )
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("y once")
        terminal.wait_until_gone("running")
        terminal.wait_until_gone("thinking")
        terminal.type("y")
        terminal.wait_for("running slow")
        assert "thinking" not in terminal.shown
        project.gate.open()
        terminal.ends(0)


class TestWhatCannotBeAnsweredHere:
    def test_a_client_tool_is_refused_and_the_turn_goes_on(self, project: Project, at_terminal: Start) -> None:
        project.write(
            TOOLS
            + """
    agent = named(call("locate", {"city": "Lisbon"}), lambda request: reply(f"It says: {last(request)}"))
    """
        )
        terminal = at_terminal("chat", "-m", "go")
        terminal.ends(0)
        assert "locate is a client tool: refused, the turn goes on" in terminal.shown
        assert "It says: This client tool is answered by the program" in terminal.shown
