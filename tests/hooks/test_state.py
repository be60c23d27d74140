"""A hook's fields are its state: each session has its own, kept from turn to turn, and bounded."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import pytest
from pydantic import Field, PrivateAttr

from mistralai import agents
from mistralai.agents import hook
from mistralai.agents.testing import FakeClock, Gate, ScriptedModel, call, reply
from tests.support.asked import asked
from tests.support.outcomes import completed, failed

if TYPE_CHECKING:
    from pathlib import Path


class Counts(agents.Hook):
    """Puts the number of its turns before each message."""

    turns: int = 0
    notes: list[str] = Field(default_factory=list[str])

    async def pre_agent_turn(
        self, ctx: hook.HookContext, request: hook.AgentTurnRequest
    ) -> hook.PreAgentTurnHookContinue:
        self.turns += 1
        self.notes.append(request.text)
        return hook.PreAgentTurnHookContinue(user_content=f"{self.turns}: {request.text} {self.notes}")


class Grows(agents.Hook):
    held: str = ""
    size: int = Field(exclude=True)

    async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
        self.held = "a" * self.size


def replies(count: int) -> ScriptedModel:
    return ScriptedModel([reply("Done.")] * count)


class GrowsAtACall(agents.Hook):
    held: str = ""
    point: str = Field(exclude=True)

    def grow(self, point: str) -> None:
        if point == self.point:
            self.held = "a" * 256 * 1024

    async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> None:
        self.grow("pre")

    async def post_tool_call(self, ctx: hook.HookContext, result: hook.ToolCallResult) -> None:
        self.grow("post")


class TestTheState:
    async def test_lasts_from_turn_to_turn(self) -> None:
        model = replies(2)
        session = await agents.Agent(model=model, hooks=[Counts()]).start_session()
        await session.run("a")
        await session.run("b")
        assert asked(model)[-1] == "user: 2: b ['a', 'b']"

    async def test_is_fresh_in_every_session(self) -> None:
        model = replies(2)
        shared = Counts(turns=10)
        agent = agents.Agent(model=model, hooks=[shared])
        await agent.run("a")
        await agent.run("b")
        assert [asked(model, call)[0] for call in (0, 1)] == ["user: 11: a ['a']", "user: 11: b ['b']"]
        assert (shared.turns, shared.notes) == (10, [])

    async def test_of_two_hooks_of_one_class_is_kept_apart(self) -> None:
        class Tags(agents.Hook):
            tag: str
            seen: int = 0

            async def pre_agent_turn(
                self, ctx: hook.HookContext, request: hook.AgentTurnRequest
            ) -> hook.PreAgentTurnHookContinue:
                self.seen += 1
                return hook.PreAgentTurnHookContinue(user_content=f"{request.text} {self.tag}{self.seen}")

        model = replies(2)
        agent = agents.Agent(model=model, guardrails=[Tags(tag="g")], hooks=[Tags(tag="h", seen=5), Tags(tag="i")])
        session = await agent.start_session()
        await session.run("a")
        await session.run("b")
        assert asked(model)[-1] == "user: b g2 h7 i2"

    async def test_leaves_out_what_is_declared_so(self) -> None:
        client = object()

        class Uses(agents.Hook):
            client: Any = Field(default=None, exclude=True)
            _seen: list[str] = PrivateAttr(default_factory=list[str])

            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                assert self.client is client

        completed(await agents.Agent(model=replies(1), hooks=[Uses(client=client)]).run("a"))

    async def test_that_is_no_json_is_refused_with_the_agent(self) -> None:
        class Holds(agents.Hook):
            lock: Any

        with pytest.raises(agents.SdkError, match=r"hooks has a Holds .* Field\(exclude=True\)"):
            agents.Agent(model="m", hooks=[Holds(lock=object())])

    async def test_that_becomes_no_json_fails_the_turn(self) -> None:
        class Turns(agents.Hook):
            held: Any = None

            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                self.held = object()

        error = failed(await agents.Agent(model=replies(1), hooks=[Turns()]).run("a"))
        assert error.code == "capability_execution_failed"
        assert "Turns" in error.message

    async def test_changed_at_a_tool_point_is_kept(self) -> None:
        class Budget(agents.Hook):
            left: int = 1

            async def pre_tool_call(self, ctx: hook.HookContext, call: hook.ToolCallRequest) -> hook.Skip | None:
                self.left -= 1
                return agents.skip("The budget is spent.") if self.left < 0 else None

        @agents.tool
        def look_up() -> str:
            """Look something up."""
            return "found"

        model = ScriptedModel([call("look_up"), reply("A"), call("look_up"), reply("B")])
        session = await agents.Agent(model=model, tools=[look_up], hooks=[Budget()]).start_session()
        await session.run("a")
        await session.run("b")
        lines = [line for line in asked(model) if line.startswith("tool")]
        assert lines == ["tool: found", "tool: The budget is spent."]


class TestTheBound:
    @pytest.mark.parametrize("point", ["pre", "post"])
    async def test_fails_the_turn_at_a_tool_call_too_and_what_ran_has_run(self, point: str) -> None:
        ran: list[int] = []

        @agents.tool
        def pay(a: int) -> str:
            """Pay."""
            ran.append(a)
            return "paid"

        model = ScriptedModel([call("pay", {"a": 1})])
        session = await agents.Agent(model=model, tools=[pay], hooks=[GrowsAtACall(point=point)]).start_session()
        state = await session.run("Go.")
        assert not isinstance(state, agents.Busy)
        error = failed(state)
        assert error.code == "capability_execution_failed"
        assert "over the bound of 262,144" in error.message
        (result,) = [entry for entry in await session.history() if isinstance(entry, agents.ToolResultEntry)]
        if point == "pre":
            assert ran == []
            assert result.error is not None
        else:
            assert ran == [1]
            assert (result.error, result.content) == (None, (agents.TextContentBlock(text="paid"),))

    async def test_holds_what_fits(self) -> None:
        size = 256 * 1024 - len('{"held":""}')
        completed(await agents.Agent(model=replies(1), hooks=[Grows(size=size)]).run("a"))

    async def test_fails_the_turn_one_byte_later(self) -> None:
        size = 256 * 1024 - len('{"held":""}') + 1
        error = failed(await agents.Agent(model=replies(1), hooks=[Grows(size=size)]).run("a"))
        assert (error.code, error.retryable) == ("capability_execution_failed", False)
        assert "Grows" in error.message
        assert "262,145 bytes" in error.message


class TestASavedSession:
    @pytest.fixture(autouse=True)
    def without_the_warning(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Saving is experimental, which is no matter of these tests."""
        monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")

    async def test_goes_on_with_the_state_it_had(self, tmp_path: Path) -> None:
        model = replies(2)
        agent = agents.Agent(model=model, name="counter", hooks=[Counts()])
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path)
        async with agents.local_runtime(journal_factory=journals):
            session = await agent.start_session()
            await session.run("a")
        async with agents.local_runtime(journal_factory=journals):
            completed(await agent.session(session.id).run("b"))
        assert asked(model)[-1] == "user: 2: b ['a', 'b']"

    async def test_sends_a_message_that_was_skipped_in_no_later_process_either(self, tmp_path: Path) -> None:
        class Refuses(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> hook.Skip | None:
                return agents.skip("No.") if "secret" in request.text else None

        model = replies(1)
        agent = agents.Agent(model=model, name="guarded", guardrails=[Refuses()])
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path)
        async with agents.local_runtime(journal_factory=journals):
            session = await agent.start_session()
            assert completed(await session.run("the secret")).stop_reason == "skipped"
        async with agents.local_runtime(journal_factory=journals):
            completed(await agent.session(session.id).run("Hi."))
        assert asked(model) == ["user: Hi."]

    async def test_records_what_its_hooks_draw(self, tmp_path: Path) -> None:
        drawn: list[str] = []

        class Draws(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                drawn.extend([str(agents.uuid4()), str(agents.uuid4())])

        agent = agents.Agent(model=replies(1), name="drawing", hooks=[Draws()])
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path)
        async with agents.local_runtime(journal_factory=journals):
            session = await agent.start_session()
            completed(await session.run("Hi."))
        written = "".join(path.read_text() for path in (tmp_path / session.id).glob("*.jsonl"))
        assert len(set(drawn)) == 2
        assert all(value in written for value in drawn)


