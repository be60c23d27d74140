"""Hooks for common needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from mistralai.agents.authoring.hook import Hook, reject, retry
from mistralai.agents.authoring.output import output_type_of
from mistralai.agents.core.results import as_json
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.turn_states import InvalidOutput

if TYPE_CHECKING:
    from mistralai.agents.authoring.hook import AgentTurnRequest, HookContext, PostLLMCallInvocation, Reject, Retry
    from mistralai.agents.authoring.output import OutputType

__all__ = ["StructuredOutputHook"]


class StructuredOutputHook[T](Hook):
    """Asks the model again when its answer is not JSON of type T: `StructuredOutputHook[Report]()`. Public page: Hooks.

    For models that cannot be held to a schema: the answer stays text, and `output_type` parses it.
    """

    max_retries: int = Field(default=2, ge=0, exclude=True)
    """How many times in a row it asks again."""
    on_limit: Literal["accept", "reject"] = Field(default="accept", exclude=True)
    """What becomes of an answer that does not fit after that: it is the answer, or the turn is rejected."""
    retries: int = 0
    """How many times it has asked for this answer."""

    if not TYPE_CHECKING:  # to checkers it is the fields that say what may be given

        def __init__(self, /, **given: Any) -> None:
            self._output()  # refuses a hook without its type
            super().__init__(**given)

    async def pre_agent_turn(self, ctx: HookContext, request: AgentTurnRequest, /) -> None:
        """Start counting for a new answer."""
        self.retries = 0

    async def post_llm_call(self, ctx: HookContext, invocation: PostLLMCallInvocation, /) -> Retry | Reject | None:
        """Check a reply that calls no tools."""
        if invocation.tool_calls:
            return None
        output = self._output()
        parsed = output.parse(invocation.content)
        if not isinstance(parsed, InvalidOutput):
            self.retries = 0
            return None
        if self.retries < self.max_retries:
            self.retries += 1
            return retry(
                f"Your answer does not fit its format: {parsed.error}. Answer again, with nothing but JSON that fits "
                f"this schema: {as_json(output.schema)}"
            )
        self.retries = 0
        if self.on_limit == "accept":
            return None
        return reject(f"The answer does not fit its format after {self.max_retries} more attempts: {parsed.error}.")

    @classmethod
    def _output(cls) -> OutputType[Any]:
        for base in cls.__mro__:  # a subclass of StructuredOutputHook[Report] has its type from there
            if issubclass(base, Hook) and (arguments := base.__pydantic_generic_metadata__["args"]):
                return output_type_of(arguments[0])
        raise SdkError(f"{cls.__name__} has no type. Write {cls.__name__}[YourType]().")
