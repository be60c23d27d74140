"""Approvals: what is asked, what an answer does, what the model reads of it. Public page: Callbacks."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.sessions.reading import approval, blocked, completed, only_callback, sent, until


class Desk:
    """A tool that opens cases, and the cases it opened."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, int]] = []
        self.tool = agents.tool(self.open_case)

    def open_case(self, alert: str, level: int = 1) -> str:
        """Open a case."""
        self.opened.append((alert, level))
        return f"CASE-{alert}"


@pytest.fixture
def desk() -> Desk:
    """A desk with no case yet."""
    return Desk()


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def look_up(alert: str) -> str:
    """Read an alert."""
    return f"alert {alert}"


def asking(desk: Desk, *steps: Any, **options: Any) -> agents.Agent[str]:
    return agents.Agent(
        model=ScriptedModel(steps), name="reviewer", tools=[desk.tool, look_up], permission_mode="ask", **options
    )


def model_of(agent: agents.Agent[str]) -> ScriptedModel:
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


async def first_block(agent: agents.Agent[str]) -> tuple[agents.Turn, agents.Blocked]:
    session = await agent.start_session()
    turn = await session.send_message("Review.")
    return turn, blocked(await turn.result())


class TestTheQuestion:
    """What a person is shown: the tool, the exact arguments, whose turn asks, and until when."""

    async def test_has_the_title_of_the_call(self, desk: Desk) -> None:
        _, state = await first_block(asking(desk, call("open_case", {"alert": "4711"})))
        assert only_callback(state).title == "Allow tools.client.open_case?"

    async def test_shows_the_tool_and_the_arguments_that_would_run(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("look_up", {"alert": "4711"}, id="aaaaaaaaa")))
        request = approval(only_callback(state)).request
        assert (request.tool.id, request.tool.name) == ("client.look_up", "look_up")
        assert request.tool.description == "Read an alert."
        assert request.tool.annotations.read_only_hint is True
        assert request.tool.input_schema["required"] == ["alert"]
        assert request.arguments == {"alert": "4711"}
        assert request.tool_call_id == "aaaaaaaaa"
        assert (request.session_id, request.turn_id, request.agent_name) == (turn.session_id, turn.id, "reviewer")

    async def test_expires_in_an_hour(self, desk: Desk) -> None:
        """Regression, anthropic-sdk-typescript#854: the wait for a person had a bound of 60 s."""
        asked = datetime.now(UTC)
        _, state = await first_block(asking(desk, call("look_up", {"alert": "1"})))
        expires = approval(only_callback(state)).request.expires_at
        assert expires is not None
        assert timedelta(0) <= expires - asked - timedelta(hours=1) < timedelta(minutes=1)

    async def test_is_asked_for_each_call_in_mode_ask_and_for_none_in_mode_auto(self, desk: Desk) -> None:
        both = calls(call("look_up", {"alert": "1"}), call("open_case", {"alert": "1"}))
        _, state = await first_block(asking(desk, both))
        assert len(state.callbacks) == 2
        free = agents.Agent(model=ScriptedModel([both, reply("Done.")]), tools=[desk.tool, look_up])
        completed(await free.run("Review."))

    async def test_is_not_asked_for_a_call_that_cannot_run(self, desk: Desk) -> None:
        agent = asking(desk, calls(call("look_up", {}), call("look_up", {"alert": "1"})))
        _, state = await first_block(agent)
        assert [approval(each).request.arguments for each in state.callbacks] == [{"alert": "1"}]

    async def test_is_never_asked_in_mode_deny(self, desk: Desk) -> None:
        model = ScriptedModel([call("look_up", {"alert": "1"}), reply("Denied.")])
        agent = agents.Agent(model=model, tools=[look_up], permission_mode="deny")
        assert completed(await agent.run("Review.")).text == "Denied."
        assert sent(model)[-1] == "tool: Tool call denied by permission policy"


