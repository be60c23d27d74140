"""Hooks: which points a class has, what each may return, and the state a session keeps."""

from __future__ import annotations

import functools
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from pydantic import Field, PrivateAttr, ValidationError

from mistralai.agents.authoring import hook as hooks
from mistralai.agents.authoring.call_errors import InputUnavailable
from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.hook import Hook, HookContext, reject, retry, skip
from mistralai.agents.authoring.hook_points import POINTS, run_point
from mistralai.agents.authoring.session_input import SessionInput
from mistralai.agents.authoring.session_inputs import SessionInputs
from mistralai.agents.authoring.tool import tool
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from mistralai.agents.authoring.hook import PreLLMCallInvocation, Skip

CONTEXT = HookContext(session_id="s", turn_id="t", agent_name="a", root_session_id="s")
SUBJECT = hooks.PreLLMCallInvocation(model="m", instructions="", messages=())
NOTHING = SessionInputs()


class Org(SessionInput):
    input_id = "org"
    name: str


class Counter(Hook):
    calls: int = 0
    days: list[date] = Field(default_factory=list[date])
    client: Any = Field(default=None, exclude=True)
    _cache: dict[str, int] = PrivateAttr(default_factory=dict[str, int])

    async def pre_llm_call(self, ctx: HookContext, invocation: PreLLMCallInvocation) -> Skip | None:
        self.calls += 1
        self.days.append(date(2026, 1, self.calls))
        return skip("enough") if self.calls > 1 else None


@tool
def lookup(x: int) -> int:
    return x


class TestAPoint:
    async def test_is_called_with_the_context_and_its_subject(self) -> None:
        counter = Counter()
        assert await run_point(counter, "pre_llm_call", CONTEXT, SUBJECT, NOTHING) is None
        assert await run_point(counter, "pre_llm_call", CONTEXT, SUBJECT, NOTHING) == skip("enough")

    async def test_that_is_not_overridden_lets_things_be(self) -> None:
        assert list(Counter.points()) == ["pre_llm_call"]
        assert not Hook.points()
        for point in POINTS:
            assert await run_point(Hook(), point, CONTEXT, SUBJECT, NOTHING) is None

    async def test_is_inherited(self) -> None:
        class Named(Counter):
            name: str = "n"

        assert list(Named.points()) == ["pre_llm_call"]

    async def test_may_take_session_inputs(self) -> None:
        class Local(SessionInput):
            input_id = "local"
            n: int

        class Greets(Hook):
            async def pre_agent_turn(
                self, ctx: HookContext, request: Any, org: Annotated[Org, Depends()], local: Annotated[Local, Depends()]
            ) -> Any:
                return skip(f"{org.name} {local.n}")

        inputs = SessionInputs({"org": {"name": "acme"}, "local": {"n": 1}})
        assert await run_point(Greets(), "pre_agent_turn", CONTEXT, None, inputs) == skip("acme 1")
        with pytest.raises(InputUnavailable):
            await run_point(Greets(), "pre_agent_turn", CONTEXT, None, NOTHING)

    def test_that_is_not_async_is_refused_where_it_is_written(self) -> None:
        with pytest.raises(SdkError, match=r"Wrong.pre_tool_call is not async"):

            class Wrong(Hook):  # pyright: ignore[reportUnusedClass]  # the point of the test
                def pre_tool_call(self, ctx: Any, call: Any) -> Any:
                    return None

    async def test_may_be_wrapped_by_a_decorator(self) -> None:
        def noted(function: Any) -> Any:
            @functools.wraps(function)
            def wrapper(*args: Any) -> Any:
                return function(*args)

            return wrapper

        class Wrapped(Hook):
            @noted
            async def pre_agent_turn(self, ctx: HookContext, request: Any) -> Any:
                return skip("wrapped")

        assert await run_point(Wrapped(), "pre_agent_turn", CONTEXT, None, NOTHING) == skip("wrapped")

    def test_that_takes_something_nobody_gives_is_refused(self) -> None:
        with pytest.raises(SdkError, match="parameter 'more' is not filled by anything"):

            class Wrong(Hook):  # pyright: ignore[reportUnusedClass]  # the point of the test
                async def pre_tool_call(self, ctx: Any, call: Any, more: int) -> Any:
                    return None


