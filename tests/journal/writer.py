"""The program of a process that writes a saved session and is told by its input when to go on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from mistralai import agents
from tests.journal.story import agent, saved_in, say


async def write(place: Path, session_id: str | None) -> None:
    """Open or start a session, then do what each line of the input says, and tell what came of it."""
    teller = agent(place / "ledger")
    async with saved_in(place / "sessions"):
        session = teller.session(session_id) if session_id else await teller.start_session()
        say(session=session.id)
        turn: agents.Turn | None = None
        while order := (await asyncio.to_thread(sys.stdin.readline)).strip():
            try:
                match order:
                    case "start":
                        turn = await session.send_message("Pay my bill.")
                        state = await turn.result()
                        assert isinstance(state, agents.Blocked)
                        say(turn=turn.id, callback=state.callbacks[0].id)
                    case "allow":
                        assert turn is not None
                        state = await turn.get()
                        assert isinstance(state, agents.Blocked)
                        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
                        say(text=(await turn.result()).text)
                    case "fork":
                        if (child := os.fork()) == 0:
                            while True:  # lives on after its parent
                                signal.pause()
                        say(child=child)
                    case other:
                        raise AssertionError(other)
            except agents.AgentsError as error:
                say(error=type(error).__name__)


if __name__ == "__main__":
    os.environ["AGENTS_SDK_EXPERIMENTAL_WARNINGS"] = "0"
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None))
