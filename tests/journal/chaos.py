"""Killing processes at random while they run sessions, what must hold afterwards, and the program that is killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from mistralai import agents
from tests.journal.story import StoryModel, agent, payments, saved_in, say

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parents[2]
GROUPS = 2
SESSIONS = 50
LONGEST_LIFE = 0.6
"""Seconds that a process lives at most after it has come up."""


class Unsteady(StoryModel):
    """The story's model, which takes its time."""

    async def stream(self, request: agents.ModelRequest, /) -> AsyncIterator[agents.ModelEvent]:
        async for event in super().stream(request):
            await asyncio.sleep(random.random() / 50)
            yield event


def teller(place: Path) -> agents.Agent[str]:
    """Return the agent of the story, with the unsteady model."""
    steady = agent(place / "ledger")
    return agents.Agent(
        name=steady.name, model=Unsteady(), tools=list(steady.tools), permission_mode=steady.permission_mode
    )


class Told:
    """What the killed processes were told, in a file that outlives them: accepted turns and answers that counted."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, **told: str) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps(told) + "\n")

    def all(self, kind: str) -> list[dict[str, str]]:
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        return [told for line in lines if kind in (told := json.loads(line))]


async def live(place: Path, ids: list[str]) -> None:
    """Start turn after turn in each of the sessions, allow what is asked, and note what came of it."""
    told = Told(place / "told")
    clerk = teller(place)

    async def one(session_id: str) -> None:
        session = clerk.session(session_id)
        while True:
            turn = await session.send_message("Pay my bill.")
            told.note(session=session_id, turn=turn.id)
            state = await turn.result()
            while isinstance(state, agents.Blocked):
                question = state.callbacks[0].id
                answered = await turn.answer(question, random.choice([agents.AllowApproval(), agents.DenyApproval()]))
                if isinstance(answered, agents.Answered):
                    told.note(session=session_id, callback=question, answer=type(answered.answer).__name__)
                state = await turn.result(after=state)

    async with saved_in(place / "sessions"):
        say(up=True)
        await asyncio.gather(*(one(session_id) for session_id in ids))


class Chaos:
    """Fifty sessions, the processes that run them, and a reader that comes between."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.seen: dict[str, list[str]] = {}
        """The ids of the events that the reader got of each session, in the order it got them."""
        self.kills = 0

    async def run(self, seconds: float) -> None:
        """Kill for so long, then let every turn end."""
        async with saved_in(self.place / "sessions"):
            clerk = teller(self.place)
            self.seen = {(await clerk.start_session()).id: [] for _ in range(SESSIONS)}
        ids = list(self.seen)
        until = time.monotonic() + seconds
        await asyncio.gather(*(self._torment(ids[group::GROUPS], until) for group in range(GROUPS)))
        async with saved_in(self.place / "sessions"):
            await asyncio.gather(*(self._finish(clerk.session(session_id)) for session_id in ids))
        async with saved_in(self.place / "sessions"):
            await self._read(clerk, ids, seconds=None)

    async def _torment(self, ids: list[str], until: float) -> None:
        while time.monotonic() < until:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                __file__,
                str(self.place),
                *ids,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
                    "AGENTS_SDK_EXPERIMENTAL_WARNINGS": "0",
                },
                stdout=asyncio.subprocess.PIPE,
            )
            assert process.stdout is not None
            assert await process.stdout.readline(), "a process died by itself"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), random.random() * LONGEST_LIFE)
                raise AssertionError("a process ended by itself")
            process.kill()
            await process.wait()
            self.kills += 1
            # In a loop of its own: each is one more runtime that opens the sessions and lets go of them.
            await asyncio.to_thread(asyncio.run, self._read_between(ids))

    async def _read_between(self, ids: list[str]) -> None:
        async with saved_in(self.place / "sessions"):
            await self._read(teller(self.place), ids)

    async def _read(self, clerk: agents.Agent[str], ids: list[str], seconds: float | None = 0.2) -> None:
        """Read what is new in each session, from the last event that was seen; for so long, None for to its end."""

        async def one(session_id: str) -> None:
            seen = self.seen[session_id]
            async for event in clerk.session(session_id).iter_events(after=seen[-1] if seen else None):
                if not isinstance(event, agents.TextDelta):
                    seen.append(event.id)

        reading = [asyncio.ensure_future(one(session_id)) for session_id in ids]
        done, waiting = await asyncio.wait(reading, timeout=seconds)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for task in done:
            task.result()

    async def _finish(self, session: agents.Session) -> None:
        """Deny what is still asked, and wait until nothing runs."""
        turns = [told["turn"] for told in Told(self.place / "told").all("turn") if told["session"] == session.id]
        async for turn_id in self._turns(session, turns):
            state = await session.turn(turn_id).result(timeout=30)
            while isinstance(state, agents.Blocked):
                await session.turn(turn_id).answer(state.callbacks[0].id, agents.DenyApproval())
                state = await session.turn(turn_id).result(after=state, timeout=30)
            assert not isinstance(state, agents.Running), f"turn {turn_id} never ended"
        await session.cancel()

    async def _turns(self, session: agents.Session, told: list[str]) -> AsyncIterator[str]:
        """Yield every turn that a process was told of, then the one that was accepted without that, if there is one."""
        for turn_id in dict.fromkeys(told):
            yield turn_id
        if (await session.info()).status != "waiting" or (await session.info()).open_callbacks:
            turn = await session.send_message("And this.")
            yield turn.id

    async def check(self) -> Counter[str]:
        """Check what must hold whatever was killed when. Return what there was of each."""
        counted: Counter[str] = Counter(sessions=len(self.seen), kills=self.kills)
        paid = payments(self.place / "ledger")
        assert len(set(paid)) == len(paid), "a tool took effect twice"
        counted["payments"] = len(paid)
        told = Told(self.place / "told")
        async with saved_in(self.place / "sessions"):
            clerk = teller(self.place)
            for session_id, seen in self.seen.items():
                session = clerk.session(session_id)
                events = [event async for event in session.iter_events()]
                counted += self._checked(events)
                held = [event.id for event in events if not isinstance(event, agents.TextDelta)]
                assert seen == held, "the reader missed an event, or got one twice"
                turns = {event.turn_id for event in events if isinstance(event, agents.TurnEnded)}
                accepted = {each["turn"] for each in told.all("turn") if each["session"] == session_id}
                assert accepted <= turns, "an accepted turn was lost"
        self._check_answers(told)
        return counted

    def _checked(self, events: list[agents.Event]) -> Counter[str]:
        times = [event.created_at for event in events]
        assert times == sorted(times)
        added = Counter(event.entry.id for event in events if isinstance(event, agents.EntryAdded))
        completed = Counter(event.entry.id for event in events if isinstance(event, agents.EntryCompleted))
        assert added == completed, "an entry did not open and complete once"
        assert set(added.values()) <= {1}
        begun = [event.turn_id for event in events if isinstance(event, agents.TurnStarted)]
        ended = [event.turn_id for event in events if isinstance(event, agents.TurnEnded)]
        assert begun == ended, "a turn did not start and end once, in order"
        opened = Counter(event.callback.id for event in events if isinstance(event, agents.CallbackOpened))
        closed = Counter(event.callback_id for event in events if isinstance(event, agents.CallbackResolved))
        assert opened == closed, "a callback did not open and close once"
        unknown = sum(
            isinstance(event, agents.EntryCompleted)
            and isinstance(event.entry, agents.ToolResultEntry)
            and event.entry.error is not None
            and event.entry.error.code == "unknown_outcome"
            for event in events
        )
        return Counter(events=len(events), turns=len(ended), callbacks=len(opened), unknown_outcomes=unknown)

    def _check_answers(self, told: Told) -> None:
        """Whoever was told which answer counts was told the same."""
        heard: dict[str, set[str]] = {}
        for each in told.all("callback"):
            heard.setdefault(each["callback"], set()).add(each["answer"])
        assert all(len(answers) == 1 for answers in heard.values())


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2:]))
