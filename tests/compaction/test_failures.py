"""Compactions that fail: the codes, what may be tried again, and that nothing of the history is lost by it."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, Step, call, calls, error, reply, stream, tokens
from tests.support.asked import asked
from tests.support.outcomes import completed, failed

LARGE = tokens(5000, 10)
SUMMARY = reply("<summary>They said hello.</summary>")
TOO_LARGE = error("completion_context_too_large", "The prompt is too long.", retryable=False, details={"status": 400})


@agents.tool
def read(page: int = 1) -> str:
    """Read a page."""
    return f"page {page} " + "words " * 200


async def second_turn(*steps: Step, **options: Any) -> tuple[agents.ProtocolError, agents.Session, ScriptedModel]:
    """The error of a turn whose compaction goes as the steps say, after one that passed the threshold."""
    model = ScriptedModel([reply("Hello.", usage=LARGE), *steps])
    settings: dict[str, Any] = {"auto_compact_threshold": 1000} | options
    agent = agents.Agent(model=model, tools=[read], **settings)
    session = await agent.start_session()
    await session.run("Hi.")
    return failed(await session.run("How are you?")), session, model


class TestASummaryThatCannotBeUsed:
    @pytest.mark.parametrize(
        "made",
        [
            reply("They said hello."),
            reply(""),
            reply("<summary></summary>"),
            reply("<summary> \n </summary>"),
            reply("<summary>They said hello."),
            reply("They said hello.</summary>"),
            reply("</summary>They said hello.<summary>"),
            reply("<summary>one</summary><summary>two</summary>"),
            reply("<summary>one <summary>two</summary> three</summary>"),
            reply("<summary>They said hel", finish="length"),
            reply("<summary>They said hello.</summary>", finish="length"),
        ],
        ids=str,
    )
    async def test_fails_the_turn_for_good(self, made: Step) -> None:
        refused, _, _ = await second_turn(made)
        assert (refused.code, refused.retryable) == ("invalid_compaction_summary", False)

    async def test_because_it_calls_tools_fails_it_too(self) -> None:
        class Calls(ScriptedModel):
            def _check_offered(self, number: int, step: Step, request: agents.ModelRequest) -> None:
                """A model may call a tool all the same."""

        model = Calls([reply("Hello.", usage=LARGE), call("read", text="<summary>They said hello.</summary>")])
        session = await agents.Agent(model=model, tools=[read], auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        state = await session.run("How are you?")
        assert failed(state).code == "invalid_compaction_summary"

    async def test_may_have_words_around_it(self) -> None:
        """Models introduce what they write, asked not to or not: what is between the tags is the summary."""
        model = ScriptedModel(
            [reply("Hello.", usage=LARGE), reply("Here it is:\n<summary>\nShort.\n</summary>\nThere."), reply("Fine.")]
        )
        session = await agents.Agent(model=model, auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        completed(await session.run("How are you?"))
        assert asked(model)[0].endswith("<summary>\nShort.\n</summary>")
        assert "Here it is" not in asked(model)[0]

    async def test_leaves_out_what_the_model_thought(self) -> None:
        steps = [reply("<summary>Short.</summary>", reasoning="<summary>Thinking.</summary>"), reply("Fine.")]
        model = ScriptedModel([reply("Hello.", usage=LARGE), *steps])
        session = await agents.Agent(model=model, auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        completed(await session.run("How are you?"))
        assert "Short." in asked(model)[0]
        assert "Thinking." not in asked(model)[0]

    async def test_costs_tokens_that_are_counted(self) -> None:
        model = ScriptedModel([reply("Hello.", usage=LARGE), reply("nothing", usage=tokens(40, 4))])
        session = await agents.Agent(model=model, auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        turn = await session.send_message("How are you?")
        failed(await turn.result())
        assert await turn.usage() == tokens(40, 4)

    async def test_leaves_the_history_and_the_next_turn_tries_again(self) -> None:
        _, session, model = await second_turn(reply("nothing"), SUMMARY, reply("Fine."))
        assert completed(await session.run("Again?")).text == "Fine."
        assert asked(model, 2)[:3] == ["user: Hi.", "assistant: Hello.", "user: How are you?"]


class TestARequestThatIsTooLarge:
    async def test_for_the_threshold_fails_the_turn_for_good(self) -> None:
        refused, _, model = await second_turn(auto_compact_threshold=2)
        assert (refused.code, refused.retryable) == ("compaction_request_too_large", False)
        assert len(model.requests) == 1, "nothing was sent"

    async def test_is_first_tried_with_less_of_each_message(self) -> None:
        many = calls(*(call("read", {"page": page}) for page in range(1, 9)))
        model = ScriptedModel([many, reply("Read.", usage=LARGE), SUMMARY, reply("Fine.")])
        session = await agents.Agent(model=model, tools=[read], auto_compact_threshold=2000).start_session()
        await session.run("Read.")
        completed(await session.run("How are you?"))
        assert "characters left out" in asked(model, 2)[2]

    async def test_for_the_provider_is_tried_with_ever_less_and_may_be_retried(self) -> None:
        refused, _, model = await second_turn(*[TOO_LARGE] * 5, auto_compact_threshold=None)
        assert (refused.code, refused.retryable) == ("completion_context_too_large", True)
        assert refused.details == {"status": 400, "reason": "minimal_summary_request"}
        assert len(model.requests) == 6

    async def test_for_the_provider_right_after_a_compaction_may_be_retried(self) -> None:
        refused, _, _ = await second_turn(TOO_LARGE, SUMMARY, TOO_LARGE, auto_compact_threshold=None)
        assert (refused.code, refused.retryable) == ("completion_context_too_large", True)
        assert refused.details == {"status": 400, "reason": "after_compaction"}

    async def test_with_nothing_to_summarise_may_not(self) -> None:
        model = ScriptedModel([TOO_LARGE])
        refused = failed(await agents.Agent(model=model).run("Hi."))
        assert (refused.code, refused.retryable) == ("completion_context_too_large", False)
        assert refused.details == {"status": 400}


class TestAReplacementThatIsTooLarge:
    async def test_because_of_the_summary(self) -> None:
        refused, _, _ = await second_turn(reply(f"<summary>{'word ' * 1000}</summary>"))
        assert (refused.code, refused.retryable) == ("compaction_replacement_too_large", False)

    async def test_because_of_what_the_turn_needs(self) -> None:
        model = ScriptedModel([reply("Hello."), SUMMARY])
        session = await agents.Agent(model=model, auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        refused = failed(await session.run("word " * 1000))
        assert (refused.code, refused.retryable) == ("compaction_replacement_too_large", False)

    async def test_leaves_the_history(self) -> None:
        _, session, model = await second_turn(reply(f"<summary>{'word ' * 1000}</summary>"), SUMMARY, reply("Fine."))
        completed(await session.run("Again?"))
        assert asked(model, 2)[:2] == ["user: Hi.", "assistant: Hello."]


class TestACallForASummaryThatFails:
    @pytest.mark.parametrize(
        ("made", "code", "retryable"),
        [
            (error(401), "completion_unauthorized", False),
            (error(429), "completion_rate_limited", True),
            (error(503), "completion_unavailable", True),
            (stream("<summary>They"), "completion_failed", True),
            (reply("<summary>They</summary>", reports_usage=False), "completion_failed_permanently", False),
        ],
        ids=["unauthorized", "rate limit", "unavailable", "cut", "no usage"],
    )
    async def test_fails_the_turn_as_any_call_does(self, made: Step, code: str, retryable: bool) -> None:
        refused, _, _ = await second_turn(made)
        assert (refused.code, refused.retryable) == (code, retryable)

    async def test_because_a_model_object_raises(self) -> None:
        class Raises(ScriptedModel):
            async def _step(self, number: int, request: agents.ModelRequest) -> Step:
                if number == 2:
                    raise ValueError("broken")
                return await super()._step(number, request)

        model = Raises([reply("Hello.", usage=LARGE)])
        session = await agents.Agent(model=model, auto_compact_threshold=1000).start_session()
        await session.run("Hi.")
        refused = failed(await session.run("How are you?"))
        assert (refused.code, refused.retryable) == ("completion_failed_permanently", False)
