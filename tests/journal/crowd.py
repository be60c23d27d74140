"""The program of a process that holds many saved sessions while it may open few files, and takes orders."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from mistralai import agents
from tests.journal.story import agent, saved_in, say

type Question = tuple[str, str, str]
"""A session, its turn, and the callback that it waits on."""


class Crowd:
    """Sessions that wait for a person."""

    def __init__(self, teller: agents.Agent[str]) -> None:
        self.teller = teller
        self.questions: list[Question] = []

    async def one(self, key: str | None = None) -> Question:
        """Start a session, and leave it blocked."""
        session = await self.teller.start_session(idempotency_key=key)
        turn = await session.send_message("Pay my bill.")
        state = await turn.result()
        assert isinstance(state, agents.Blocked), state
        return session.id, turn.id, state.callbacks[0].id

    async def start(self, count: int) -> list[Question]:
        """Start so many, one after the other."""
        self.questions += (new := [await self.one() for _ in range(count)])
        return new

    async def burst(self, count: int, keys: str = "") -> list[Question]:
        """Start so many at once; with keys named so."""
        made = (self.one(f"{keys}{index}" if keys else None) for index in range(count))
        self.questions += (new := list(await asyncio.gather(*made)))
        return new

    async def answer(self, question: Question) -> str:
        """Allow what is asked, and return what came of it: the answer's text, or the name of an error."""
        session_id, turn_id, callback_id = question
        turn = self.teller.session(session_id).turn(turn_id)
        try:
            await turn.answer(callback_id, agents.AllowApproval())
            return (await turn.result()).text or ""
        except agents.AgentsError as error:
            return type(error).__name__

    async def take(self, questions: list[Question], *, at_once: bool) -> dict[str, int]:
        """Answer all of these, and count what came of it."""
        if at_once:
            return Counter(await asyncio.gather(*(self.answer(question) for question in questions)))
        return Counter([await self.answer(question) for question in questions])


async def obey(crowd: Crowd, order: str, *values: Any) -> None:
    """Do what a line of the input says, and tell what came of it."""
    match order:
        case "start" | "burst":
            say(questions=await getattr(crowd, order)(*values))
        case "take":
            say(came=await crowd.take(values[0], at_once=values[1]))
        case "answer":
            say(came=await crowd.take(crowd.questions, at_once=False))
        case "files":
            held = [path.resolve() for path in Path("/proc/self/fd").iterdir()]
            say(all=len(held), journals=sum(path.name == "journal.jsonl" for path in held))
        case "fork":
            if (child := os.fork()) == 0:
                await asyncio.to_thread(sys.stdin.read)  # lives on after its parent
                os._exit(0)
            say(child=child)
        case _:
            raise AssertionError(order)


async def live(place: Path) -> None:
    """Hold sessions until the input ends."""
    crowd = Crowd(agent(place / "ledger"))
    async with saved_in(place / "sessions"):
        say(up=True)
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            await obey(crowd, *json.loads(line))
    say(ended=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    asyncio.run(live(Path(sys.argv[1])))
