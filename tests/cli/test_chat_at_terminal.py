"""Tests of `agents chat` at a terminal: what a person sees and types, up to the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.projects import SLOW, TOOLS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.at_terminal import AtATerminal
    from tests.cli.conftest import Project, Start

COLOUR = re.compile(rb"\x1b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7]|38|48)[0-9;]*m")


class TestTheDemo:
    def test_is_held_without_a_project_a_key_or_a_network(self, at_terminal: Start) -> None:
        terminal = at_terminal("chat", "--demo")
        terminal.wait_for("payment-reviewer")
        terminal.type("Please review TR-2209.")
        terminal.wait_for("y once")
        assert '  → find_payment {"reference": "TR-2209"}' in terminal.shown
        assert re.search(r"  ← find_payment done \(\d+\.\d s\)", terminal.shown)
        assert "    reference  TR-2209\n" in terminal.shown
        terminal.type("y")
        terminal.wait_for("Case C-2209 is open")
        terminal.wait_for(" tokens (")
        terminal.press("\x04")
        terminal.ends(0)
        assert "Saved. Go on with: agents chat --demo --resume" in terminal.shown

    def test_answers_one_message_and_ends(self, at_terminal: Start) -> None:
        terminal = at_terminal("chat", "--demo", "-m", "hi")
        terminal.ends(0)
        assert terminal.shown.startswith("> hi\n\nI am the demo's script")


class TestStreaming:
    def test_words_are_on_the_screen_while_the_model_still_writes(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('The **first', ' words**', gate, ' and the rest.')")
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("The first words")
        project.gate.open()
        terminal.ends(0)
        assert terminal.rows.count("The first words and the rest.") == 1
        assert "The first words\n" not in terminal.shown

    def test_a_wait_is_seen(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('Done.', hold=gate)")
        terminal = at_terminal("chat", "-m", "go")
        terminal.wait_for("thinking")
        project.gate.open()
        terminal.wait_for("Done.")
        terminal.end()
        assert "thinking" not in terminal.shown

    def test_a_text_longer_than_the_screen_is_whole_above_it(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('\\n'.join(f'- item {n}' for n in range(100)), chunks=40)")
        terminal = at_terminal("chat", "-m", "go", rows=24)
        terminal.ends(0)
        assert [row for row in terminal.rows if "item" in row] == [f" • item {n}" for n in range(100)]


MARKDOWN = """# Title

