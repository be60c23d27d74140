"""Tests of how the tests run: async tests, async fixtures, and the loop they share."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


class TestAsyncFixtures:
    @pytest.fixture
    def ends(self) -> Iterator[list[str]]:
        ends: list[str] = []
        yield ends
        assert ends == ["second", "first"]

    @pytest.fixture
    async def first(self, ends: list[str]) -> AsyncIterator[asyncio.AbstractEventLoop]:
        assert isinstance(self, TestAsyncFixtures)
        who.set("the fixture")
        yield asyncio.get_running_loop()
        ends.append("first")

    @pytest.fixture
    async def second(self, first: asyncio.AbstractEventLoop, ends: list[str]) -> AsyncIterator[None]:
        assert first is asyncio.get_running_loop()
        yield None
        ends.append("second")

    @pytest.fixture
    async def plain_coroutine(self) -> str:
        return "value"

    async def test_they_share_the_tests_loop_and_end_in_reverse_order(
        self, first: asyncio.AbstractEventLoop, second: None, plain_coroutine: str
    ) -> None:
        assert first is asyncio.get_running_loop()
        assert plain_coroutine == "value"

    async def test_what_they_set_in_the_context_the_test_sees(self, first: object, second: None) -> None:
        assert who.get() == "the fixture"

    def test_a_plain_test_may_use_one(self, second: None) -> None:
        assert second is None

    @pytest.mark.parametrize("number", [1, 2])
    async def test_each_case_has_a_context_of_its_own(self, number: int) -> None:
        assert who.get() == "nobody"
        who.set(str(number))


FAILING = """
import asyncio
import pytest

async def test_failing():
    assert 1 == 2

async def test_leaving_a_task_behind():
    asyncio.get_running_loop().create_task(asyncio.Event().wait())

async def test_never_awaiting():
    asyncio.Event().wait()

@pytest.fixture
async def twice():
    yield 1
    yield 2

async def test_fixture_twice(twice):
    pass
"""


class TestAFailure:
    @pytest.mark.slow
    def test_of_an_async_test_or_fixture_is_reported_like_any_other(
        self, tmp_path: Path, pytestconfig: pytest.Config
    ) -> None:
        (tmp_path / "conftest.py").write_text((pytestconfig.rootpath / "tests" / "conftest.py").read_text())
        (tmp_path / "test_them.py").write_text(FAILING)
        (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:anyio"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        outcomes = {line for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED", "ERROR"))}
        assert {line.split(" - ")[0] for line in outcomes} == {
            "FAILED test_them.py::test_failing",
            "PASSED test_them.py::test_leaving_a_task_behind",
            "FAILED test_them.py::test_never_awaiting",
            "PASSED test_them.py::test_fixture_twice",
            "ERROR test_them.py::test_fixture_twice",
        }, done.stdout
