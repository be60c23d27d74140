"""What a person or program is asked: to approve a call, to answer a client tool, to sign in; and what comes along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import SdkError
from .record import hidden, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from .annotations import ToolAnnotations
    from .json_value import JsonValue


@record
class ApprovalTool:
    """The tool whose call is to be approved."""

    id: str
    """The full ID, such as `client.open_case`."""
    name: str
    """The name the model calls it by."""
    description: str | None
    """What the tool does; None if it does not say."""
    annotations: ToolAnnotations
    """The tool's hints; each is None where the tool does not give it."""
    input_schema: dict[str, JsonValue]
    """JSON Schema of the arguments."""


@record
class ApprovalRequest:
    """A tool call that waits for an approval. What is approved is what runs."""

    tool: ApprovalTool
    """The tool that would run."""
    arguments: JsonValue
    """The arguments it would run with."""
    tool_call_id: str
    """The call."""
    session_id: str
    """The session that asks: a subagent's own, where a subagent asks."""
    turn_id: str
    """The turn that asks."""
    agent_name: str
    """The agent that asks."""
    expires_at: datetime | None
    """When the question closes by itself; None if it does not."""


@record
class ClientToolCall:
    """A call of a client tool, which your program answers."""

    tool_id: str
    """The full ID, such as `client.get_location`."""
    name: str
    """The name the model calls it by."""
    arguments: JsonValue
    """The model's arguments."""
    tool_call_id: str
    """The call."""
    session_id: str
    """The session that asks."""
    turn_id: str
    """The turn that asks."""
    callback_id: str
    """The callback to answer."""
    agent_name: str | None = None
    """The agent that asks; None if it is not known."""


@record
class SignInRequest:
    """A source, such as a connector, that the user has to connect."""

    id: str
    """The source, as a `SignInAnswer` names it."""
    name: str
    """The source's name."""
    title: str | None = None
    """What to show the user; None if the source says nothing."""
    url: str | None = None
    """Where the user signs in; None if there is no page."""


@record
class ApprovalCallbackContext:
    """Where an approval comes from, as an `on_approval` handler receives it."""

    session_id: str
    """The session that asks: a subagent's own, where a subagent asks."""
    root_session_id: str
    """The session at the top of the tree; `session_id` itself where there are no subagents."""
    turn_id: str
    """The turn that asks."""
    _inputs: Callable[[type[Any]], Any] | None = hidden(default=None)

    def input[I](self, input_type: type[I]) -> I:
        """Return the session's input of this class. Raises `SdkError` when the session has none."""
        if self._inputs is None:
            raise SdkError(
                f"Session {self.session_id} gives no inputs to read here, so none of class {input_type.__name__}: "
                "pass session_inputs= when the session starts."
            )
        value: I = self._inputs(input_type)
        return value