A **bold** word, `code`, and [a page](https://example.com/page).

- 日本語の項目
- second

```python
print("日本")
```

| 名前 | amount |
|------|--------|
| 山田 | 12     |
| Ada  | 3      |
"""


class TestMarkdown:
    @pytest.mark.parametrize("columns", [80, 200])
    def test_is_rendered_at_every_width(self, columns: int, project: Project, at_terminal: Start) -> None:
        long = "漢字とカナ" * 60
        project.says(f"reply({MARKDOWN + chr(10) + long!r}, chunks=50)")
        terminal = at_terminal("chat", "-m", "go", columns=columns)
        terminal.ends(0)
        rows = terminal.rows
        for row in ("Title", "A bold word, code, and a page (https://example.com/page).", " • 日本語の項目"):
            assert row in rows
        assert '  print("日本")' in rows
        headed = next(row for row in rows if "amount" in row)
        assert headed.startswith(" 名前")
        wide = [row for row in rows if "漢字とカナ" in row]
        assert "".join(wide).replace(" ", "") == long
        assert len(wide[0]) == columns // 2

    def test_columns_of_a_table_stand_below_each_other_with_wide_characters(
        self, project: Project, at_terminal: Start
    ) -> None:
        project.says(f"reply({MARKDOWN!r})")
        terminal = at_terminal("chat", "-m", "go")
        terminal.end()
        cells = {  # by cell, not by character: a wide one takes two
            terminal.screen.buffer[y][x].data: x
            for y in range(terminal.screen.lines)
            for x in range(terminal.screen.columns)
            if terminal.screen.buffer[y][0].data == " " and terminal.screen.buffer[y][x].data in ("1", "3", "a")
        }
        assert cells["1"] == cells["3"]

    def test_without_colour_no_colour_is_sent(self, project: Project, at_terminal: Start) -> None:
        project.says(f"reply({MARKDOWN!r})", "error(401, 'no such key')")
        plain = at_terminal("chat", "-m", "go", NO_COLOR="1")
        plain.end()
        assert "Title" in plain.shown
        assert COLOUR.search(plain.raw) is None
        coloured = at_terminal("chat", "-m", "go")
        coloured.end()
        assert COLOUR.search(coloured.raw) is not None

    def test_what_a_model_writes_cannot_steer_the_terminal(self, project: Project, at_terminal: Start) -> None:
        project.says(r"reply('before\x1b[2J\x1b]0;owned\x07after\x9b2J')")
        terminal = at_terminal("chat", "-m", "go")
        terminal.end()
        assert b"\x1b[2J" not in terminal.raw
        assert "owned" not in terminal.screen.title
        assert "> go" in terminal.shown


class TestTypingWhileATurnRuns:
    def test_steers_it(self, project: Project, at_terminal: Start) -> None:
        project.write(
            TOOLS
            + """
    agent = named(
        call("wipe", {"path": "a"}, hold=gate),
        lambda request: reply("You said: " + " / ".join(m.content for m in request.messages if hasattr(m, "content"))),
    )
    """
        )
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("first")
        terminal.wait_for("thinking")
        terminal.type("second")
        terminal.wait_for("added to the running turn")
        project.gate.open()
        terminal.wait_for("You said:")
        terminal.wait_for("second")

    def test_an_unfinished_line_outlives_a_question(self, project: Project, at_terminal: Start) -> None:
        project.write(
            TOOLS
            + """
    agent = named(call("wipe", {"path": "a"}, hold=gate), reply("Done."), permission_policy=ask)
    """
        )
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("first")
        terminal.wait_for("thinking")
        terminal.press("half a line")
        terminal.wait_for("> half a line")
        project.gate.open()
        terminal.wait_for("· n no:")
        terminal.wait_until_gone("> half a line")
        terminal.type("y")
        terminal.wait_for("Done.")
        terminal.wait_for("> half a line")


class TestPasting:
    def test_several_rows_is_one_message(self, project: Project, at_terminal: Start) -> None:
        project.says("lambda request: reply(f'{len(request.messages[-1].content.splitlines())} rows')")
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.press("\x1b[200~first\nsecond 日本\n\nfourth\x1b[201~")
        terminal.wait_for("fourth")
        terminal.type("")
        terminal.wait_for("4 rows")


class TestCtrlC:
    @pytest.fixture
    def running(self, project: Project, at_terminal: Start) -> AtATerminal:
        project.says("reply('A beginning', gate, ' and an end.')", "reply('Hello again.')")
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("go")
        terminal.wait_for("A beginning")
        return terminal

    def test_interrupts_the_turn_and_keeps_the_session(self, running: AtATerminal) -> None:
        running.press("\x03")
        running.wait_for("Interrupted. The session goes on with your next message.")
        assert "A beginning" in running.shown
        running.type("still there?")
        running.wait_for("Hello again.")

    def test_twice_within_a_second_ends(self, running: AtATerminal) -> None:
        running.press("\x03\x03")
        running.ends(0)
        assert "Go on with: agents chat --resume" in running.shown

    def test_leaves_an_unfinished_line_as_it_is(self, running: AtATerminal) -> None:
        running.press("half a line")
        running.wait_for("> half a line")
        running.press("\x03")
        running.wait_for("Interrupted.")
        running.wait_for("> half a line")

    def test_alone_at_rest_says_how_to_end(self, project: Project, at_terminal: Start) -> None:
        project.says("reply('x')")
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.press("\x03")
        terminal.wait_for("Ctrl+C again ends")
        terminal.type("/exit")
        terminal.ends(0)


class TestLeaving:
    @pytest.fixture
    def running(self, project: Project, at_terminal: Start) -> AtATerminal:
        """In a call of a tool."""
        project.write(SLOW)
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("go")
        terminal.wait_for("running slow")
        return terminal

    def test_says_which_tool_it_waits_for_and_then_how_to_go_on(self, running: AtATerminal, project: Project) -> None:
        running.press("\x04")
        running.wait_for("Waiting for slow to finish, 4 s at the most.")
        assert "Go on with" not in running.shown
        project.gate.open()
        running.ends(0)
        assert "The turn goes on when it is opened again. Go on with: agents chat --resume" in running.shown
        assert "agents:" not in running.shown

    def test_a_turn_that_asks_says_so(self, at_terminal: Start) -> None:
        terminal = at_terminal("chat", "--demo", columns=200)
        terminal.wait_for("payment-reviewer")
        terminal.type("Review TR-2209")
        terminal.wait_for("y once")
        terminal.press("\x04")
        terminal.ends(1)
        assert "\nThe turn waits for your answer. Go on with: agents chat --demo --resume" in terminal.shown
        assert "Waiting for" not in terminal.shown

    @pytest.mark.parametrize(
        ("steps", "code"), [(("error(503, 'bad')", "reply('good')"), 0), (("error(503, 'bad')",), 1)]
    )
    def test_ends_with_1_after_a_turn_that_failed_unless_the_next_went_well(
        self, steps: tuple[str, ...], code: int, project: Project, at_terminal: Start
    ) -> None:
        project.says(*steps)
        terminal = at_terminal("chat")
        for message, step in zip(("first", "second"), steps, strict=False):
            terminal.type(message)
            terminal.wait_for("503: bad" if "error" in step else "good")
        terminal.press("\x04")
        terminal.ends(code)


class TestANotice:
    def test_that_the_model_is_called_again_is_shown_while_it_waits(self, project: Project, at_terminal: Start) -> None:
        project.write("agent = agents.Agent(name='tester', model='m', provider='openai')\n")
        terminal = at_terminal("chat", "-m", "hi", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
        terminal.wait_for("called again in")
        row = next(row for row in terminal.rows if "called again in" in row)
        assert row.startswith("The model is called again in ")
        assert row.endswith("…")
        terminal.press("\x03")
        terminal.wait_for("Interrupted.")


class TestSlashCommands:
    @pytest.fixture
    def talking(self, project: Project, at_terminal: Start) -> AtATerminal:
        project.says("reply('Hello.')")
        terminal = at_terminal("chat")
        terminal.wait_for("tester")
        terminal.type("hi")
        terminal.wait_for(" tokens (")
        return terminal

    def test_help_lists_them(self, talking: AtATerminal) -> None:
        talking.type("/help")
        for name in ("/events", "/usage", "/save", "/exit"):
            talking.wait_for(name)
        talking.wait_for("twice ends.\n\n>")

    def test_usage_sums_the_session(self, talking: AtATerminal) -> None:
        talking.type("/usage")
        talking.wait_for("15 tokens (10 in, 5 out) in 1 model call")

    def test_events_are_one_row_each(self, talking: AtATerminal) -> None:
        talking.type("/events 3")
        talking.wait_for(" TurnEnded      Completed: Hello.")
        talking.type("/events some")
        talking.wait_for("/events takes a number, not some.")

    def test_save_writes_the_conversation(self, talking: AtATerminal, project: Project) -> None:
        talking.type("/save talk.md")
        talking.wait_for("talk.md")
        talking.wait_for("Written to")
        assert (project.directory / "talk.md").read_text() == "**user**\n\nhi\n\n**assistant**\n\nHello.\n"
        talking.type("/save talk.md")
        talking.wait_for("is there already")

    def test_save_writes_json_where_the_name_says_so(self, talking: AtATerminal, project: Project) -> None:
        talking.type("/save talk.json")
        talking.wait_for("Written to")
        assert '"role": "assistant"' in (project.directory / "talk.json").read_text()

    def test_another_one_is_no_message(self, talking: AtATerminal) -> None:
        talking.type("/nonsense")
        talking.wait_for("There is no /nonsense. /help shows what there is.")

    def test_lines_typed_before_come_back_in_a_later_conversation(
        self, talking: AtATerminal, at_terminal: Start, data: Path
    ) -> None:
        assert (data / "typed-lines").stat().st_mode & 0o777 == 0o600
        talking.type("/exit")
        talking.end()
        later = at_terminal("chat")
        later.wait_for("tester")
        later.press("\x1b[A\x1b[A")
        later.wait_for("> hi")


class TestFailures:
    def test_of_the_model_are_one_line_with_their_code(self, project: Project, at_terminal: Start) -> None:
        project.says("error(503, 'overloaded')")
        terminal = at_terminal("chat", "-m", "go")
        terminal.ends(1)
        assert "[completion_unavailable]" in terminal.shown
        assert "Traceback" not in terminal.shown

    def test_of_a_tool_are_a_line_and_the_turn_goes_on(self, project: Project, at_terminal: Start) -> None:
        project.write(
            """
            @agents.tool
            def broken() -> str:
                "Fail."
                raise ValueError("no luck")

            model = ScriptedModel([call("broken"), reply("So be it.")])
            agent = agents.Agent(name="tester", model=model, tools=[broken])
            """
        )
        terminal = at_terminal("chat", "-m", "go", columns=200)
        terminal.ends(0)
        assert "ValueError: no luck" in next(row for row in terminal.rows if "← broken failed" in row)
        assert "So be it." in terminal.shown
        assert "Traceback" not in terminal.shown
