"""Tests of a terminal's output that is held: what changes on the screen together is written together."""

from __future__ import annotations

import io

from mistralai.agents.cli.chat.held_output import HeldOutput


class TestHeldOutput:
    def test_writes_nothing_until_it_is_released(self) -> None:
        written = io.StringIO()
        output = HeldOutput(written)
        output.hold()
        output.write_raw("erased")
        output.flush()
        output.write_raw(" and drawn")
        output.flush()
        assert written.getvalue() == ""
        output.release()
        assert written.getvalue() == "erased and drawn"

    def test_writes_through_otherwise(self) -> None:
        written = io.StringIO()
        output = HeldOutput(written)
        output.write_raw("at once")
        output.flush()
        assert written.getvalue() == "at once"

    def test_takes_the_usual_size_where_the_terminal_has_none(self) -> None:
        output = HeldOutput(io.StringIO())
        assert (output.get_size().columns, output.get_size().rows) == (80, 24)
