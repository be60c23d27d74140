"""The functions that answer a session's callbacks while a call waits for its turn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.signature import check_returns
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.authoring.client_tool import ClientToolAnswers
    from mistralai.agents.values.answers import AllowApproval, DenyApproval, KeepCallbackOpen, SignInAnswer
    from mistralai.agents.values.callbacks import OpenSignIn
    from mistralai.agents.values.requests import ApprovalCallbackContext, ApprovalRequest, ClientToolCall

type ApprovalAnswer = AllowApproval | DenyApproval | KeepCallbackOpen
type OnApproval = Callable[[ApprovalCallbackContext, ApprovalRequest], ApprovalAnswer | Awaitable[ApprovalAnswer]]
"""Answers approvals. Public page: Callbacks."""
type OnSignIn = Callable[[OpenSignIn], SignInAnswer | Awaitable[SignInAnswer]]
"""Answers sign-ins."""
type OnClientTool = ClientToolAnswers | Callable[[ClientToolCall], object]
"""Answers client tool calls, with what it returns or awaits."""


@record
class Handlers:
    """What answers the callbacks of a handle's session, by kind; None leaves them open."""

    on_approval: OnApproval | None = None
    on_client_tool: OnClientTool | None = None
    on_sign_in: OnSignIn | None = None

    def __post_init__(self) -> None:
        for name, takes in (("on_approval", 2), ("on_sign_in", 1)):
            handler = getattr(self, name)
            if handler is not None:
                _check_takes(name, handler, takes)
        if self.on_client_tool is not None and not _is_answers(self.on_client_tool):
            _check_takes("on_client_tool", self.on_client_tool, 1)


def _is_answers(given: object) -> bool:
    from mistralai.agents.authoring.client_tool import ClientToolAnswers

    return isinstance(given, ClientToolAnswers)


def _check_takes(name: str, handler: Any, count: int) -> None:
    takes = {1: "one argument", 2: "two arguments, the context and the request"}[count]
    if not callable(handler):
        raise SdkError(f"{name} is {handler!r}. Pass a function of {takes}, or None.")
    check_returns(name, handler)
    try:
        inspect.signature(handler).bind(*range(count))
    except TypeError:
        named = getattr(handler, "__qualname__", handler)
        raise SdkError(f"{name}: {named} does not take {takes}. Give it that signature.") from None
    except ValueError:
        return  # a builtin that does not say what it takes
