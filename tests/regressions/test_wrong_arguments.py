"""Arguments of a wrong kind are refused in one sentence that names them, before anything happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@agents.tool
def pay(amount: int) -> str:
    """Pay."""
    return "paid"


def payer() -> agents.Agent:
    return agents.Agent(model=ScriptedModel([call("pay", {"amount": 5}), reply("Paid.")]), tools=[pay])


WRONG: dict[str, tuple[Callable[[Any], Awaitable[Any]], str, tuple[Any, ...]]] = {
    "session_inputs of run": (lambda it: payer().run("Go.", session_inputs=it), "session_inputs", (5, [], "x")),
    "session_inputs": (lambda it: payer().start_session(session_inputs=it), "session_inputs", (b"x", [1], "")),
    "history": (lambda it: payer().start_session(history=it), "history", (5, "Hello.", {"type": "message"}, object())),
    "output_type": (lambda it: payer().run("Go.", output_type=it), "output_type", ({"a": 1}, "")),
    "drain": (lambda it: agents.local_runtime().drain(it), "timeout", ("soon", {}, -1, float("nan"), True)),
}


@pytest.mark.parametrize(("use", "named", "values"), WRONG.values(), ids=WRONG.keys())
async def test_it_is_refused_by_its_name(
    use: Callable[[Any], Awaitable[Any]], named: str, values: tuple[Any, ...]
) -> None:
    for value in values:
        with pytest.raises(agents.SdkError, match=named):
            await use(value)
    assert [info async for info in agents.list_sessions(host="local")] == []


@pytest.mark.parametrize("decorate", [agents.tool, agents.client_tool])
@pytest.mark.parametrize("name", ["input_schema", "output_schema"])
@pytest.mark.parametrize("value", [5, "x", [1], object()])
def test_a_schema_is_a_dict(decorate: Any, name: str, value: Any) -> None:
    def refund(amount: int) -> str:
        """Refund."""
        return "refunded"

    with pytest.raises(agents.SdkError, match=name):
        decorate(**{name: value})(refund)


@pytest.mark.parametrize("value", [None, 5, "png", [1], {}])
def test_the_bytes_of_an_image_are_bytes(value: Any) -> None:
    with pytest.raises(TypeError, match="bytes of an image"):
        agents.ImageContentBlock.from_bytes(value)


@pytest.mark.parametrize("wrong", [None, 5, "", "the callback", ["id"]])
async def test_an_answer_names_its_callback_by_the_id(wrong: Any) -> None:
    """The record in place of its id is a slip that read as an answer to nothing."""
    model = ScriptedModel([call("pay", {"amount": 5}), reply("Paid.")])
    session = await agents.Agent(model=model, tools=[pay], permission_mode="ask").start_session()
    state = await session.run("Pay.")
    assert isinstance(state, agents.Blocked)
    turn = session.turn(state.turn_id)
    named: Any = state.callbacks[0] if wrong == "the callback" else wrong
    with pytest.raises(agents.SdkError, match=r"callback\.id"):
        await turn.answer(named, agents.AllowApproval())
    assert isinstance(await turn.get(), agents.Blocked)
    await session.cancel()
