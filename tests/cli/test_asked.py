"""Tests of what an approval shows: every argument by its name on the screen, and nothing that imitates another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from mistralai.agents.cli.chat.asked import Room, describe
from mistralai.agents.values.requests import ApprovalRequest
from tests.values.samples import AT, NOW, TOOL

if TYPE_CHECKING:
    from mistralai.agents.values.json_value import JsonValue
    from tests.cli.conftest import Project, Start

ROOM = Room.of(80, 24)


def asked(arguments: JsonValue, room: Room | None = ROOM, *, whole: bool = False) -> list[str]:
    request = ApprovalRequest(
        tool=TOOL, arguments=arguments, tool_call_id="call", **AT, agent_name="clerk", expires_at=None
    )
    return describe(request, NOW, room, whole=whole).split("\n")


class TestAnArgument:
    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("/tmp/日本 é", "/tmp/日本 é"),
            (5000, "5000"),
            (" padded", '" padded"'),
            ('"5000"', '"\\"5000\\""'),
            ("to\u2800bob", '"to\\u2800bob"'),
            ("👩‍🚀", '"👩\\u200d🚀"'),
        ],
    )
    def test_is_shown_so_that_all_of_it_is_seen(self, value: JsonValue, shown: str) -> None:
        assert asked({"note": value})[1:] == [f"    note  {shown}"]

    def test_that_is_long_goes_on_below_its_value(self) -> None:
        rows = asked({"to": "bob", "note": "word " * 40 + "end"})
        assert rows[1] == "    to    bob"
        assert rows[2].startswith("    note  word word")
        assert all(row.startswith(" " * 10 + "word") for row in rows[3:])

    def test_whose_name_says_more_than_a_name_is_quoted(self) -> None:
        assert asked({"amount  5": 5000})[1] == '    "amount  5"  5000'

    @pytest.mark.parametrize("room", [ROOM, Room.of(30, 10), Room.of(200, 60)])
    @given(
        notes=st.lists(st.text(alphabet="a b\n日é\u0301я\u2800\u00a0\t\x1b🇫", max_size=4000), min_size=1, max_size=4)
    )
    def test_never_begins_a_row_where_names_begin(self, room: Room, notes: list[str]) -> None:
        names = [f"note{n}" for n in range(len(notes))]
        _, *rows = asked(dict(zip(names, notes, strict=True)), room)
        assert [row.split()[0] for row in rows if row[:5].strip()] == names
        assert all(cell_len(row) <= room.columns for row in rows)
        assert len(rows) < room.rows

    def test_that_is_too_long_is_cut_in_its_middle_and_says_by_how_much(self) -> None:
        rows = asked({"note": "start" + "x" * 5000 + "end", "amount": 5000})
        assert rows[1].startswith("    note    startxxx")
        assert any("characters cut, v shows all" in row for row in rows)
        assert rows[-2].endswith("xend")
        assert rows[-1] == "    amount  5000"

    def test_is_whole_where_all_is_to_be_shown(self) -> None:
        rows = asked({"note": "x" * 5000}, whole=True)
        assert "".join(row.strip() for row in rows[1:]).count("x") == 5000
        assert asked({"note": "x" * 5000}, None)[1] == "    note  " + "x" * 5000


class TestArguments:
    def test_that_are_no_object_are_shown_without_a_name(self) -> None:
        assert asked("all of it") == ["? Allow open_case?", "      all of it"]

    def test_of_many_long_ones_leave_each_its_row(self) -> None:
        rows = asked({f"argument{n}": "x" * 500 for n in range(18)})
        assert len(rows) == 19
        assert all("v shows all" in row for row in rows[1:])


class TestAtATerminal:
    def test_an_argument_that_imitates_others_is_on_the_screen_with_all_names(
        self, project: Project, at_terminal: Start
    ) -> None:
        project.write(
            """
            @agents.tool
            def pay(note: str, amount: int) -> str:
                "Pay."
                return "paid"

            note = "ok" + " " * 64 + "    amount  5" + "\\u2800" * 3000 + "\\n    amount  5" + " " * 2000 + "."
            model = ScriptedModel([call("pay", {"note": note, "amount": 5000}), reply("Paid.")])
            agent = agents.Agent(name="tester", model=model, tools=[pay], permission_mode="ask")
            """
        )
        terminal = at_terminal("chat", "-m", "go", rows=24)
        terminal.wait_for("· n no:")
        screen = [row.rstrip() for row in terminal.screen.display]
        assert any(row.startswith("? Allow pay?") for row in screen)
        assert "    amount  5000" in screen
        assert "    amount  5" not in screen
        assert "characters cut, v shows all" in terminal.shown
        terminal.type("v")
        terminal.wait_for('."\n    amount  5000\n')
        terminal.type("y")
        terminal.ends(0)

    def test_is_not_shown_again_where_nothing_is_cut(self, project: Project, at_terminal: Start) -> None:
        project.write(
            """
            @agents.tool
            def pay(amount: int) -> str:
                "Pay."
                return "paid"

            model = ScriptedModel([call("pay", {"amount": 5000}), reply("Paid.")])
            agent = agents.Agent(name="tester", model=model, tools=[pay], permission_mode="ask")
            """
        )
        terminal = at_terminal("chat", "-m", "go", rows=24)
        terminal.wait_for("· n no:")
        terminal.type("v")
        terminal.wait_for("Nothing is cut.")
        assert [row.startswith("? Allow pay?") for row in terminal.screen.display].count(True) == 1
        terminal.type("y")
        terminal.ends(0)