class TestDenying:
    """DenyApproval: the call does not run, and the model reads so."""

    async def test_tells_the_model_that_the_call_was_rejected(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Understood."))
        turn, state = await first_block(agent)
        await turn.answer(only_callback(state).id, agents.DenyApproval())
        completed(await turn.result(after=state))
        assert "rejected" in sent(model_of(agent))[-1]
        assert desk.opened == []

    async def test_with_a_message_hands_it_to_the_model(self, desk: Desk) -> None:
        """Regression, openai-agents-python#2658: a person's reason for denying never reached the model."""
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Understood."))
        turn, state = await first_block(agent)
        answered = await turn.answer(only_callback(state).id, agents.DenyApproval(message="Ask Ada first."))
        assert isinstance(answered, agents.Answered)
        assert answered.answer == agents.DenyApproval(message="Ask Ada first.")
        completed(await turn.result(after=state))
        assert sent(model_of(agent))[-1].endswith("Ask Ada first.")

    async def test_gives_the_call_an_error_as_its_one_result(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("open_case", {"alert": "1"}), reply("Understood.")))
        await turn.answer(only_callback(state).id, agents.DenyApproval())
        await turn.result(after=state)
        (result,) = [entry for entry in await turn.session.history() if isinstance(entry, agents.ToolResultEntry)]
        assert result.error is not None
        assert result.error.code == "rejected"


class TestWhatRuns:
    """Regression, pydantic-ai PR6862, CVE-2026-53822: the arguments changed between the approval and the run."""

    async def test_is_what_was_approved(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("open_case", {"alert": "1", "level": 2}), reply("Done.")))
        shown = approval(only_callback(state)).request.arguments
        assert isinstance(shown, dict)
        shown["level"] = 9  # a client may do what it likes with its copy
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        ended = completed(await turn.result(after=state))
        assert desk.opened == [("1", 2)]
        assert ended.tool_calls == (agents.ToolCall("client.open_case", {"alert": "1", "level": 2}),)

    async def test_is_the_edited_arguments_where_the_person_edited_them(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("open_case", {"alert": "1", "level": 2}), reply("Done.")))
        await turn.answer(only_callback(state).id, agents.AllowApproval(arguments={"alert": "7", "level": 3}))
        ended = completed(await turn.result(after=state))
        assert desk.opened == [("7", 3)]
        assert ended.tool_calls == (agents.ToolCall("client.open_case", {"alert": "7", "level": 3}),)

    async def test_is_nothing_where_the_person_edited_it_into_what_the_policy_denies(self, desk: Desk) -> None:
        rule = agents.PermissionRule(tools=["client.open_case"], decision="ask", denylist=["level=9"])
        policy = agents.PermissionPolicy(rules=[rule])
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Done."), permission_policy=policy)
        turn, state = await first_block(agent)
        await turn.answer(only_callback(state).id, agents.AllowApproval(arguments={"alert": "1", "level": 9}))
        completed(await turn.result(after=state))
        assert desk.opened == []
        last = model_of(agent).requests[-1].messages[-1]
        assert isinstance(last, agents.ToolMessage)
        assert last.content == "Tool call denied by permission policy"

    async def test_is_not_what_the_person_changed_after_answering(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("open_case", {"alert": "1"}), reply("Done.")))
        edited: dict[str, Any] = {"alert": "7"}
        answer = agents.AllowApproval(arguments=edited)
        await turn.answer(only_callback(state).id, answer)
        edited["alert"] = "9"
        await turn.result(after=state)
        assert desk.opened == [("7", 1)]

    async def test_is_not_what_a_reader_of_the_events_changed(self, desk: Desk) -> None:
        def spoil(event: agents.Event) -> None:
            match event:
                case agents.EntryAdded(entry=agents.ToolCallEntry(arguments=dict() as arguments)):
                    arguments["level"] = 9
                case agents.CallbackOpened(callback=agents.OpenApproval(request=request)):
                    assert isinstance(request.arguments, dict)
                    request.arguments["level"] = 9
                    request.tool.input_schema.clear()
                case _:
                    pass

        session = await asking(desk, call("open_case", {"alert": "1", "level": 2}), reply("Done.")).start_session()
        state = blocked(await session.run("Go.", on_event=spoil))
        turn = session.turn(state.turn_id)
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        ended = completed(await turn.result(after=state))
        assert desk.opened == [("1", 2)]
        assert ended.tool_calls == (agents.ToolCall("client.open_case", {"alert": "1", "level": 2}),)
        assert len(asking(desk).tools[0].input_schema) > 0

    async def test_is_told_as_it_was_given_though_the_tool_changed_its_copy(self) -> None:
        @agents.tool
        def spoil(data: Any) -> str:
            """Change what it was given."""
            data["level"] = 9
            return "spoiled"

        model = ScriptedModel([call("spoil", {"data": {"level": 2}}), reply("Done.")])
        state = completed(await agents.Agent(model=model, tools=[spoil]).run("Go."))
        assert state.tool_calls == (agents.ToolCall("client.spoil", {"data": {"level": 2}}),)

    async def test_may_not_be_arguments_that_the_schema_refuses(self, desk: Desk) -> None:
        turn, state = await first_block(asking(desk, call("open_case", {"alert": "1"})))
        with pytest.raises(agents.SdkError, match=r"does not fit tool client.open_case.*level"):
            await turn.answer(only_callback(state).id, agents.AllowApproval(arguments={"alert": "1", "level": "high"}))
        assert await turn.get() == state

    async def test_stays_valid_where_a_handle_without_the_tool_edited_it(self, desk: Desk) -> None:
        """A handle of another agent cannot check the edit: the session does, and the model reads what is wrong."""
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Sorry."))
        turn, state = await first_block(agent)
        stranger = agents.Agent(model="unused").session(turn.session_id)
        await stranger.turn(turn.id).answer(only_callback(state).id, agents.AllowApproval(arguments={"level": "high"}))
        completed(await turn.result(after=state))
        assert "invalid_tool_call" in sent(model_of(agent))[-1]
        assert desk.opened == []


