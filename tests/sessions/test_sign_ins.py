"""Sign-ins: a turn asks the user to connect sources. Public pages: Callbacks; Turn records."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.core.facts import CallbackOpened
from mistralai.agents.handles.session import bound_of
from mistralai.agents.local.place import LocalPlace
from mistralai.agents.testing import Gate, ScriptedModel, call, gate, reply
from tests.sessions.reading import blocked, completed, only_callback, turn_of

GMAIL = agents.SignInRequest(id="gmail", name="Gmail", title="Connect Gmail", url="https://x.test/gmail")
NOTION = agents.SignInRequest(id="notion", name="Notion")


async def signing_in(on_sign_in: Any = None, on_client_tool: Any = None) -> tuple[agents.Turn, Gate]:
    """A turn that asks to connect two sources while a tool runs, and the tool's gate.

    No source of a local session asks in these tests, so the question is put into the session's log.
    """
    held = gate()

    @agents.tool
    async def wait_for_it() -> str:
        """Wait."""
        await held.hold()
        return "waited"

    agent = agents.Agent(model=ScriptedModel([call("wait_for_it"), reply("Done.")]), tools=[wait_for_it])
    session = await agent.start_session(on_sign_in=on_sign_in, on_client_tool=on_client_tool)
    turn = turn_of(await session.start_turn("Go."))
    await held.reached()
    place = await bound_of(session).place()
    assert isinstance(place, LocalPlace)
    opened = place.session(session.id)
    asked = CallbackOpened(
        at=opened.now(),
        turn_id=turn.id,
        callback_id="sign-in",
        kind="sign_in",
        expires_at=opened.now() + 3600,
        first=True,
        requests=(
            {"id": "gmail", "name": "Gmail", "title": "Connect Gmail", "url": "https://x.test/gmail"},
            {"id": "notion", "name": "Notion"},
        ),
    )
    opened.append([asked])
    return turn, held


class TestASignIn:
    """An OpenSignIn lists its sources; it has no title, and a SignInAnswer that names each source answers it."""

    async def test_blocks_the_turn_and_lists_the_sources(self) -> None:
        turn, _ = await signing_in()
        callback = only_callback(await turn.result())
        assert isinstance(callback, agents.OpenSignIn)
        assert (callback.kind, callback.title, callback.requests) == ("sign_in", None, (GMAIL, NOTION))

    async def test_is_answered_by_id(self) -> None:
        turn, held = await signing_in()
        state = blocked(await turn.result())
        answer = agents.SignInAnswer(connected=["gmail"], denied=["notion"])
        answered = await turn.answer(only_callback(state).id, answer)
        assert answered == agents.Answered(session_id=turn.session_id, callback_id="sign-in", answer=None)
        held.open()
        assert completed(await turn.result(after=state)).text == "Done."

    @pytest.mark.parametrize(
        "answer",
        [
            agents.SignInAnswer(),
            agents.SignInAnswer(connected=["gmail"]),
            agents.SignInAnswer(connected=["gmail", "notion", "slack"]),
            agents.SignInAnswer(connected=["gmail", "gmail"], denied=["notion"]),
            agents.AllowApproval(),
            agents.KeepCallbackOpen(),
            {"connected": ["gmail", "notion"]},
            True,
            None,
        ],
    )
    async def test_is_not_answered_by_anything_that_names_other_sources(self, answer: object) -> None:
        turn, _ = await signing_in()
        state = blocked(await turn.result())
        with pytest.raises(agents.SdkError, match="sign-in"):
            await turn.answer(only_callback(state).id, answer)
        assert await turn.get() == state


class TestASignInHandler:
    """`on_sign_in(sign_in)` answers while a call waits; `on_client_tool` never sees a sign-in."""

    async def test_answers_it(self) -> None:
        asked: list[agents.OpenSignIn] = []

        def refuse(sign_in: agents.OpenSignIn) -> agents.SignInAnswer:
            asked.append(sign_in)
            return agents.SignInAnswer(denied=[request.id for request in sign_in.requests])

        turn, held = await signing_in(refuse)
        held.open()
        assert completed(await turn.result()).text == "Done."
        assert [sign_in.id for sign_in in asked] == ["sign-in"]

    async def test_may_be_async(self) -> None:
        async def connect(sign_in: agents.OpenSignIn) -> agents.SignInAnswer:
            return agents.SignInAnswer(connected=[request.id for request in sign_in.requests])

        turn, held = await signing_in(connect)
        held.open()
        assert completed(await turn.result()).text == "Done."

    @pytest.mark.parametrize("returned", [None, True, ["gmail"], agents.AllowApproval(), agents.KeepCallbackOpen()])
    async def test_that_returns_anything_else_leaves_it_open_and_the_wait_raises(self, returned: object) -> None:
        def answer(sign_in: agents.OpenSignIn) -> object:
            return returned

        turn, _ = await signing_in(answer)
        with pytest.raises(agents.SdkError, match="on_sign_in returned"):
            await turn.result()
        only_callback(await turn.get())

    async def test_that_raises_leaves_it_open_and_the_wait_raises(self) -> None:
        def fail(sign_in: agents.OpenSignIn) -> agents.SignInAnswer:
            raise LookupError("no browser")

        turn, _ = await signing_in(fail)
        with pytest.raises(LookupError, match="no browser"):
            await turn.result()
        only_callback(await turn.get())

    async def test_for_client_tools_is_not_asked(self) -> None:
        asked: list[object] = []
        turn, _ = await signing_in(on_client_tool=asked.append)
        only_callback(await turn.result())
        assert asked == []
