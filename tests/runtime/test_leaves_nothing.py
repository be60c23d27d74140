"""What a block leaves behind when it ends, and what a turn takes from whoever started it: nothing."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading
import weakref
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, Step, Stream, StrictProvider, call, calls, gate, reply
from mistralai.agents.testing.strict_replies import chunk, events
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

HALF_A_REPLY = Stream(pieces=(events(chunk(content="h")),), end="hang")
user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


def tool_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("agents")]


class TestAfterABlock:
    async def test_no_task_is_left(self) -> None:
        before = asyncio.all_tasks()
        held = gate()

        @agents.tool
        async def wait() -> str:
            """Wait."""
            await held.hold()
            return "waited"

        agent = agents.Agent(model=ScriptedModel([call("wait")]), tools=[wait])
        async with agents.local_runtime():
            await (await agent.start_session()).send_message("go")
            await held.reached()
            assert len(asyncio.all_tasks()) > len(before)
        assert asyncio.all_tasks() == before

    async def test_no_thread_is_left(self) -> None:
        before = set(threading.enumerate())

        @agents.tool
        def look() -> str:
            """Look."""
            return threading.current_thread().name

        agent = agents.Agent(model=ScriptedModel([call("look"), reply("Seen.")]), tools=[look])
        async with agents.local_runtime():
            await agent.run("look")
            assert set(threading.enumerate()) > before
        assert set(threading.enumerate()) == before

    @pytest.mark.parametrize("said", [reply("hi"), HALF_A_REPLY], ids=["after a whole reply", "in the middle of one"])
    async def test_no_connection_is_left(self, said: Step | Stream, monkeypatch: pytest.MonkeyPatch) -> None:
        async with StrictProvider("mistral", said) as server:
            for name, value in server.environ.items():
                monkeypatch.setenv(name, value)
            async with agents.local_runtime() as runtime:
                turn = await (await agents.Agent(model="m").start_session()).send_message("go")
                async for event in turn.iter_events():
                    if isinstance(event, agents.EntryAdded) and server.asked.is_set():
                        break
                assert server.connections == 1
                assert not server.closed.is_set()
            await server.closed.wait()
            assert runtime.statistics().connections == 0

    async def test_nothing_that_a_tool_made_is_held_in_memory(self) -> None:
        class Payload:
            """Something that a tool keeps for its call."""

        alive: weakref.WeakSet[Payload] = weakref.WeakSet()

        @agents.tool
        def look() -> str:
            """Look."""
            payload = Payload()
            alive.add(payload)
            return f"{payload}"

        model = ScriptedModel([call("look"), reply("Seen.")])
        agent = agents.Agent(model=model, tools=[look])
        async with agents.local_runtime():
            session = await agent.start_session()
            await session.run("look")
        del session
        gc.collect()
        assert not alive


class TestATurn:
    async def test_runs_in_a_context_of_its_own(self) -> None:
        seen: list[str] = []

        @agents.tool
        async def asynchronous() -> str:
            """Look."""
            seen.append(user.get())
            user.set("the tool")
            return "seen"

        @agents.tool
        def synchronous() -> str:
            """Look."""
            seen.append(user.get())
            user.set("the thread")
            return "seen"

        class Asking:
            """A model that looks at the context it is called in."""

            def __init__(self) -> None:
                self.script = ScriptedModel([call("asynchronous"), call("synchronous"), reply("Done.")])

            async def stream(self, request: agents.ModelRequest, /) -> AsyncGenerator[agents.ModelEvent]:
                seen.append(user.get())
                user.set("the model")
                async for event in self.script.stream(request):
                    yield event

        agent = agents.Agent(model=Asking(), tools=[asynchronous, synchronous])
        user.set("the caller")
        assert completed(await agent.run("look")).text == "Done."
        assert seen == ["nobody"] * 5
        assert user.get() == "the caller"

    async def test_does_not_hold_what_its_callers_context_holds(self) -> None:
        class Request:
            """What a server keeps for a request."""

        variable: contextvars.ContextVar[Request] = contextvars.ContextVar("request")
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply(held, "Done.")]))
        session = await agent.start_session()

        async def serve() -> weakref.ref[Request]:
            request = Request()
            variable.set(request)
            await session.send_message("go")
            return weakref.ref(request)

        request = await asyncio.create_task(serve())
        await held.reached()
        await asyncio.sleep(0)  # the loop itself holds a task until the step after its end
        gc.collect()
        assert request() is None
        await session.cancel()

    async def test_outlives_the_task_group_it_was_started_in(self) -> None:
        held = gate()
        agent = agents.Agent(model=ScriptedModel([reply(held, "Done.")]))
        session = await agent.start_session()
        async with asyncio.TaskGroup() as group:
            starting = group.create_task(session.send_message("go"))
        held.open()
        assert completed(await starting.result().result()).text == "Done."

    async def test_that_waits_for_a_person_or_is_over_holds_no_task(self) -> None:
        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        agent = agents.Agent(model=ScriptedModel([call("pay"), reply("ok")]), tools=[pay], permission_mode="ask")
        before = asyncio.all_tasks()
        session = await agent.start_session()
        state = await session.run("pay")
        assert isinstance(state, agents.Blocked)
        assert asyncio.all_tasks() == before
        turn = session.turn(state.turn_id)
        await turn.answer(state.callbacks[0].id, agents.AllowApproval())
        await turn.result(after=state)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before
        await session.cancel()


class TestHandlers:
    async def test_run_in_the_context_of_the_wait(self) -> None:
        seen: list[str] = []

        @agents.tool
        async def pay() -> str:
            """Pay."""
            return "paid"

        def approve(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.AllowApproval:
            seen.append(user.get())
            return agents.AllowApproval()

        agent = agents.Agent(model=ScriptedModel([call("pay"), reply("ok")]), tools=[pay], permission_mode="ask")
        user.set("the caller")
        await agent.run("pay", on_approval=approve, on_event=lambda event: seen.append(user.get()))
        assert set(seen) == {"the caller"}


class TestToolThreads:
    async def test_are_named_and_do_not_hold_the_interpreters_exit(self) -> None:
        @agents.tool
        def look() -> str:
            """Look."""
            return "seen"

        await agents.Agent(model=ScriptedModel([call("look"), reply("Seen.")]), tools=[look]).run("look")
        assert [thread.daemon for thread in tool_threads()] == [True]

    async def test_are_used_again(self) -> None:
        seen: list[int] = []

        @agents.tool
        def look() -> str:
            """Look."""
            seen.append(threading.get_ident())
            return "seen"

        model = ScriptedModel([call("look"), call("look"), call("look"), reply("Seen.")])
        await agents.Agent(model=model, tools=[look]).run("look")
        assert len(set(seen)) == 1


class TestATimer:
    async def test_does_not_hold_the_context_of_whoever_set_it(self) -> None:
        class Request:
            """What a server keeps for a request."""

        variable: contextvars.ContextVar[Request] = contextvars.ContextVar("request")

        @agents.tool
        async def pay(amount: int) -> str:
            """Pay."""
            return "paid"

        two = calls(call("pay", {"amount": 1}), call("pay", {"amount": 2}))
        agent = agents.Agent(model=ScriptedModel([two]), tools=[pay], permission_mode="ask")
        session = await agent.start_session()
        state = await session.run("pay")
        assert isinstance(state, agents.Blocked)

        async def serve() -> weakref.ref[Request]:
            request = Request()
            variable.set(request)
            # One of the two is answered: the timer of the other is set anew.
            await session.turn(state.turn_id).answer(state.callbacks[0].id, agents.DenyApproval())
            return weakref.ref(request)

        request = await asyncio.create_task(serve())
        await asyncio.sleep(0)
        gc.collect()
        assert request() is None
        await session.cancel()
