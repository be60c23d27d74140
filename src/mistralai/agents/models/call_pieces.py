"""Tool calls put together from the pieces of a stream, however a server numbers them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.model import ModelToolCall
from mistralai.agents.models.wire_text import ALPHANUMERICS, decode_json, encode_json

if TYPE_CHECKING:
    from mistralai.agents.models.chat_chunks import CallDelta

NO_IDS = frozenset({None, "", "null", "None"})


class _OpenCall:
    __slots__ = ("id", "index", "name", "pieces")

    def __init__(self, id: str | None, index: int | None) -> None:
        self.id = id
        self.index = index
        self.name = ""
        self.pieces: list[str] = []

    def is_whole(self) -> bool:
        """True if the arguments so far are a JSON object: more of them would be another call's."""
        try:
            return isinstance(decode_json("".join(self.pieces)), dict)
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            return False


class CallPieces:
    """The calls of one reply. A piece goes to the call of its id and index, else of its id, else of its index, else
    to the last one.

    Servers repeat ids and names, change the id in mid-call, send the text "null" for one, and leave the index out or
    at 0. So a known place is left for a new call only if the piece names a function, and the call there is of another
    name or whole already; or, under one id, of another index.
    """

    __slots__ = ("_calls",)

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, delta: CallDelta) -> None:
        """Take a piece."""
        id = None if delta.id in NO_IDS else str(delta.id)
        name = (delta.function and delta.function.name) or ""
        call = self._place(id, delta.index)
        if call is None and not name and delta.index is None and self._calls:
            call = self._calls[-1]
        if call is None or (name and self._is_another(call, id, delta.index, name)):
            call = _OpenCall(id, delta.index)
            self._calls.append(call)
        if name:
            call.name = name
        if call.id is None:
            call.id = id
        if delta.function and delta.function.arguments:
            call.pieces.append(_text(delta.function.arguments))

    def finished(self) -> list[ModelToolCall]:
        """The calls in the order they began, each with an id of its own."""
        taken: set[str] = set()
        calls: list[ModelToolCall] = []
        for call in self._calls:
            if not call.name and not call.pieces:
                continue
            id = call.id
            while id is None or id in taken:
                id = "".join(random.choices(ALPHANUMERICS, k=9))
            taken.add(id)
            calls.append(ModelToolCall(id=id, name=call.name, arguments="".join(call.pieces) or "{}"))
        return calls

    def _place(self, id: str | None, index: int | None) -> _OpenCall | None:
        if not self._calls:
            return None
        newest_first = self._calls[::-1]
        if id is not None and (same := [call for call in newest_first if call.id == id]):
            return next((call for call in same if call.index == index), same[0])
        if index is not None:
            return next((call for call in newest_first if call.index == index), None)
        return None if id is not None and self._calls[-1].id not in (None, id) else self._calls[-1]

    @staticmethod
    def _is_another(call: _OpenCall, id: str | None, index: int | None, name: str) -> bool:
        if not call.name:
            return False
        if id is not None and id == call.id:
            elsewhere = None not in (index, call.index) and index != call.index
            return elsewhere or (name != call.name and call.is_whole())
        return name != call.name or call.is_whole()


def _text(arguments: str | dict[str, Any]) -> str:
    return arguments if isinstance(arguments, str) else encode_json(arguments).decode()
