"""Tests that each program in examples/ runs offline as its reader would start it, and does what it says."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from examples.private_data_guard import shop
from mistralai import agents
from mistralai.agents.testing import ScriptedModel, gate, reply

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("MISTRAL_API_KEY", "OPENAI_BASE_URL") and not name.startswith("COV")
} | {"AGENTS_SDK_EXPERIMENTAL_WARNINGS": "0"}


def run(name: str, *arguments: str) -> Sequence[str]:
    """The lines that a program prints, which prints nothing else and warns of nothing."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


class TestEveryExample:
    @pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
    def test_says_in_its_first_line_what_it_is(self, path: Path) -> None:
        assert path.read_text().startswith('"""')
        assert 'if __name__ == "__main__":' in path.read_text()


class TestThePaymentReview:
    def test_opens_the_case_the_analyst_approved_and_not_the_other(self) -> None:
        lines = run("payment_review.py")
        assert [line for line in lines if line.startswith("analyst")] == [
            "analyst: Allow tools.client.open_case? {'number': 'P-31', 'reason': 'unusual amount'}",
            "analyst: Allow tools.client.open_case? {'number': 'P-32', 'reason': 'amount above the usual one'}",
        ]
        assert "P-32: No case: the analyst knows this payee, and the payment goes through." in lines

    def test_shows_the_arguments_that_the_analyst_set(self) -> None:
        lines = run("payment_review.py")
        set_by_the_analyst = {"number": "P-31", "reason": "36 times the usual amount, to a payee of today"}
        assert f"    client.open_case {set_by_the_analyst}" in lines

    def test_says_of_the_case_that_the_analyst_refused_that_it_was_not_opened(self) -> None:
        refused = {"number": "P-32", "reason": "amount above the usual one"}
        assert f"    client.open_case {refused} · rejected" in run("payment_review.py")


class TestTheSupportDesk:
    def test_measures_the_router_before_it_answers_and_books_in_the_second_turn(self) -> None:
        said = [line.split()[0] for line in run("support_desk.py")]
        assert said == ["customer:", "->", "<-", "support:", "customer:", "->", "support:"]


class TestTheLoopBreaker:
    def test_runs_the_same_call_twice_and_skips_it_from_then_on(self) -> None:
        lines = run("loop_breaker.py")
        assert lines[1] == "5 calls, of which 3 searched the archive"
        assert sum(line.startswith("the model read: Not run: search_archive") for line in lines) == 2


class TestThePrivateDataGuard:
    def test_keeps_numbers_and_addresses_from_the_model(self) -> None:
        read = [line for line in run("private_data_guard.py") if line.startswith("the model read")]
        assert len(read) == 2
        assert not any("4111" in line or "5500" in line or "@" in line for line in read)
        assert "[card ending in 0004]" in read[0]
        assert "[card ending in 1111]" in read[1]

    def test_refuses_a_password_without_a_call(self) -> None:
        lines = run("private_data_guard.py")
        assert lines[1].startswith("answer (skipped): Please never send a password.")
        assert not any("swordfish" in line for line in lines)

    async def test_stops_before_a_model_reads_a_number_that_is_sent_while_a_turn_runs(self) -> None:
        held = gate()
        script = ScriptedModel([reply("One ", held, "moment."), reply("never said")])
        with shop.override(model=script):
            session = await shop.start_session()
            turn = await session.send_message("Which card did I use?")
            await held.reached()
            await turn.steer("It may be 4111 1111 1111 1111.")
            held.open()
            state = await turn.result()
        assert isinstance(state, agents.Completed)
        assert state.stop_reason == "skipped"
        assert len(script.requests) == 1
        await session.cancel()


class TestTheBatch:
    def test_asks_once_for_each_review_however_often_it_is_run(self) -> None:
        stopped, rest, again = run("batch.py")
        assert stopped == "stopped after 120"
        assert rest.startswith("the rest: {'bad': 67, 'good': 67, 'neither': 66} with ")
        assert 0 < int(rest.split()[-5]) <= 80
        assert again == "once more: {'bad': 67, 'good': 67, 'neither': 66} with 0 calls to the model"

    def test_goes_on_where_it_was_killed(self, tmp_path: Path) -> None:
        command = [sys.executable, str(EXAMPLES / "batch.py"), str(tmp_path)]
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and sum(1 for _ in tmp_path.iterdir()) < 60:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        for _ in range(2):
            (line,) = run("batch.py", str(tmp_path))
            assert ast.literal_eval(line) == {"bad": 67, "good": 67, "neither": 66}


class TestTheSessionsInSqlite:
    def test_are_continued_by_a_runtime_that_knows_the_database_alone(self) -> None:
        assert run("sqlite_sessions.py") == [
            "The session waits for a word on transfer {'account': 'DE-77', 'amount': 120.0}.",
            "The money is on its way.",
        ]
