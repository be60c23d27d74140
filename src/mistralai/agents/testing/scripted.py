"""The scripted model: it plays a list of steps, one a call, and tells a test where the calls left the script."""

from __future__ import annotations

import inspect
from copy import copy
from typing import TYPE_CHECKING, cast

from mistralai.agents.authoring.model import (
    ModelError,
    ModelToolCall,
    ReasoningBlock,
    ReplyFinished,
    TextChunk,
    ToolCallBlock,
)
from mistralai.agents.testing.gates import Gate
from mistralai.agents.testing.script_error import ScriptError, tell
from mistralai.agents.testing.steps import Step, tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from mistralai.agents.authoring.model import ModelEvent, ModelRequest
    from mistralai.agents.testing.steps import StepFunction
    from mistralai.agents.values.usage import TokenUsage

USUAL_TOKENS = tokens(10, 5)


class ScriptedModel:
    """A model that does what a test says: `with agent.override(model=ScriptedModel([reply("Hello")])): ...`.

    A step is made by `reply`, `call`, `calls`, `run_typescript`, `error` or `stream`, or is a function, async or not,
    that returns one for what the model is asked.
    """

    def __init__(self, steps: Iterable[Step | StepFunction], *, usage: TokenUsage = USUAL_TOKENS) -> None:
        self.requests: list[ModelRequest] = []
        """What the model was sent at each call, as it was at that time."""
        self.usage = usage
        """The tokens of a call whose step names none."""
        self._steps: list[Step | StepFunction] = []
        self._played = 0
        self._calls = 0
        self._problems: list[ScriptError] = []
        self.add(*steps)

    def add(self, *steps: Step | StepFunction) -> None:
        """Put steps at the script's end."""
        for number, step in enumerate(steps, len(self._steps) + 1):
            if not isinstance(step, Step) and not callable(step):
                raise TypeError(f"ScriptedModel: step {number} is {step!r}. Pass reply(...), call(...) or a function.")
        self._steps += steps

    @property
    def problems(self) -> list[ScriptError]:
        """Where the calls left the script, in order."""
        return tell(self._problems)

    @property
    def remaining(self) -> int:
        """Steps not played yet."""
        return max(0, len(self._steps) - self._played)

    def assert_consumed(self) -> None:
        """Raise AssertionError if a call left the script, or a step was never played."""
        if problems := self.problems:
            raise problems[0].with_traceback(None)
        if self.remaining:
            following = self._steps[self._played]
            told = str(following) if isinstance(following, Step) else getattr(following, "__name__", repr(following))
            raise AssertionError(
                f"The model was called {_times(self._played)}, and its script has {_count(len(self._steps))}. "
                f"The next one is {told}."
            )

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """Play the next step."""
        request = _snapshot(request)
        self.requests.append(request)
        number = len(self.requests)
        self._played = number
        step = await self._step(number, request)
        self._check_offered(number, step, request)
        for part in step.parts:
            match part:
                case str():
                    yield TextChunk(part)
                case Gate():
                    await part.hold()
                case ReasoningBlock():
                    yield part
                case ModelError():
                    raise copy_of(part)
                case _:
                    self._calls += 1
                    made = ModelToolCall(
                        id=part.id or f"call{self._calls:05}", name=part.name, arguments=part.arguments
                    )
                    yield ToolCallBlock(call=made)
        if step.finish is not None:
            usage = (step.usage or self.usage) if step.reports_usage else None
            yield ReplyFinished(reason=step.finish, usage=usage)

    async def _step(self, number: int, request: ModelRequest) -> Step:
        if number > len(self._steps):
            raise self._problem(
                f"The script has {_count(len(self._steps))}, and the model was called for the {_ordinal(number)} time. "
                "Add a step, or find out why the agent asked again."
            )
        step = self._steps[number - 1]
        if isinstance(step, Step):
            return step
        try:
            made = step(request)
            made = await made if inspect.isawaitable(made) else made
        except ModelError:
            raise
        except Exception as error:
            raise self._problem(f"Step {number}'s function raised {type(error).__name__}: {error}") from error
        if not isinstance(cast("object", made), Step):
            raise self._problem(f"Step {number}'s function returned {made!r}. Return a step, such as reply(...).")
        return made

    def _check_offered(self, number: int, step: Step, request: ModelRequest) -> None:
        offered = [] if request.tool_choice == "none" else [tool.name for tool in request.tools]
        for one in step.calls:
            if one.name not in offered:
                names = ", ".join(offered)
                raise self._problem(
                    f"Step {number} of {len(self._steps)} calls the tool {one.name!r}, which this call does not offer. "
                    + (f"It offers {names}." if offered else "It offers no tools.")
                )

    def _problem(self, message: str) -> ScriptError:
        problem = ScriptError(message)
        self._problems.append(problem)
        return problem

    def __repr__(self) -> str:
        return f"<ScriptedModel, {min(self._played, len(self._steps))} of {_count(len(self._steps))} played>"


def copy_of(failure: ModelError) -> ModelError:
    """Return a failure to raise, so that the script's own never gathers tracebacks."""
    return ModelError(failure.message, code=failure.code, retryable=failure.retryable, details=failure.details)


def _snapshot(request: ModelRequest) -> ModelRequest:
    kept = copy(request)
    kept.messages = tuple(request.messages)
    kept.tools = tuple(request.tools)
    kept.wire = {}
    return kept


def _count(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
