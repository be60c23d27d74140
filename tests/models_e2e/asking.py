"""Asking an agent whose provider is a strict server on loopback, over real HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mistralai import agents
from mistralai.agents.testing import StrictProvider

if TYPE_CHECKING:
    import pytest

    from mistralai.agents.testing import Gate, Step
    from mistralai.agents.testing.strict_replies import Mode, Reply


@dataclass(frozen=True)
class Asked:
    """A turn that is over, and the server it was played on."""

    state: agents.TurnState[str]
    server: StrictProvider
    events: list[agents.Event]


class Asker:
    """Plays a script to an agent's turn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, mode: Mode) -> None:
        self.monkeypatch = monkeypatch
        self.mode: Mode = mode

    async def ask(self, *script: Reply | Step, retry: float = 0, opens: Gate | None = None, **options: Any) -> Asked:
        """Run a turn.

        `retry`: the seconds within which a failed call may be tried again. `opens`: opened at the first TextDelta.
        """
        seen: list[agents.Event] = []

        def see(event: agents.Event) -> None:
            seen.append(event)
            if opens is not None and isinstance(event, agents.TextDelta):
                opens.open()

        async with StrictProvider(self.mode, *script) as server:
            for name, value in (server.environ | {"AGENTS_SDK_MODEL_RETRY_SECONDS": str(retry)}).items():
                self.monkeypatch.setenv(name, value)
            agent = agents.Agent(model="m", provider=self.mode, **options)
            async with agents.local_runtime():
                state = await agent.run("hello", on_event=see)
        return Asked(state, server, seen)

    async def error(self, *script: Reply | Step, retry: float = 0, **options: Any) -> agents.ProtocolError:
        """Run a turn that must fail, and return its error."""
        state = (await self.ask(*script, retry=retry, **options)).state
        assert isinstance(state, agents.Failed), state
        return state.error