class TestTheSessionScope:
    """Regression, goclaw#1202: "always allow" went by the tool's name alone. Here the arguments count too."""

    async def test_lets_the_same_call_pass_for_the_rest_of_the_session(self, desk: Desk) -> None:
        again = [call("open_case", {"alert": "1"}), reply("Done."), call("open_case", {"alert": "1"}), reply("Again.")]
        turn, state = await first_block(asking(desk, *again))
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        completed(await turn.result(after=state))
        assert completed(await turn.session.run("Once more.")).text == "Again."
        assert desk.opened == [("1", 1), ("1", 1)]

    async def test_goes_by_the_arguments_whatever_their_order(self, desk: Desk) -> None:
        agent = asking(
            desk,
            call("open_case", '{"alert": "1", "level": 2}'),
            call("open_case", '{ "level":2, "alert":"1" }'),
            reply("Done."),
        )
        turn, state = await first_block(agent)
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        completed(await turn.result(after=state))
        assert len(desk.opened) == 2

    async def test_goes_by_numbers_however_they_are_written(self) -> None:
        paid: list[float] = []

        @agents.tool
        def pay(amount: float) -> str:
            """Pay."""
            paid.append(amount)
            return "paid"

        model = ScriptedModel([call("pay", '{"amount": 1}'), call("pay", '{"amount": 1.0}'), reply("Done.")])
        turn, state = await first_block(agents.Agent(model=model, tools=[pay], permission_mode="ask"))
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        completed(await turn.result(after=state))
        assert paid == [1, 1]

    async def test_leaves_a_client_tool_beside_it_to_its_answer(self) -> None:
        @agents.tool
        def pay(amount: int) -> str:
            """Pay."""
            return "paid"

        @agents.client_tool
        def confirm(amount: int) -> bool:
            """Confirm."""
            raise AssertionError(amount)

        model = ScriptedModel([calls(call("pay", {"amount": 1}), call("confirm", {"amount": 1})), reply("Done.")])
        policy = agents.PermissionPolicy(rules=[agents.PermissionRule(tools=["client.pay"], decision="ask")])
        agent = agents.Agent(model=model, tools=[pay, confirm], permission_policy=policy)
        turn, state = await first_block(agent)
        approval = next(each for each in state.callbacks if isinstance(each, agents.OpenApproval))
        await turn.answer(approval.id, agents.AllowApproval(scope="session"))
        (left,) = blocked(await turn.get()).callbacks
        assert isinstance(left, agents.OpenClientToolCall)
        await turn.answer(left.id, True)
        assert completed(await turn.result(after=state)).text == "Done."

    async def test_closes_the_questions_about_the_same_call_beside_it(self, desk: Desk) -> None:
        same, other = call("open_case", {"alert": "1"}), call("open_case", {"alert": "2"})
        turn, state = await first_block(asking(desk, calls(same, same, other, same), reply("Done.")))
        first, second, third, fourth = state.callbacks
        await turn.answer(second.id, agents.AllowApproval(scope="session"))
        left = blocked(await turn.get())
        assert [callback.id for callback in left.callbacks] == [third.id]
        for closed in (first, fourth):
            assert isinstance(await turn.answer(closed.id, agents.DenyApproval()), agents.AlreadySettled)
        await turn.answer(third.id, agents.DenyApproval())
        completed(await turn.result(after=state))
        assert desk.opened == [("1", 1)] * 3
        resolved = [event async for event in turn.iter_events() if isinstance(event, agents.CallbackResolved)]
        assert [(event.callback_id, event.reason) for event in resolved] == [
            (callback.id, "answered") for callback in (second, first, fourth, third)
        ]

    async def test_that_closes_every_question_lets_the_turn_run_on(self, desk: Desk) -> None:
        same = call("open_case", {"alert": "1"})
        turn, state = await first_block(asking(desk, calls(same, same), reply("Done.")))
        await turn.answer(state.callbacks[0].id, agents.AllowApproval(scope="session"))
        completed(await turn.result(after=state))
        statuses = [event.status async for event in turn.iter_events() if isinstance(event, agents.TurnUpdated)]
        assert statuses == ["blocked", "running"]

    async def test_of_an_edited_call_closes_the_questions_about_the_edited_one(self, desk: Desk) -> None:
        turn, state = await first_block(
            asking(
                desk,
                calls(*(call("open_case", {"alert": alert}) for alert in ("1", "1", "2"))),
                reply("Done."),
            )
        )
        first, second, _ = state.callbacks
        await turn.answer(first.id, agents.AllowApproval(scope="session", arguments={"alert": "2"}))
        assert [callback.id for callback in blocked(await turn.get()).callbacks] == [second.id]
        await turn.answer(second.id, agents.DenyApproval())
        completed(await turn.result(after=state))
        assert desk.opened == [("2", 1), ("2", 1)]

    async def test_given_by_a_function_to_several_at_once_runs_each_call_once(self, desk: Desk) -> None:
        def always(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
            return agents.AllowApproval(scope="session")

        same = call("open_case", {"alert": "1"})
        completed(await asking(desk, calls(same, same, same), reply("Done.")).run("Review.", on_approval=always))
        assert desk.opened == [("1", 1)] * 3

    async def test_asks_again_for_other_arguments(self, desk: Desk) -> None:
        turn, state = await first_block(
            asking(desk, call("open_case", {"alert": "1"}), call("open_case", {"alert": "2"}))
        )
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        second = blocked(await turn.result(after=state))
        assert approval(only_callback(second)).request.arguments == {"alert": "2"}

    async def test_asks_again_for_another_tool_with_the_same_arguments(self, desk: Desk) -> None:
        turn, state = await first_block(
            asking(desk, call("open_case", {"alert": "1"}), call("look_up", {"alert": "1"}))
        )
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        second = blocked(await turn.result(after=state))
        assert approval(only_callback(second)).request.tool.id == "client.look_up"

    async def test_asks_again_in_another_session(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Done."), call("open_case", {"alert": "1"}))
        turn, state = await first_block(agent)
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session"))
        completed(await turn.result(after=state))
        _, other = await first_block(agent)
        only_callback(other)

    async def test_of_an_edited_call_is_for_the_arguments_that_ran(self, desk: Desk) -> None:
        agent = asking(
            desk,
            call("open_case", {"alert": "1"}),
            call("open_case", {"alert": "2"}),
            call("open_case", {"alert": "1"}),
        )
        turn, state = await first_block(agent)
        await turn.answer(only_callback(state).id, agents.AllowApproval(scope="session", arguments={"alert": "2"}))
        second = blocked(await turn.result(after=state))
        assert approval(only_callback(second)).request.arguments == {"alert": "1"}
        assert desk.opened == [("2", 1), ("2", 1)]

    async def test_once_asks_again_for_the_very_same_call(self, desk: Desk) -> None:
        turn, state = await first_block(
            asking(desk, call("open_case", {"alert": "1"}), call("open_case", {"alert": "1"}))
        )
        await turn.answer(only_callback(state).id, agents.AllowApproval())
        blocked(await turn.result(after=state))


@pytest.fixture
def short_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Callbacks close by themselves almost at once."""
    monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "0.02")


@pytest.mark.usefixtures("short_callbacks")
class TestAnApprovalThatNobodyAnswers:
    """After its time the model reads that the wait timed out, and not to try again at once; the turn goes on."""

    async def test_closes_and_the_turn_goes_on(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Nobody was there."))
        session = await agent.start_session()
        turn = await session.send_message("Review.")
        resolved = await until(session, agents.CallbackResolved)
        assert resolved.reason == "expired"
        assert completed(await turn.result()).text == "Nobody was there."
        read = sent(model_of(agent))[-1]
        assert "in time" in read
        assert "right away" in read
        assert desk.opened == []

    async def test_is_listed_among_the_calls_and_was_settled_already(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Nobody was there."))
        session = await agent.start_session()
        turn = await session.send_message("Review.")
        resolved = await until(session, agents.CallbackResolved)
        ended = completed(await turn.result())
        assert ended.tool_calls == (agents.ToolCall("client.open_case", {"alert": "1"}),)
        answered = await turn.answer(resolved.callback_id, agents.AllowApproval())
        assert isinstance(answered, agents.AlreadySettled)

    async def test_lets_a_wait_with_after_return(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Nobody was there."))
        session = await agent.start_session()
        turn = await session.send_message("Review.")
        opened = await until(session, agents.CallbackOpened)
        assert completed(await turn.result(after=opened.id)).text == "Nobody was there."

    async def test_of_several_closes_each(self, desk: Desk) -> None:
        both = calls(call("open_case", {"alert": "1"}), call("look_up", {"alert": "1"}))
        session = await asking(desk, both, reply("Nobody was there.")).start_session()
        await session.send_message("Review.")
        await until(session, agents.CallbackResolved, count=2)
        await until(session, agents.TurnEnded)
        assert desk.opened == []

    async def test_of_agent_run_ends_the_turn_and_closes_its_session(self, desk: Desk) -> None:
        agent = asking(desk, call("open_case", {"alert": "1"}), reply("Nobody was there."))
        state = blocked(await agent.run("Review."))
        session = agent.session(state.session_id)
        ended = completed(await session.turn(state.turn_id).result(after=state))
        assert ended.text == "Nobody was there."
        assert (await session.info()).status == "terminated"


class TestTheTimeLimitItself:
    """AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS sets it, in seconds."""

    async def test_is_what_the_variable_says(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", "172800")
        asked = datetime.now(UTC)
        _, state = await first_block(asking(desk, call("look_up", {"alert": "1"})))
        expires = approval(only_callback(state)).request.expires_at
        assert expires is not None
        assert expires - asked > timedelta(days=1.9)

    @pytest.mark.parametrize("value", ["soon", "0", "-1", "nan", "inf"])
    async def test_that_is_no_number_of_seconds_is_refused_before_a_session_starts(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, value: str
    ) -> None:
        monkeypatch.setenv("AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS", value)
        agent = asking(desk, call("look_up", {"alert": "1"}))
        with pytest.raises(agents.SdkError, match="AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS"):
            await agent.start_session()
        with pytest.raises(agents.SdkError, match="AGENTS_SDK_CALLBACK_TIMEOUT_SECONDS"):
            await agent.run("Review.")

    async def test_holds_no_task_while_a_turn_waits(self, desk: Desk) -> None:
        await first_block(asking(desk, call("look_up", {"alert": "1"})))
        for _ in range(3):
            await asyncio.sleep(0)  # the task that asked has its last lines to run
        statistics = agents.local_runtime().statistics()
        assert (statistics.tasks, statistics.open_callbacks, statistics.waiting_sessions) == (0, 1, 1)
