"""200 reviews are sorted, each in a session of its own under a key, so that a batch that is stopped can be run again.

Runs without a key, on a script; with MISTRAL_API_KEY set the agent asks a real model. A folder as argument keeps the
sessions there: stop the program at any time, even with kill -9, and run it again with the same folder.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, Step, reply

HOW_MANY = 200
AT_ONCE = 20
"""Calls to the model at one time. The other sessions wait for their turn, and hold no task meanwhile."""

TEXTS = ("Arrived broken, and nobody answers.", "Just what I wanted!", "It does what it says.")
REVIEWS = {f"review-{number:03}": TEXTS[number % 3] for number in range(HOW_MANY)}


@dataclass(frozen=True)
class Verdict:
    mood: Literal["good", "bad", "neither"]


async def sort_offline(request: agents.ModelRequest) -> Step:
    """A step of the script: a function may answer what it is asked, and take its time as a model does."""
    await asyncio.sleep(0.01)
    asked = next(message.content for message in request.messages if isinstance(message, agents.UserMessage))
    mood = "bad" if "broken" in asked else "good" if "wanted" in asked else "neither"
    return reply(f'{{"mood": "{mood}"}}')


script = ScriptedModel([sort_offline] * (2 * HOW_MANY))
sorter = agents.Agent(
    model="mistral-small-4" if os.environ.get("MISTRAL_API_KEY") else script,
    name="review-sorter",
    instructions="Say whether the review is good, bad or neither.",
    output_type=Verdict,
)


async def sort_one(key: str, text: str) -> str:
    # The key is the request's name: with it, this call starts the work, waits for it, or reads what came of it.
    match await sorter.run(text, idempotency_key=key):
        case agents.Completed(output=Verdict(mood=mood)):
            return mood
        case agents.Failed(error=error):
            return f"failed: {error.code}"
        case state:
            return f"no verdict: {type(state).__name__}"


async def sort_all(folder: str, *, stop_after: int = HOW_MANY) -> Counter[str]:
    found = Counter[str]()
    journal = agents.experimental.JsonFileSessionJournal.in_directory(folder, fsync=False)
    async with agents.local_runtime(journal_factory=journal, max_model_calls=AT_ONCE):
        waits = [asyncio.create_task(sort_one(key, text)) for key, text in REVIEWS.items()]
        for finished in asyncio.as_completed(waits):
            found[await finished] += 1
            if found.total() == stop_after:
                break
        for wait in waits:
            wait.cancel()  # leaving a wait stops no turn; the end of the block unloads what still runs
    return found


async def main() -> None:
    warnings.simplefilter("ignore", agents.ExperimentalWarning)  # the journal is experimental, and this uses it
    if len(sys.argv) > 1:
        print(dict(await sort_all(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(f"stopped after {(await sort_all(folder, stop_after=120)).total()}")
        for again in ("the rest", "once more"):
            before = len(script.requests)
            found = await sort_all(folder)
            print(f"{again}: {dict(sorted(found.items()))}", f"with {len(script.requests) - before} calls to the model")


if __name__ == "__main__":
    asyncio.run(main())
