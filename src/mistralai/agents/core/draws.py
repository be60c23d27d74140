"""The values that a session's hooks drew: a saved session gives them again where a crash makes a hook run twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.core.facts import ValueRecorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.core.session import OpenSession


class SessionDraws:
    """The values of one running of a hook, told apart by where it runs and in which order it draws."""

    __slots__ = ("_count", "_place", "_session", "_turn_id")

    def __init__(self, session: OpenSession, turn_id: str, place: tuple[str, str, int, str]) -> None:
        self._session = session
        self._turn_id = turn_id
        self._place = place
        """The point, the hook, how many replies the turn has, and what the point is about."""
        self._count = 0

    def draw[V: (str, float)](self, kind: str, make: Callable[[], V]) -> V:
        """Return the value recorded here, or make one and record it."""
        name = "/".join(map(str, (*self._place, self._count, kind)))
        self._count += 1
        turn = self._session.state.active
        if turn is None or turn.turn_id != self._turn_id:
            return make()  # the hook went on past the end of its turn: nothing of it is kept
        if (recorded := turn.drawn.get(name)) is not None:
            given: V = recorded
            return given
        value = make()
        self._session.append([ValueRecorded(at=self._session.now(), turn_id=self._turn_id, name=name, value=value)])
        return value