class TestADecision:
    @pytest.mark.parametrize(
        ("point", "decision"),
        [
            ("pre_agent_turn", hooks.PreAgentTurnHookContinue(user_content="x")),
            ("pre_agent_turn", skip("r")),
            ("pre_llm_call", hooks.PreLLMCallHookContinue()),
            ("post_llm_call", hooks.PostLLMCallHookAccept(content="x")),
            ("post_llm_call", retry("f")),
            ("post_llm_call", reject("r")),
            ("pre_tool_call", hooks.PreToolCallHookContinue(effective_arguments={"x": 1})),
            ("pre_tool_call", skip("r")),
            ("post_tool_call", hooks.PostToolCallHookContinue()),
            ("post_agent_turn", hooks.PostAgentTurnHookAccept(content="x")),
        ],
    )
    async def test_that_a_point_takes_is_returned(self, point: str, decision: Any) -> None:
        assert await run_point(returning(point, decision), point, CONTEXT, None, NOTHING) == decision

    @pytest.mark.parametrize(
        ("point", "decision", "made"),
        [
            ("pre_llm_call", retry("f"), r"agents.retry\(\)"),
            ("post_tool_call", skip("r"), r"agents.skip\(\)"),
            ("pre_tool_call", hooks.PostToolCallHookContinue(), "PostToolCallHookContinue"),
            ("post_agent_turn", "an answer", "'an answer'"),
            ("pre_agent_turn", False, "False"),
        ],
    )
    async def test_that_a_point_cannot_take_is_an_error_naming_both(self, point: str, decision: Any, made: str) -> None:
        with pytest.raises(SdkError, match=rf"Returns.{point} returned {made}, which this point cannot take"):
            await run_point(returning(point, decision), point, CONTEXT, None, NOTHING)

    def test_takes_a_string(self) -> None:
        wrong: Any = None
        for function, argument in ((skip, "reason"), (retry, "feedback"), (reject, "reason")):
            with pytest.raises(SdkError, match=f"agents.{function.__name__}: {argument} is None"):
                function(wrong)


class TestTheStateOfAHook:
    async def test_is_its_fields_as_json(self) -> None:
        counter = Counter(client=object())
        await run_point(counter, "pre_llm_call", CONTEXT, SUBJECT, NOTHING)
        assert counter.dump_state() == {"calls": 1, "days": ["2026-01-01"]}

    async def test_of_a_new_session_starts_from_the_agent_s_hook_and_does_not_change_it(self) -> None:
        shared = object()
        given = Counter(calls=5, client=shared)
        session = given.with_state(None)
        await run_point(session, "pre_llm_call", CONTEXT, SUBJECT, NOTHING)
        assert (session.calls, session.client) == (6, shared)
        assert given.dump_state() == {"calls": 5, "days": []}
        assert given.with_state(None).days == []

    def test_is_restored(self) -> None:
        restored = Counter().with_state({"calls": 1, "days": ["2026-01-01"]})
        assert (restored.calls, restored.days) == (1, [date(2026, 1, 1)])

    def test_of_an_earlier_version_keeps_what_it_can(self) -> None:
        restored = Counter(calls=3).with_state({"gone": 1, "days": []})
        assert restored.calls == 3

    def test_that_no_longer_fits_is_an_error(self) -> None:
        with pytest.raises(ValidationError):
            Counter().with_state({"calls": "many"})


class TestToolsOfAHook:
    def test_are_given_to_it_and_are_no_state(self) -> None:
        counter = Counter(tools=(lookup,))
        assert counter.tools == (lookup,)
        assert counter.with_state(None).tools == (lookup,)
        assert "tools" not in counter.dump_state()

    def test_that_are_plain_functions_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"decorate the function with @agents.tool"):
            Hook(tools=(print,))


def returning(point: str, decision: Any) -> Hook:
    async def returns(self: Hook, ctx: Any, subject: Any) -> Any:
        return decision

    made: Any = type("Returns", (Hook,), {point: returns, "__module__": __name__, "__annotations__": {}})
    hook: Hook = made()
    return hook
