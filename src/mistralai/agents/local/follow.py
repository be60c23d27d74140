"""Reading a log forward: a reader is a position, never a queue, so that a slow or abandoned one costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.core.facts import ReplyEnded, ReplyOpened, TurnEnded
from mistralai.agents.core.positions import Position, cursor, end_of
from mistralai.agents.core.present import events_of, moment
from mistralai.agents.values.events import SessionUpdated, TextDelta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mistralai.agents.core.session import OpenSession
    from mistralai.agents.values.events import Event


class Reader:
    """Reads the events of a session, or of one of its turns."""

    __slots__ = ("_event", "_fact", "_offset", "_over", "_session", "_turn_id")

    def __init__(self, session: OpenSession, turn_id: str | None, after: Position) -> None:
        self._session = session
        self._turn_id = turn_id
        self._fact, self._event = (after.fact, after.event + 1) if after.fact >= 0 else (0, 0)
        live = session.live
        self._offset = after.offset or (live.shown_before(after.fact) if live is not None else 0)
        turn = session.state.turns.get(turn_id) if turn_id is not None else None
        self._over = turn is not None and turn.end is not None and after >= (turn.end_position, 0)

    def read(self, until: Position | None = None) -> Iterator[Event]:
        """Yield what there is after the reader's position, up to `until` or the end of the log, and move on."""
        session = self._session
        limit = until or end_of(session)
        log = session.log
        while not self._over and self._fact <= limit.fact:
            fact = log[self._fact]
            if self._event == 0 and isinstance(fact, ReplyOpened | ReplyEnded):
                self._offset = 0
            width = fact.width()
            if self._event < width and self._concerns(fact):
                if self._event == 0 and (shown := _shown_by(session, self._fact)) is not None:
                    yield from self._delta(shown)
                events = events_of(session, self._fact)
                while self._event < width:
                    if (self._fact, self._event) > limit[:2]:
                        return
                    event = events[self._event]
                    self._event += 1
                    self._over = self._turn_id is not None and isinstance(fact, TurnEnded)
                    if self._turn_id is None or not isinstance(event, SessionUpdated):
                        yield event
                    if self._over:
                        return
            self._fact, self._event = self._fact + 1, 0
        if not self._over:
            yield from self._delta(limit)

    def behind(self) -> bool:
        """Whether there is something to read now."""
        fact, event, offset = end_of(self._session)
        return not self._over and ((self._fact, self._event) <= (fact, event) or self._offset < offset)

    def at_end(self) -> bool:
        """Whether nothing will ever follow."""
        return self._over or (self._session.state.ended is not None and not self.behind())

    def _delta(self, limit: Position) -> Iterator[Event]:
        session = self._session
        live, turn = session.live, session.state.active
        if live is None or turn is None or live.position > limit.fact or self._offset >= limit.offset:
            return
        text = live.text(self._offset)[: limit.offset - self._offset]
        self._offset += len(text)
        yield TextDelta(
            id=cursor(session.session_id, Position(limit.fact, limit.event, self._offset)),
            session_id=session.session_id,
            turn_id=turn.turn_id,
            created_at=moment(session.now()),
            entry_id=live.entry_id,
            text=text,
        )

    def _concerns(self, fact: object) -> bool:
        return self._turn_id is None or getattr(fact, "turn_id", None) == self._turn_id


def _shown_by(session: OpenSession, fact: int) -> Position | None:
    """Return the position just before a fact that came while a reply was being written; None for any other fact."""
    passed = session.live.passed.get(fact) if session.live is not None else None
    if passed is None:
        return None
    (before, event), length = passed
    return Position(before, event, length)
