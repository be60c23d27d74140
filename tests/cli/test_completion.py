"""Tests of completing the command in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Run


def completed(run: Run, typed: str) -> list[str]:
    words = str(len(typed.split()) - 1)
    done = run(_AGENTS_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=words)
    return done.stdout.split()


class TestCompletion:
    def test_knows_the_commands(self, run: Run) -> None:
        assert completed(run, "agents in") == ["info", "init", "inbox"]

    def test_knows_the_options_of_a_command(self, run: Run) -> None:
        assert completed(run, "agents chat --re") == ["--resume"]
