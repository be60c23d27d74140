"""What every test of a session relies on: nothing goes wrong unseen in its event loop."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def nothing_lost_in_the_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """No task or future of the test ends with an exception that nobody reads."""
    if "event_loop_runner" not in request.fixturenames:
        yield
        return
    runner: asyncio.Runner = request.getfixturevalue("event_loop_runner")
    lost: list[dict[str, Any]] = []
    runner.get_loop().set_exception_handler(lambda _, context: lost.append(context))
    yield
    gc.collect(1)  # what a test leaves is young
    assert lost == []
