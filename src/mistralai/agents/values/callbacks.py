"""The questions a turn is waiting on, as `Blocked` lists them and `CallbackOpened` announces them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import SdkError
from .record import fresh, hidden, record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .json_value import JsonValue
    from .requests import ApprovalRequest, ClientToolCall, SignInRequest
    from .tool_result import ToolResult


@record
class OpenCallback:
    """A question that a turn, or one of its subagents, waits on. Public page: Turn records."""

    id: str
    """The callback, as `turn.answer` takes it."""
    session_id: str
    """The session that asks: a subagent's own, where a subagent asks."""
    turn_id: str
    """The turn that asks."""
    kind: str
    """`"approval"`, `"sign_in"`, `"client_tool"`, or a kind that has no class here."""
    title: str | None
    """What to show for an approval; None for every other kind."""


@record
class OpenApproval(OpenCallback):
    """An approval that a turn waits on. Public page: Turn records."""

    request: ApprovalRequest
    """The call to approve."""


@record
class OpenClientToolCall[**P, R](OpenCallback):
    """A client tool call that a turn waits on. Public page: Turn records."""

    call: ClientToolCall
    """The call to answer."""
    _runner: Callable[[Callable[..., Any]], Awaitable[Any]] | None = hidden(default=None)
    _stub: object = hidden(default=None)

    async def run(
        self, fn: Callable[P, R | ToolResult[Any] | Awaitable[R | ToolResult[Any]]], /
    ) -> R | ToolResult[Any]:
        """Call `fn` with the call's arguments, checked by the tool's stub, and return what `turn.answer` takes.

        Arguments that do not fit the stub are not passed on: the result is then an error the model can read and mend.
        What `fn` raises is raised. Raises `SdkError` where no stub, or more than one, is known for the tool.
        """
        if self._runner is None:
            raise SdkError(
                f"Callback {self.id}: no single stub is known for tool '{self.call.tool_id}', so its arguments cannot "
                "be checked. Read call.arguments and answer with turn.answer."
            )
        result: R | ToolResult[Any] = await self._runner(fn)
        return result


@record
class OpenSignIn(OpenCallback):
    """A sign-in that a turn waits on. Public page: Turn records."""

    requests: tuple[SignInRequest, ...]
    """The sources to connect."""


@record
class UnknownOpenCallback(OpenCallback):
    """A callback of a kind that this version of the SDK has no class for. Leave it open. Public page: Turn records."""

    raw: dict[str, JsonValue] = fresh(default_factory=dict[str, "JsonValue"])
    """The rest of what was reported, as it came."""
