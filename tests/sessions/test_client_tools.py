"""Client tools: calls that the program answers, by id or by function. Public pages: Callbacks; Turn records."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from mistralai import agents
from mistralai.agents.testing import FakeClock, ScriptedModel, call, calls, reply
from tests.sessions.reading import blocked, client_call, completed, only_callback, sent

if TYPE_CHECKING:
    from mistralai.agents.testing import Step


class Place(BaseModel):
    """Somewhere."""

    city: str
    zip: int | None = None


@agents.client_tool
def locate(precise: bool = False) -> str:
    """Where the user is."""
    raise AssertionError("answered by the client")


@agents.client_tool
def place() -> Place:
    """Where the user is, in full."""
    raise AssertionError("answered by the client")


@agents.client_tool
def anything() -> Any:
    """Whatever the client says."""
    raise AssertionError("answered by the client")


@agents.client_tool(output_schema={"type": "string"})
def unchecked() -> str:
    """What its own schema describes."""
    raise AssertionError("answered by the client")


STUBS: list[agents.ClientTool[..., Any]] = [locate, place, anything, unchecked]


def in_lyon(precise: bool = False) -> str:
    """The user is in Lyon."""
    return "47 Quai" if precise else "Lyon"


def agent_of(model: ScriptedModel, **options: Any) -> agents.Agent[str]:
    return agents.Agent(model=model, name="guide", tools=STUBS, **options)


async def called(step: Step, **options: Any) -> tuple[ScriptedModel, agents.Turn, agents.Blocked]:
    """A turn that waits on the calls of one step; the next reply is `Done.`."""
    model = ScriptedModel([step, reply("Done.")])
    session = await agent_of(model, **options).start_session()
    turn = await session.send_message("Go.")
    return model, turn, blocked(await turn.result())


class TestTheQuestion:
    """An OpenClientToolCall has the call: tool, arguments, ids. It has no title."""

    async def test_shows_the_call_and_has_no_title(self) -> None:
        _, turn, state = await called(call("locate", {"precise": True}, id="aaaaaaaaa"))
        callback = client_call(only_callback(state))
        assert (callback.kind, callback.title) == ("client_tool", None)
        assert callback.call == agents.ClientToolCall(
            tool_id="client.locate",
            name="locate",
            arguments={"precise": True},
            tool_call_id="aaaaaaaaa",
            session_id=turn.session_id,
            turn_id=turn.id,
            callback_id=callback.id,
            agent_name="guide",
        )

    async def test_is_told_apart_by_the_stub(self) -> None:
        _, _, state = await called(calls(call("locate"), call("place")))
        assert [locate.called(each) for each in state.callbacks] == [True, False]
        assert [place.called(each) for each in state.callbacks] == [False, True]

    async def test_is_told_apart_from_another_stub_that_has_its_id(self) -> None:
        """`called` is what tells a checker which function `run` takes."""

        @agents.client_tool(name="locate")
        def another(country: int) -> int:
            """Something else."""
            raise AssertionError("answered by the client")

        @agents.client_tool(name="locate")
        def alike(precise: bool = False) -> str:
            """Where the user is."""
            raise AssertionError("answered by the client")

        _, turn, state = await called(call("locate"))
        assert [stub.called(only_callback(state)) for stub in (locate, another, alike)] == [True, False, True]
        stranger = agents.Agent(model="unused").session(turn.session_id)
        unknown = only_callback(await stranger.turn(turn.id).get())
        assert locate.called(unknown), "a handle that knows no stub goes by the ID"

    async def test_is_not_asked_for_arguments_that_do_not_fit(self) -> None:
        model = ScriptedModel([call("locate", {"precise": "very"}), reply("Sorry.")])
        completed(await agent_of(model).run("Go."))
        assert "invalid_tool_call" in sent(model)[-1]

    async def test_in_mode_ask_is_approved_first_and_answered_then(self) -> None:
        _, turn, state = await called(call("locate"), permission_mode="ask")
        assert only_callback(state).kind == "approval"
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        second = blocked(await turn.result(after=state))
        assert only_callback(second).kind == "client_tool"
        await turn.answer(only_callback(second).id, "Lyon")
        assert completed(await turn.result(after=second)).text == "Done."

    async def test_after_an_edited_approval_has_the_edited_arguments(self) -> None:
        _, turn, state = await called(call("locate"), permission_mode="ask")
        await turn.answer(only_callback(state).id, agents.AllowApproval(arguments={"precise": True}))
        second = blocked(await turn.result(after=state))
        assert client_call(only_callback(second)).call.arguments == {"precise": True}


class TestAnAnswerById:
    """Any JSON value answers a client tool: what an answer function would return."""

    @pytest.mark.parametrize(
        ("answer", "read"),
        [
            (False, "false"),
            (0, "0"),
            ("", ""),
            (None, "null"),
            (0.0, "0.0"),
            ([], "[]"),
            ({}, "{}"),
            ({"a": [1, None]}, '{"a":[1,null]}'),
            ("text\nas it is", "text\nas it is"),
        ],
    )
    async def test_may_be_falsy_and_reaches_the_model(self, answer: object, read: str) -> None:
        """Regression, mastra PR21319: the answers `false`, `0`, an empty string and `null` were dropped."""
        model, turn, state = await called(call("anything"))
        answered = await turn.answer(only_callback(state).id, answer)
        assert isinstance(answered, agents.Answered)
        assert answered.answer is None
        assert completed(await turn.result(after=state)).text == "Done."
        assert sent(model)[-1] == f"tool: {read}"

    async def test_may_be_a_model_or_its_dict_for_a_stub_that_returns_the_model(self) -> None:
        for answer in (Place(city="Lyon"), {"city": "Lyon"}):
            model, turn, state = await called(call("place"))
            await turn.answer(only_callback(state).id, answer)
            await turn.result(after=state)
            assert '"city":"Lyon"' in sent(model)[-1]

    async def test_may_be_a_tool_result(self) -> None:
        model, turn, state = await called(call("locate"))
        result: agents.ToolResult[Any] = agents.ToolResult(content="Lyon", metadata={"source": "gps"})
        await turn.answer(only_callback(state).id, result)
        await turn.result(after=state)
        assert sent(model)[-1] == "tool: Lyon"
        (entry,) = [entry for entry in await turn.session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert entry.metadata == {"source": "gps"}

    async def test_may_be_an_error_result_which_the_model_reads_as_a_failure(self) -> None:
        model, turn, state = await called(call("locate"))
        await turn.answer(only_callback(state).id, agents.ToolResult[Any](content="No signal.", is_error=True))
        assert completed(await turn.result(after=state)).text == "Done."
        message = model.requests[-1].messages[-1]
        assert isinstance(message, agents.ToolMessage)
        assert (message.content, message.is_error) == ("No signal.", True)

    async def test_that_does_not_fit_the_stubs_return_type_is_refused(self) -> None:
        _, turn, state = await called(call("place"))
        with pytest.raises(agents.SdkError, match=r"client\.place"):
            await turn.answer(only_callback(state).id, {"town": "Lyon"})
        assert await turn.get() == state

    async def test_to_a_tool_with_an_output_schema_is_not_checked(self) -> None:
        model, turn, state = await called(call("unchecked"))
        await turn.answer(only_callback(state).id, 17)
        await turn.result(after=state)
        assert sent(model)[-1] == "tool: 17"

    async def test_from_a_handle_that_does_not_know_the_stub_is_not_checked(self) -> None:
        model, turn, state = await called(call("place"))
        stranger = agents.Agent(model="unused").session(turn.session_id)
        await stranger.turn(turn.id).answer(only_callback(state).id, {"town": "Lyon"})
        await turn.result(after=state)
        assert sent(model)[-1] == 'tool: {"town":"Lyon"}'


class TestAnAnswerToAClientToolOfAHook:
    """It is sent as JSON, unchecked; the function that `run` calls gets checked arguments all the same."""

    @staticmethod
    async def called(*hooks: agents.Hook) -> tuple[ScriptedModel, agents.Turn, agents.Blocked]:
        model = ScriptedModel([call("locate"), reply("Done.")])
        session = await agents.Agent(model=model, hooks=hooks).start_session()
        turn = await session.send_message("Go.")
        return model, turn, blocked(await turn.result())

    async def test_may_be_any_json(self) -> None:
        model, turn, state = await self.called(agents.Hook(tools=(locate,)))
        assert isinstance(await turn.answer(only_callback(state).id, 5), agents.Answered)
        assert completed(await turn.result(after=state)).text == "Done."
        assert sent(model)[-1] == "tool: 5"

    async def test_is_an_approval_never(self) -> None:
        _, turn, state = await self.called(agents.Hook(tools=(locate,)))
        for answer in (agents.AllowApproval(), agents.KeepCallbackOpen(), agents.SignInAnswer(connected=["x"])):
            with pytest.raises(agents.SdkError, match=r"client\.locate"):
                await turn.answer(only_callback(state).id, answer)
        assert await turn.get() == state

    async def test_can_come_from_a_function(self) -> None:
        _, _, state = await self.called(agents.Hook(tools=(locate,)))
        assert await client_call(only_callback(state)).run(in_lyon) == "Lyon"


class TestRunningAFunctionForACall:
    """`OpenClientToolCall.run`: fn gets the validated arguments, and its value is what `turn.answer` takes."""

    async def test_gives_the_value_to_answer_with(self) -> None:
        model, turn, state = await called(call("locate", {"precise": True}))
        callback = state.callbacks[0]
        assert locate.called(callback)
        answer = await callback.run(in_lyon)
        assert answer == "47 Quai"
        await turn.answer(callback.id, answer)
        await turn.result(after=state)
        assert sent(model)[-1] == "tool: 47 Quai"

    async def test_awaits_a_function_that_is_async(self) -> None:
        async def find(precise: bool = False) -> str:
            return f"Lyon {precise}"

        _, _, state = await called(call("locate"))
        assert await client_call(only_callback(state)).run(find) == "Lyon False"

    async def test_runs_a_sync_function_in_another_thread(self) -> None:
        _, _, state = await called(call("locate"))

        def thread(precise: bool = False) -> int:
            return threading.get_ident()

        assert await client_call(only_callback(state)).run(thread) != threading.get_ident()

    async def test_raises_what_the_function_raises_whatever_tool_errors_says(self) -> None:
        _, turn, state = await called(call("locate"), tool_errors="raise")

        def fail(precise: bool = False) -> str:
            raise LookupError("no signal")

        with pytest.raises(LookupError, match="no signal"):
            await client_call(only_callback(state)).run(fail)
        assert await turn.get() == state

    async def test_on_a_handle_without_the_stub_is_an_error_that_says_to_read_the_arguments(self) -> None:
        _, turn, _ = await called(call("locate"))
        stranger = agents.Agent(model="unused").session(turn.session_id)
        callback = client_call(only_callback(await stranger.turn(turn.id).get()))
        with pytest.raises(agents.SdkError, match=r"call\.arguments"):
            await callback.run(in_lyon)
        assert callback.call.arguments == {}

    async def test_works_on_the_callback_of_an_event_as_on_that_of_a_record(self) -> None:
        _, turn, _ = await called(call("locate"))
        async for event in turn.iter_events():
            if isinstance(event, agents.CallbackOpened):
                assert await client_call(event.callback).run(in_lyon) == "Lyon"
                return

    async def test_does_not_call_it_with_arguments_that_the_stub_of_this_side_refuses(self) -> None:
        """The two sides may have different versions of the stub: the model then reads what is wrong."""
        model, turn, _ = await called(call("locate", {"precise": True}))

        @agents.client_tool(name="locate")
        def newer(precise: int, country: str) -> str:
            """Where the user is."""
            raise AssertionError("answered by the client")

        session = agents.Agent(model="unused", tools=[newer]).session(turn.session_id)
        state = blocked(await session.turn(turn.id).get())
        ran: list[str] = []

        def find(precise: int, country: str) -> str:
            ran.append(country)
            return country

        answer: agents.ToolResult[Any] = await client_call(only_callback(state)).run(find)
        assert ran == []
        assert answer.is_error
        await session.turn(turn.id).answer(only_callback(state).id, answer)
        completed(await turn.result(after=state))
        assert "country" in sent(model)[-1]


class TestTheHiddenRunner:
    """What `run` needs is hidden: it is no part of what a record is."""

    async def test_does_not_show_in_comparison_repr_or_json(self) -> None:
        _, turn, state = await called(call("locate"))
        stranger = agents.Agent(model="unused").session(turn.session_id)
        bare = blocked(await stranger.turn(turn.id).get())
        assert bare == state
        assert repr(bare) == repr(state)
        assert agents.to_json(bare) == agents.to_json(state)


class TestACallWithABoundOfItsOwn:
    """`timeout_seconds=` of a client tool is how long its question stays open; other questions keep the usual time."""

    async def test_expires_by_it(self) -> None:
        @agents.client_tool(timeout_seconds=5)
        def tap() -> str:
            """Wait for a tap."""
            raise AssertionError("answered by the client")

        with FakeClock() as clock:
            model = ScriptedModel([calls(call("tap"), call("locate")), reply("Done.")])
            session = await agents.Agent(model=model, tools=[tap, locate]).start_session()
            state = blocked(await (turn := await session.send_message("Go.")).result())
            await clock.advance(4.9)
            assert await turn.get() == state
            await clock.advance(0.2)
            left = blocked(await turn.get())
            assert [client_call(each).call.name for each in left.callbacks] == ["locate"]
            await turn.answer(only_callback(left).id, "Lyon")
            completed(await turn.result(after=left))
            assert "in time" in sent(model)[-2]
            results = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
            assert [entry.error and entry.error.code for entry in results] == ["expired", None]
            await session.cancel()


@pytest.fixture
def short_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callbacks close by themselves almost at once."""
    monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.02")


@pytest.mark.usefixtures("short_callbacks")
class TestACallThatNobodyAnswers:
    """It waits as long as an approval does; then the model reads that nobody answered, and the turn goes on."""

    async def test_expires(self) -> None:
        model = ScriptedModel([call("locate"), reply("Nobody was there.")])
        session = await agent_of(model).start_session()
        turn = await session.send_message("Go.")
        assert [type(event).__name__ async for event in turn.iter_events()].count("CallbackResolved") == 1
        assert completed(await turn.get()).text == "Nobody was there."
        assert "in time" in sent(model)[-1]
