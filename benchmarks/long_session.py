"""CPU of the late turns of a session beside its early ones: the cost of a turn must not follow the history."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from statistics import median

from benchmarks import subject

TURNS = 500
EARLY = slice(50, 100)
LATE = slice(450, 500)
ROUNDS = 5


async def turns() -> list[float]:
    """CPU of each turn of a session in milliseconds."""
    session = await subject.agent().start_session()
    taken: list[float] = []
    for _ in range(TURNS):
        started = time.process_time()
        await session.run(subject.QUESTION)
        taken.append((time.process_time() - started) * 1000)
    await session.cancel()
    return taken


def main(url: str) -> None:
    """Print the figures as JSON."""
    subject.use_server(url)
    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        gc.collect()
        taken = asyncio.run(turns())
        rounds.append((sum(taken[LATE]) / len(taken[LATE]), sum(taken[EARLY]) / len(taken[EARLY])))
    late, early = (median(column) for column in zip(*rounds, strict=True))
    print(json.dumps({"value": late, "floor": early, "ratio": median(mine / least for mine, least in rounds)}))


if __name__ == "__main__":
    main(sys.argv[1])
