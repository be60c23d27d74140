"""Models that keep real replies for tests: one writes what an inner model answers to a file, one plays the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mistralai.agents.authoring.model import ModelError
from mistralai.agents.testing.cassette import event_data, event_of, first_difference, read, request_data, write
from mistralai.agents.testing.script_error import ReplayMissError, ScriptError, tell

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator

    from mistralai.agents.authoring.model import JsonObject, Model, ModelEvent, ModelRequest


class RecordingModel:
    """A model that asks another and writes each complete call to a file, which `ReplayModel` plays.

    The file begins anew with each RecordingModel. It holds all that the model was sent and answered, and no keys.
    A call that is left before its end is not recorded.
    """

    def __init__(self, inner: Model, path: str | os.PathLike[str]) -> None:
        self.inner = inner
        self.path: Path = Path(path)
        self._calls: list[JsonObject] = []

    @property
    def keeps_first_output_bound(self) -> bool:
        """Whether the inner model bounds the wait for its first output itself."""
        return bool(getattr(self.inner, "keeps_first_output_bound", False))

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Call the inner model, and record what comes."""
        asked = request_data(request)
        events: list[JsonObject] = []
        try:
            async for event in self.inner.stream(request):
                events.append(event_data(event))
                yield event
        except ModelError as error:
            events.append(event_data(error))
            self._keep(asked, events)
            raise
        self._keep(asked, events)

    def _keep(self, asked: JsonObject, events: list[JsonObject]) -> None:
        self._calls.append({"request": asked, "events": events})
        write(self.path, self._calls)


class ReplayModel:
    """A model that answers from a recording, without a network.

    A call that was not recorded fails, and says what differs. Each recorded call is played once, equal ones in the
    order of the recording.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        self._left = read(self.path)
        self._recorded = len(self._left)
        self._problems: list[ScriptError] = []

    @property
    def problems(self) -> list[ScriptError]:
        """The calls that the recording does not hold."""
        return tell(self._problems)

    def assert_consumed(self) -> None:
        """Raise AssertionError if a call was not in the recording, or a recorded one was not made."""
        if problems := self.problems:
            raise problems[0].with_traceback(None)
        if self._left:
            raise AssertionError(
                f"{self.path} holds {self._recorded} calls, and {len(self._left)} of them were not made. "
                "Record it again if the agent is meant to ask less."
            )

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Play the reply to this request."""
        for data in self._find(request_data(request))["events"]:
            event = event_of(data)
            if isinstance(event, ModelError):
                raise event
            yield event

    def _find(self, asked: JsonObject) -> JsonObject:
        for index, recorded in enumerate(self._left):
            if recorded["request"] == asked:
                return self._left.pop(index)
        if not self._left:
            told = f"all of its {self._recorded} calls were played"
        else:
            told = f"the next one differs at {first_difference(self._left[0]['request'], asked)}"
        problem = ReplayMissError(f"{self.path} has no such call: {told}. Record it again with RecordingModel.")
        self._problems.append(problem)
        raise problem
