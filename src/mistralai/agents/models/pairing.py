"""Each call with exactly one result, right after it: every provider refuses a history that is otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.authoring.model import AssistantMessage, ToolMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mistralai.agents.authoring.model import ModelMessage

MISSING = "No result of this call was recorded."


class Pairing:
    """Gives a call without a result one that says so, and leaves out a result without its call, or a second one."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}

    def of(self, messages: Sequence[ModelMessage]) -> Iterator[ModelMessage]:
        """The next messages, in pairs. The model is about to be called: a result that is not there now is missing."""
        for message in messages:
            if isinstance(message, ToolMessage):
                if self._waiting.pop(message.tool_call_id, None) is not None:
                    yield message
                continue
            yield from self._missing()
            if isinstance(message, AssistantMessage):
                self._waiting = {call.id: call.name for call in message.tool_calls}
            yield message
        yield from self._missing()

    def _missing(self) -> Iterator[ModelMessage]:
        waiting, self._waiting = self._waiting, {}
        for id, name in waiting.items():
            yield ToolMessage(tool_call_id=id, name=name, content=MISSING, is_error=True)
