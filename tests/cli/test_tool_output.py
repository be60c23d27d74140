"""Tests of what tools print while the conversation is at a terminal: all of it is seen, in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.at_terminal import AtATerminal
    from tests.cli.conftest import Project, Start


class TestWhatAToolPrints:
    @pytest.fixture
    def printing(self, project: Project, at_terminal: Start) -> Callable[[str], AtATerminal]:
        """A conversation of one message, in which a tool runs these lines."""

        def printing(lines: str) -> AtATerminal:
            project.write(
                f"""
                import subprocess, sys

                @agents.tool
                def show() -> str:
                    "Print."
                    {lines}
                    return "shown"

                model = ScriptedModel([call("show"), reply("Done.")])
                agent = agents.Agent(name="tester", model=model, tools=[show])
                """
            )
            terminal = at_terminal("chat", "-m", "go")
            terminal.ends(0)
            assert "← show done" in terminal.shown
            return terminal

        return printing

    @pytest.mark.parametrize(
        ("lines", "row"),
        [
            ("print('half', end='', flush=True)", "half"),
            ("sys.stderr.write('half an error')", "half an error"),
            ("print('10 %', end='\\r'); print('100 %', end='')", "100 %"),
            ("sys.stdout.buffer.write('caf\\u00e9'.encode())", "café"),
            ("print(sys.stdout.isatty(), sys.stdout.encoding)", "False utf-8"),
            ("subprocess.run(['echo', 'of a child'], stdout=sys.stdout); print('end')", "of a child"),
        ],
    )
    def test_is_shown_without_a_line_end_too(
        self, lines: str, row: str, printing: Callable[[str], AtATerminal]
    ) -> None:
        assert row in printing(lines).rows

    def test_stands_before_what_came_after_it(self, printing: Callable[[str], AtATerminal]) -> None:
        rows = printing("print('one'); print('two', end='')").rows
        result = next(at for at, row in enumerate(rows) if "← show done" in row)
        assert rows.index("one") < rows.index("two") < result
