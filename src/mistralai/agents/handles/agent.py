"""The public `Agent`: an agent's definition with the methods that talk. What they do is imported when one is called."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from mistralai.agents.authoring.agent_definition import AgentDefinition
from mistralai.agents.authoring.overrides import put, take_back
from mistralai.agents.handles.handlers import Handlers
from mistralai.agents.values.errors import SdkError, UnsupportedAgentFeatureError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from typing_extensions import TypeVar

    from mistralai.agents.authoring.agent_definition import SessionAgentCustomization
    from mistralai.agents.authoring.agent_options import AgentOptions
    from mistralai.agents.authoring.model import Model
    from mistralai.agents.authoring.session_input import SessionInput
    from mistralai.agents.handles.handlers import OnApproval, OnClientTool, OnSignIn
    from mistralai.agents.handles.session import Session
    from mistralai.agents.handles.waiting import OnEvent
    from mistralai.agents.values.history_import import HistoryImportEntry
    from mistralai.agents.values.turn_input import TurnInput
    from mistralai.agents.values.turn_states import TurnState

    T = TypeVar("T", default=str)
else:
    # Python 3.12 knows no default, and only type checkers need it.
    from typing import TypeVar

    T = TypeVar("T")


class Agent(AgentDefinition[T]):
    """A model and its instructions, with tools, hooks and limits. Frozen. Public page: Configure the agent."""

    if TYPE_CHECKING:
        # Those of the definition name its own class, from which checkers do not learn what T is here.
        @overload
        def __init__(
            self: Agent[str], *, model: str | Model, output_type: None = None, **options: Unpack[AgentOptions]
        ) -> None: ...
        @overload
        def __init__(self, *, model: str | Model, output_type: type[T], **options: Unpack[AgentOptions]) -> None: ...
        @overload
        def __init__(
            self: Agent[Any], *, model: str | Model, output_type: Any, **options: Unpack[AgentOptions]
        ) -> None: ...
        def __init__(self, *, model: str | Model, output_type: Any = None, **options: Unpack[AgentOptions]) -> None: ...

    @overload
    async def run(
        self,
        content: TurnInput,
        *,
        output_type: None = None,
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        on_event: OnEvent | None = None,
        session_inputs: Mapping[str, SessionInput] | None = None,
    ) -> TurnState[T]: ...
    @overload
    async def run[O](
        self,
        content: TurnInput,
        *,
        output_type: type[O],
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        on_event: OnEvent | None = None,
        session_inputs: Mapping[str, SessionInput] | None = None,
    ) -> TurnState[O]: ...
    @overload
    async def run(
        self,
        content: TurnInput,
        *,
        output_type: Any,
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        on_event: OnEvent | None = None,
        session_inputs: Mapping[str, SessionInput] | None = None,
    ) -> TurnState[Any]: ...
    async def run(
        self,
        content: TurnInput,
        *,
        output_type: Any = None,
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
        timeout: float | None = None,
        idempotency_key: str | None = None,
        on_event: OnEvent | None = None,
        session_inputs: Mapping[str, SessionInput] | None = None,
    ) -> TurnState[Any]:
        """Answer one message in a session of its own, which closes when its turn has ended.

        Inside an `async with agents.local_runtime()` block, or with `idempotency_key`, the session stays open. The
        same key with the same message returns the record of the turn it started. Returns as `Turn.result` does;
        `timeout` is in seconds, None waits without bound.
        """
        from mistralai.agents.handles.opening import answer_once

        handlers = Handlers(on_approval=on_approval, on_client_tool=on_client_tool, on_sign_in=on_sign_in)
        return await answer_once(
            self,
            content,
            handlers,
            output_type=output_type,
            timeout=timeout,
            key=idempotency_key,
            on_event=on_event,
            inputs=session_inputs,
        )

    async def start_session(
        self,
        *,
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
        idempotency_key: str | None = None,
        agent: SessionAgentCustomization | Mapping[str, Any] | None = None,
        session_inputs: Mapping[str, SessionInput] | None = None,
        history: Iterable[HistoryImportEntry | Mapping[str, Any]] | None = None,
    ) -> Session:
        """Start a session, in this process. It stays open until it is cancelled, or its block or event loop ends.

        `agent` changes settings for this session alone; `history` seeds the conversation. The same `idempotency_key`
        returns the session it started; asked for with other settings, inputs or history, that running session is a
        SessionIdempotencyConflictError.
        """
        from mistralai.agents.handles.opening import open_session

        handlers = Handlers(on_approval=on_approval, on_client_tool=on_client_tool, on_sign_in=on_sign_in)
        return await open_session(
            self, handlers, key=idempotency_key, customization=agent, inputs=session_inputs, history=history
        )

    def session(
        self,
        session_id: str,
        *,
        on_approval: OnApproval | None = None,
        on_client_tool: OnClientTool | None = None,
        on_sign_in: OnSignIn | None = None,
    ) -> Session:
        """Return the handle of a session by its ID. Sends nothing: an ID that is not there shows at its first use."""
        from mistralai.agents.handles.session import Session
        from mistralai.agents.handles.where import Where

        handlers = Handlers(on_approval=on_approval, on_client_tool=on_client_tool, on_sign_in=on_sign_in)
        return Session(session_id, Where(), self, handlers)

    @contextmanager
    def override(self, *, model: Model) -> Generator[Self]:
        """Let a model object stand in for the agent's model in a `with` block, in tests.

        A session that starts in the block keeps it after the block, so that nothing goes to the real model.
        """
        if isinstance(model, str) or not callable(getattr(model, "stream", None)):
            raise SdkError(f"override: model is {model!r}. Pass a model object, such as agents.testing.ScriptedModel.")
        put(self, model)
        try:
            yield self
        finally:
            take_back(self, model)

    @classmethod
    async def load_from(
        cls, *, agent_name: str | None = None, agent_id: str | None = None, client: Any = None
    ) -> Agent[Any]:
        """Bind an agent that is deployed on a server, by its name or ID."""
        named = agent_name or agent_id
        raise UnsupportedAgentFeatureError(
            f"Agent {named!r} cannot be loaded: this version runs agents in the process that defines them. "
            "Import the agent and use it directly."
        )
