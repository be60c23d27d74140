"""How the tests run: `async def` tests and fixtures, one event loop a test. No fixture of the product lives here."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator


@pytest.fixture
def event_loop_runner() -> Iterator[asyncio.Runner]:
    """The test's event loop, made and closed the way `asyncio.run` does it. The test's async fixtures share it."""
    with asyncio.Runner() as runner:
        yield runner


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and inspect.iscoroutinefunction(item.obj):
            # Set up first, so torn down last: the loop outlives every other fixture of the test.
            item.fixturenames.insert(0, "event_loop_runner")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test in its loop; True says that it was run here."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: value for name, value in pyfuncitem.funcargs.items() if name in wanted}
    runner = pyfuncitem.funcargs["event_loop_runner"]
    assert isinstance(runner, asyncio.Runner)
    with _guard(pyfuncitem):
        runner.run(pyfuncitem.obj(**arguments))
    return True


def _guard(item: pytest.Function) -> contextlib.AbstractContextManager[None]:
    """Let what of ours blocks the loop raise, but where tests damage a journal or the kit reads its recordings."""
    folder = item.path.relative_to(item.config.rootpath).parts[:2]
    if folder in {("tests", "journal"), ("tests", "testing")} or folder[0] != "tests":
        return contextlib.nullcontext()
    from tests.support.blocking import nothing_blocks

    return nothing_blocks()


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """Hand pytest an `async def` fixture as a plain one that runs in the test's loop, its second half too."""
    function: Any = fixturedef.func
    if not (inspect.isasyncgenfunction(function) or inspect.iscoroutinefunction(function)):
        return (yield)
    runner: asyncio.Runner = request.getfixturevalue("event_loop_runner")
    if inspect.ismethod(function):
        in_the_loop = _plain(function.__func__.__get__(request.instance), runner)  # each test has its own instance
    else:
        in_the_loop = _plain(function, runner)
    vars(fixturedef)["func"] = in_the_loop  # pytest has no public way to say so, and its type says Final
    try:
        return (yield)
    finally:
        vars(fixturedef)["func"] = function


def _plain(function: Callable[..., Any], runner: asyncio.Runner) -> Callable[..., Any]:
    def value(**arguments: Any) -> Any:
        return runner.run(function(**arguments))

    def value_and_end(**arguments: Any) -> Iterator[Any]:
        fixture: AsyncGenerator[Any] = function(**arguments)
        yield runner.run(_next(fixture))
        with contextlib.suppress(StopAsyncIteration):
            runner.run(_next(fixture))
            pytest.fail("an async fixture yields once, this one did twice")

    return value_and_end if inspect.isasyncgenfunction(function) else value


async def _next(fixture: AsyncGenerator[Any]) -> Any:
    return await anext(fixture)
