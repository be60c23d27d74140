"""Tests of the table of `agents sessions`, which no terminal has to break."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from mistralai.agents.cli.saved import SavedSession
from mistralai.agents.cli.session_rows import session_rows
from mistralai.agents.values.ids import uuid7
from mistralai.agents.values.sessions import SessionInfo

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

NOW = datetime(2031, 5, 4, 12, 30, tzinfo=UTC)


def session(
    *,
    name: str = "payment-reviewer",
    status: str = "waiting",
    questions: int = 0,
    title: str = "hi",
    days: int = 0,
    held: bool = True,
) -> SavedSession:
    session_id = uuid7()
    info = SessionInfo(
        session_id=session_id,
        agent_name=name,
        parent_id=None,
        root_id=session_id,
        status=status,
        title=title,
        created_at=NOW - timedelta(days=days),
        updated_at=NOW - timedelta(days=days),
        termination=None,
        open_callbacks=questions,
    )
    return SavedSession(info, held=True, expires_at=NOW + timedelta(minutes=43) if questions else None)


class TestTheTable:
    @pytest.mark.parametrize("title", ["Please review TR-2209, " * 9, "送金を確認してください。" * 9, "a\x1b[2J\nb"])
    @pytest.mark.parametrize("name", ["a", "an-agent-with-quite-a-long-name-of-its-own"])
    def test_is_no_wider_than_the_terminal(self, title: str, name: str) -> None:
        rows = session_rows([session(title=title, name=name, questions=2), session()], 80, NOW)
        assert all(cell_len(row) <= 80 and "\n" not in row and "\x1b" not in row for row in rows)
        assert len(rows) == 3

    def test_shows_a_title_in_full_where_a_program_reads_it(self) -> None:
        title = "Please review TR-2209, " * 9
        assert session_rows([session(title=title)], None, NOW)[1].endswith(title.strip())

    @pytest.mark.parametrize(
        ("status", "questions", "said"),
        [
            ("waiting", 0, "idle"),
            ("waiting", 1, "asks (43 min left)"),
            ("waiting", 2, "asks 2 (43 min left)"),
            ("running", 0, "running"),
            ("terminated", 0, "ended"),
        ],
    )
    def test_tells_what_is_idle_from_what_waits_for_somebody(self, status: str, questions: int, said: str) -> None:
        (_, row) = session_rows([session(status=status, questions=questions)], 80, NOW)
        assert f"  payment-reviewer  {said}  hi" in row

    def test_has_the_year_of_what_is_long_ago(self) -> None:
        _, lately, long_ago = session_rows([session(), session(days=400)], 80, NOW)
        assert "2031" not in lately
        assert "Mar 30  2030" in long_ago


class TestTheCommand:
    def test_has_a_head_and_ids_that_can_be_resumed(self, run: Run) -> None:
        run("chat", "--demo", "-m", "Review TR-2209")
        head, row = run("sessions").stdout.splitlines()
        assert head.split() == ["SESSION", "LAST", "AGENT", "NOW", "FIRST", "MESSAGE"]
        assert row.endswith("  payment-reviewer  asks (60 min left)  Review TR-2209")
        resumed = run("chat", "--demo", "--resume", row.split()[0], typed="y\n")
        assert "Case C-2209 is open" in resumed.stdout

    def test_keeps_to_the_terminal(self, run: Run, at_terminal: Start) -> None:
        run("chat", "--demo", "-m", "Hello, " * 30)
        terminal = at_terminal("sessions", columns=60)
        terminal.ends(0)
        rows = terminal.shown.splitlines()
        assert len(rows) == 2
        assert rows[1].endswith("…")