class TestAHookOfASavedSession:
    @pytest.fixture(autouse=True)
    def without_the_warning(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AGENTS_SDK_EXPERIMENTAL_WARNINGS", "0")

    async def test_draws_the_same_values_after_a_crash(self, tmp_path: Path) -> None:
        drawn: list[tuple[object, ...]] = []
        gate = Gate()

        class Draws(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                drawn.append((agents.uuid4(), agents.random(), agents.now(), agents.uuid4()))
                await gate.hold()

        agent = agents.Agent(model=replies(1), name="drawing", hooks=[Draws()])

        def saved(where: str) -> agents.LocalRuntime:
            journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path / where)
            return agents.local_runtime(journal_factory=journals)

        async with saved("there"):
            session = await agent.start_session()
            turn = await session.send_message("Hi.")
            await gate.reached()
            shutil.copytree(tmp_path / "there", tmp_path / "after the crash")
            gate.open()
            completed(await turn.result())

        async def go_on() -> None:
            async with saved("after the crash"):
                again = agents.Agent(model=replies(1), name="drawing", hooks=[Draws()])
                completed(await again.session(session.id).turn(turn.id).result(timeout=10))

        await asyncio.to_thread(lambda: asyncio.run(go_on()))
        first, second = drawn
        assert second == first
        assert first[0] != first[3]

    async def test_keeps_nothing_that_it_draws_after_its_turn(self, tmp_path: Path) -> None:
        begun, may_go_on, drawn = asyncio.Event(), asyncio.Event(), list[str]()

        class Outlives(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                if request.text != "Hi.":
                    return
                begun.set()
                while not may_go_on.is_set():
                    try:
                        await may_go_on.wait()
                    except asyncio.CancelledError:
                        continue
                drawn.append(str(agents.uuid4()))

        agent = agents.Agent(model=replies(1), hooks=[Outlives()])
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)
        with FakeClock() as clock:
            async with agents.local_runtime(journal_factory=journals):
                session = await agent.start_session()
                turn = await session.send_message("Hi.")
                await begun.wait()
                stopping = asyncio.create_task(turn.interrupt())
                await clock.is_waited_on()
                await clock.advance(10)
                await stopping
                running = asyncio.all_tasks() - {asyncio.current_task()}
                may_go_on.set()
                await asyncio.wait(running, timeout=10)
                completed(await session.run("Again."))
        written = "".join(path.read_text() for path in (tmp_path / session.id).glob("*.jsonl"))
        assert len(drawn) == 1
        assert drawn[0] not in written

    async def test_whose_fields_take_the_saved_state_no_more_fails_the_turn(self, tmp_path: Path) -> None:
        journals = agents.experimental.JsonFileSessionJournal.in_directory(tmp_path, fsync=False)
        agent = agents.Agent(model=replies(1), name="counter", hooks=[Counts()])
        async with agents.local_runtime(journal_factory=journals):
            session = await agent.start_session()
            completed(await session.run("a"))

        def stricter() -> agents.Hook:
            class Counts(agents.Hook):
                turns: Literal[0] = 0

                async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                    """Let it be."""

            return Counts()

        async with agents.local_runtime(journal_factory=journals):
            later = agents.Agent(model=replies(1), name="counter", hooks=[stricter()])
            error = failed(await later.session(session.id).run("b"))
        assert error.code == "capability_execution_failed"
        assert error.message.startswith("Hook Counts cannot be made with the state")


class TestDraws:
    async def test_give_time_chance_and_rest_to_a_hook(self) -> None:
        drawn: list[Any] = []

        class Draws(agents.Hook):
            async def pre_agent_turn(self, ctx: hook.HookContext, request: hook.AgentTurnRequest) -> None:
                await agents.sleep(0)
                drawn.extend([agents.now(), agents.random(), agents.uuid4()])

        completed(await agents.Agent(model=replies(1), hooks=[Draws()]).run("a"))
        at, number, name = drawn
        assert isinstance(at, datetime)
        assert at.tzinfo is UTC
        assert 0 <= number < 1
        assert isinstance(name, UUID)
        assert name.version == 4

    async def test_work_outside_of_a_hook_as_well(self) -> None:
        assert agents.now() <= datetime.now(UTC)
        assert agents.uuid4() != agents.uuid4()
        await agents.sleep(0)
