"""The pytest plugin: fixtures, a guard around each test, and no silence about a model call that left its script."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator

    from mistralai.agents.local.block import LocalRuntime
    from mistralai.agents.testing.fake_clock import FakeClock
    from mistralai.agents.testing.script_error import ScriptError
    from mistralai.agents.testing.steps import Step
    from mistralai.agents.testing.strict_provider import StrictProvider
    from mistralai.agents.testing.strict_replies import Mode, Reply

    type ServeModel = Callable[..., Awaitable[StrictProvider]]

ALLOWED = "agents_real_model_calls"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting that lets every test call real models."""
    parser.addini(ALLOWED, "Let tests call models that are not on this machine.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker that lets one test call real models."""
    config.addinivalue_line("markers", "real_model_calls: this test may call models that are not on this machine")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Refuse real model calls while the test and its fixtures run."""
    if item.config.getini(ALLOWED) or item.get_closest_marker("real_model_calls") is not None:
        return (yield)
    from mistralai.agents.testing.guard import refuse_real_model_calls

    with refuse_real_model_calls():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    """Fail a test in whose fixtures a real model was called. What left its script in one is the test's to look at."""
    _untold()  # of a test before, after its end: not this one's
    with _told_if_it_failed():
        yield
    if not _left():
        return
    from mistralai.agents.testing.script_error import RealModelCallError

    if any(isinstance(error, RealModelCallError) for error in _left()):
        _raise_untold()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fail a test that passed although a model call left its script, and nobody looked."""
    with _told_if_it_failed():
        yield
    _raise_untold()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, None, None]:
    """Fail a test whose fixtures made such a call at their end."""
    with _told_if_it_failed():
        yield
    _raise_untold()


@contextmanager
def _told_if_it_failed() -> Generator[None]:
    """One failure is enough."""
    try:
        yield
    except BaseException:
        _untold()
        raise


def _raise_untold() -> None:
    if errors := _untold():
        raise errors[0].with_traceback(None)


def _untold() -> list[ScriptError]:
    """Take the failures that nobody has looked at."""
    errors = list(_left())
    _left().clear()
    return errors


def _left() -> list[ScriptError]:
    module = sys.modules.get("mistralai.agents.testing.script_error")
    return module.UNTOLD if module is not None else []


@pytest.fixture
async def agents_runtime() -> AsyncIterator[LocalRuntime]:
    """The local runtime of the test's event loop, whose sessions end with the test.

    An async fixture: it needs what runs the async tests to run those too (anyio, or pytest-asyncio in its auto mode).
    """
    from mistralai.agents import local_runtime

    async with local_runtime() as runtime:
        yield runtime


@pytest.fixture
def fake_clock() -> Iterator[FakeClock]:
    """A clock that every local runtime goes by, and that only the test moves: `await fake_clock.advance(3600)`."""
    from mistralai.agents.testing.fake_clock import FakeClock

    with FakeClock() as clock:
        yield clock


@pytest.fixture
async def strict_provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ServeModel]:
    """A provider's server on this machine, which refuses what the real one refuses.

    `server = await strict_provider("mistral", reply("Hello"))`: agents of that provider call it until the test ends,
    and the test fails if the provider would have refused a request. Async, as `agents_runtime` is.
    """
    from mistralai.agents.testing.strict_provider import StrictProvider

    servers: list[StrictProvider] = []
    async with AsyncExitStack() as stack:

        async def serve(mode: Mode, *script: Reply | Step) -> StrictProvider:
            server = await stack.enter_async_context(StrictProvider(mode, *script))
            servers.append(server)
            for name, value in server.environ.items():
                monkeypatch.setenv(name, value)
            return server

        yield serve
    for server in servers:
        assert server.violations == [], f"the provider {server.mode} would have refused a request"
