"""Many turns at once: they all end, and what they took is given back. Public page: Run an agent in your process."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc

from mistralai import agents
from tests.support.held_model import HeldModel

AT_ONCE = 2_000
LEFT_BYTES_A_TURN = 300
"""What may stay of a turn whose session is released: its id, for `SessionTerminatedError`, and a set that grows."""


async def crowd(runtime: agents.LocalRuntime) -> None:
    """Run turns that all wait for their model at the same time, and then all end."""
    model = HeldModel()
    agent = agents.Agent(model=model)
    sessions = [await agent.start_session() for _ in range(AT_ONCE)]
    turns = [await session.send_message("Go.") for session in sessions]
    for _ in range(AT_ONCE):
        await model.held.acquire()
    assert runtime.statistics().running_sessions == AT_ONCE
    model.release.set()
    states = await asyncio.gather(*(turn.result() for turn in turns))
    assert all(isinstance(state, agents.Completed) for state in states)
    assert runtime.statistics().tasks == 0
    for session in sessions:
        await session.cancel()
    await asyncio.sleep(0)  # the step of the loop that brought the records holds them until it is over


class TestTwoThousandTurnsAtOnce:
    async def test_end_and_leave_the_memory_as_it_was(self) -> None:
        async with agents.local_runtime(keep_ended_sessions=0) as runtime:
            await crowd(runtime)  # what is made once is made
            gc.collect()
            tracemalloc.start()
            try:
                before, _ = tracemalloc.get_traced_memory()
                await crowd(runtime)
                gc.collect()
                after, _ = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
        assert after - before < AT_ONCE * LEFT_BYTES_A_TURN
