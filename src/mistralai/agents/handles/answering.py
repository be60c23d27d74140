"""Answers on their way in: each checked against the callback it is for, and brought into the form the log keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.authoring.call_errors import OutputMismatch
from mistralai.agents.authoring.results import encode_value
from mistralai.agents.core.results import stored_content
from mistralai.agents.handles.dress import stub_of
from mistralai.agents.values.answers import AllowApproval, DenyApproval, SignInAnswer
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall, OpenSignIn
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.tool_result import ToolResult
from mistralai.agents.values.wire import to_data

if TYPE_CHECKING:
    from mistralai.agents.authoring.agent_definition import AgentDefinition
    from mistralai.agents.authoring.client_tool import ClientTool
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.requests import ClientToolCall

type JsonObject = dict[str, Any]


def encode_answer(callback: OpenCallback, answer: object, agent: AgentDefinition[Any] | None) -> JsonObject:
    """Return an answer as JSON. Raises SdkError where it is not one for this callback."""
    match callback:
        case OpenApproval():
            return _approval(callback, answer, agent)
        case OpenSignIn():
            return _sign_in(callback, answer)
        case OpenClientToolCall(call=call):
            return _result(call, answer, agent)
        case _:
            raise SdkError(
                f"Callback {callback.id} is of kind {callback.kind!r}, which this version cannot answer. "
                "Leave it open for another client."
            )


def encode_result(result: ToolResult[Any]) -> JsonObject:
    """Return a client tool's encoded result as an answer."""
    content = stored_content(result.content)
    answer: JsonObject = {"type": "tool_result", "content": content, "structured": result.structured}
    if result.metadata is not None:
        answer["metadata"] = result.metadata
    if result.is_error:
        answer["is_error"] = True
    return answer


def encode_failure(text: str, kind: str, *, fatal: str | None = None) -> JsonObject:
    """Return how a client tool's function failed as an answer; `fatal` is the message of a turn that fails with it."""
    answer = {**encode_result(ToolResult[Any](content=text, is_error=True)), "kind": kind}
    return answer if fatal is None else {**answer, "fatal": fatal}


def checked_answer(stub: ClientTool[..., Any] | None, answer: object) -> ToolResult[Any]:
    """Bring a client tool's answer into its stored form, checked by the stub. Raises OutputMismatch or TypeError."""
    return stub.check_answer(answer) if stub is not None and stub.checks_answers else encode_value(answer)


def answer_stub(agent: AgentDefinition[Any] | None, tool_id: str) -> ClientTool[..., Any] | None:
    """Return the stub that checks the answers of a client tool: the only one of its ID, in the agent's own tools."""
    stub = stub_of(agent, tool_id)
    own = agent is not None and any(tool is stub for tool in agent.tools)
    return stub if own else None


def _approval(callback: OpenApproval, answer: object, agent: AgentDefinition[Any] | None) -> JsonObject:
    if not isinstance(answer, AllowApproval | DenyApproval):
        raise SdkError(
            f"Callback {callback.id} is an approval and cannot be answered with {answer!r}. "
            "Pass AllowApproval() or DenyApproval(); to leave it open, do not answer."
        )
    if isinstance(answer, AllowApproval) and answer.arguments is not None:
        _check_arguments(callback, answer.arguments, agent)
    data = to_data(answer)
    assert isinstance(data, dict)
    return data


def _check_arguments(callback: OpenApproval, arguments: JsonObject, agent: AgentDefinition[Any] | None) -> None:
    from mistralai.agents.authoring.call_errors import InvalidArguments

    tool_id = callback.request.tool.id
    tool: Any = next((tool for tool in agent.all_tools if tool.id == tool_id), None) if agent is not None else None
    if tool is None:
        return
    try:
        tool.validate_arguments(arguments)
    except InvalidArguments as error:
        raise SdkError(
            f"AllowApproval(arguments=) does not fit tool {tool_id}: {'; '.join(error.problems)}. "
            "Nothing was sent: correct the arguments."
        ) from None


def _sign_in(callback: OpenSignIn, answer: object) -> JsonObject:
    asked = [request.id for request in callback.requests]
    if not isinstance(answer, SignInAnswer):
        raise SdkError(
            f"Callback {callback.id} is a sign-in and cannot be answered with {answer!r}. "
            f"Pass SignInAnswer(connected=[...], denied=[...]) that names {', '.join(asked)}."
        )
    named = [*answer.connected, *answer.denied]
    if sorted(named) != sorted(asked):
        missing = ", ".join(sorted(set(asked) - set(named))) or "none"
        extra = ", ".join(sorted(set(named) - set(asked))) or "none"
        raise SdkError(
            f"The SignInAnswer for callback {callback.id} does not name its sources "
            f"(missing: {missing}; not asked for: {extra}). Name each once."
        )
    return {"type": "sign_in", "connected": list(answer.connected), "denied": list(answer.denied)}


def _result(call: ClientToolCall, answer: object, agent: AgentDefinition[Any] | None) -> JsonObject:
    try:
        return encode_result(checked_answer(answer_stub(agent, call.tool_id), answer))
    except OutputMismatch as error:
        raise SdkError(
            f"The answer to {call.tool_id} does not fit the stub's return type: {error}. "
            "Nothing was sent: answer with a value that fits."
        ) from None
    except TypeError as error:
        raise SdkError(f"The answer to {call.tool_id} cannot be sent: {error}") from None
