"""Where a handle's session lives: found at the latest when the handle is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.local.registry import find, start

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.core.place import Place
    from mistralai.agents.local.place import LocalPlace


class Where:
    """The local runtime of an event loop. Bound to the running loop's, or to the first loop the handle is used in."""

    __slots__ = ("_place",)

    def __init__(self, place: LocalPlace | None = None) -> None:
        self._place = place or _running()

    @property
    def identity(self) -> object:
        """Equal for handles of one place."""
        if self._place is None:
            self._place = _running()
        return self._place.identity if self._place is not None else None

    async def place(self, session_id: str, agent: AgentDefinition[Any] | None) -> Place:
        """Return the place; a saved session is opened there."""
        if self._place is None:
            self._place = (await start()).place
        await self._place.open_saved(session_id, agent)
        return self._place


def _running() -> LocalPlace | None:
    try:
        runtime = find()
    except RuntimeError:
        return None  # no loop runs yet
    return runtime.place if runtime is not None else None
