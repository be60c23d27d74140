"""Each way a model call fails, as the record that the caller of `agent.run` reads. Public page: Turn records."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import pytest

from mistralai import agents
from mistralai.agents.testing import (
    Disconnect,
    FakeClock,
    Refusal,
    Silence,
    Stream,
    StrictProvider,
    call,
    gate,
    reply,
    stream,
)
from mistralai.agents.testing.strict_replies import chunk, events
from tests.models_e2e.asking import Asker
from tests.support.outcomes import completed

if TYPE_CHECKING:
    from mistralai.agents.testing import Step
    from mistralai.agents.testing.strict_replies import Mode, Reply

MODES: list[Mode] = ["mistral", "openai", "anthropic"]
RATE_LIMITED = {"object": "error", "message": "Requests rate limit exceeded", "type": "rate_limited", "code": "1300"}
TOO_LARGE = {
    "object": "error",
    "type": "invalid_request_error",
    "message": "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
}


@pytest.fixture(params=MODES)
def asker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Asker:
    return Asker(monkeypatch, request.param)


@pytest.fixture
def mistral(monkeypatch: pytest.MonkeyPatch) -> Asker:
    return Asker(monkeypatch, "mistral")


class TestAStatus:
    @pytest.mark.parametrize(
        ("status", "code", "retryable"),
        [
            (400, "completion_rejected", False),
            (404, "completion_rejected", False),
            (422, "completion_rejected", False),
            (401, "completion_unauthorized", False),
            (403, "completion_unauthorized", False),
            (402, "completion_billing_denied", False),
            (408, "completion_timed_out", True),
            (409, "completion_unavailable", True),
            (429, "completion_unavailable", True),
            (500, "completion_unavailable", True),
            (501, "completion_unavailable", False),
            (502, "completion_unavailable", True),
            (503, "completion_unavailable", True),
            (504, "completion_unavailable", True),
        ],
    )
    async def test_fails_the_turn_with_its_code(self, asker: Asker, status: int, code: str, retryable: bool) -> None:
        body = {"message": "The provider's words.", "type": "some_reason"}
        error = await asker.error(Refusal(status=status, body=body, headers={"x-request-id": "req-1"}))
        assert (error.code, error.retryable) == (code, retryable)
        assert error.details == {
            "status_code": status,
            "reason": "some_reason",
            "provider_message": "The provider's words.",
            "request_id": "req-1",
        }
        assert f"HTTP {status}: The provider's words." in error.message

    async def test_429_for_the_rate_is_a_code_of_its_own(self, asker: Asker) -> None:
        error = await asker.error(Refusal(status=429, body=RATE_LIMITED))
        assert (error.code, error.retryable) == ("completion_rate_limited", True)
        assert error.details is not None
        assert error.details["reason"] == "rate_limited"

    async def test_with_a_page_for_people_tells_no_html(self, asker: Asker) -> None:
        error = await asker.error(Refusal(status=502, body=b"<html><body>nginx</body></html>"))
        assert "<" not in error.message
        assert error.details == {"status_code": 502}

    async def test_that_repeats_the_key_does_not_tell_it(self, asker: Asker) -> None:
        key = "key-of-the-tests"
        error = await asker.error(Refusal(status=400, body={"message": f"Incorrect API key provided: {key}"}))
        assert key not in agents.to_json(error)

    async def test_leaves_the_session_ready_for_the_next_turn(
        self, mistral: Asker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        refusal = Refusal(status=422, body={"message": "no"})
        async with StrictProvider("mistral", refusal, reply("Better.")) as server:
            for name, value in server.environ.items():
                monkeypatch.setenv(name, value)
            async with agents.local_runtime():
                session = await agents.Agent(model="m").start_session()
                assert isinstance(await session.run("first"), agents.Failed)
                assert completed(await session.run("second")).text == "Better."
        assert server.violations == []
        assert "first" in str(server.requests[1]["messages"])


class TestAContextThatIsTooLarge:
    async def test_is_a_code_of_its_own(self, asker: Asker) -> None:
        refusals = [Refusal(status=400, body=TOO_LARGE)] * 12  # as often as a compaction may be tried
        error = await asker.error(*refusals)
        assert error.code == "completion_context_too_large"


class TestAStream:
    async def test_that_stops_before_its_end_fails_the_turn_and_keeps_the_text(self, mistral: Asker) -> None:
        asked = await mistral.ask(stream("Half an ans"))
        assert isinstance(asked.state, agents.Failed)
        assert (asked.state.error.code, asked.state.error.retryable) == ("completion_failed", True)
        assert asked.state.text == "Half an ans"

    async def test_that_was_shown_is_not_begun_again(self, mistral: Asker) -> None:
        asked = await mistral.ask(stream("Half an ans"), reply("Whole."), retry=60)
        assert isinstance(asked.state, agents.Failed)
        assert len(asked.server.requests) == 1

    @pytest.mark.parametrize(
        "said",
        [
            Stream(pieces=()),
            Stream(pieces=(events("[DONE]"),)),
            Stream(pieces=(events(chunk(content="Whole, but")),)),
            Stream(pieces=(events(chunk(content="Whole, but"), "[DONE]"),)),
            Stream(pieces=(b'data: {"choi',), end="cut"),
        ],
        ids=["empty", "only done", "no finish reason", "no finish reason but done", "cut in a chunk"],
    )
    async def test_without_its_end_is_a_failed_call(self, mistral: Asker, said: Reply) -> None:
        error = await mistral.error(said)
        assert (error.code, error.retryable) == ("completion_failed", True)

    async def test_that_never_begins_is_a_failed_call(self, asker: Asker) -> None:
        # Twice: a connection that a server had closed before is opened again at once.
        error = await asker.error(Disconnect(), Disconnect())
        assert (error.code, error.retryable) == ("completion_failed", True)

    async def test_that_stops_in_a_call_does_not_run_it(self, mistral: Asker) -> None:
        ran: list[int] = []

        @agents.tool
        async def pay(amount: int) -> str:
            """Pay."""
            ran.append(amount)
            return "paid"

        delta = {"index": 0, "id": "call00001", "function": {"name": "pay", "arguments": '{"amount": 1}'}}
        error = await mistral.error(Stream(pieces=(events(chunk(tool_calls=[delta])),), end="cut"), tools=[pay])
        assert error.code == "completion_failed"
        assert ran == []

    @pytest.mark.parametrize("step", [reply("Whole.", reports_usage=False)])
    async def test_without_usage_fails_for_good_and_names_the_option(
        self, monkeypatch: pytest.MonkeyPatch, step: Step
    ) -> None:
        for mode in ("openai", "mistral"):
            error = await Asker(monkeypatch, mode).error(step)
            assert (error.code, error.retryable) == ("completion_failed_permanently", False)
            assert "stream_options.include_usage" in error.message

    async def test_with_an_error_in_it_fails_as_that_error(self, mistral: Asker) -> None:
        told = {"error": {"message": "Overloaded.", "type": "server_error", "code": 503}}
        error = await mistral.error(Stream(pieces=(events(chunk(content="h"), told),)))
        assert (error.code, error.retryable) == ("completion_unavailable", True)

    async def test_of_nothing_times_out(self, asker: Asker) -> None:
        error = await asker.error(Silence(), first_output_timeout_seconds=0.05)
        assert (error.code, error.retryable) == ("completion_timed_out", True)
        assert error.details == {"reason": "first_output_timeout"}

    async def test_that_stops_coming_times_out(self, mistral: Asker) -> None:
        mistral.monkeypatch.setenv("AGENTS_SDK_MODEL_IDLE_TIMEOUT_SECONDS", "0.05")
        error = await mistral.error(Stream(pieces=(events(chunk(content="h")),), end="hang"))
        assert (error.code, error.retryable) == ("completion_timed_out", True)

    async def test_past_the_calls_own_limit_is_not_worth_trying_again(self, mistral: Asker) -> None:
        mistral.monkeypatch.setenv("AGENTS_SDK_MODEL_CALL_TIMEOUT_SECONDS", "0.05")
        error = await mistral.error(Stream(pieces=(events(chunk(content="h")),), end="hang"))
        assert (error.code, error.retryable) == ("completion_timed_out", False)


class TestNoServer:
    async def test_at_the_address_is_a_failed_call(self, asker: Asker, unused_port: int) -> None:
        error = await asker.error()
        assert error.code == "completion_rejected"  # the script of none refuses: the server is there
        for name in ("MISTRAL_SERVER_URL", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            asker.monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port}")
        state = await agents.Agent(model="m", provider=asker.mode).run("hello")
        assert isinstance(state, agents.Failed)
        assert (state.error.code, state.error.retryable) == ("completion_failed", True)
        assert state.error.details == {"reason": "connection_failed"}

    @pytest.fixture
    def unused_port(self) -> int:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
            return port


class TestRetrying:
    async def test_hides_a_failure_that_passes(self, asker: Asker) -> None:
        with FakeClock() as clock:
            asking = asyncio.create_task(
                asker.ask(
                    Refusal(status=503),
                    Disconnect(),
                    Refusal(status=429, body=RATE_LIMITED),
                    reply("At last."),
                    retry=60,
                )
            )
            while not asking.done():
                waited = asyncio.create_task(clock.is_waited_on())
                await asyncio.wait([asking, waited], return_when=asyncio.FIRST_COMPLETED)
                waited.cancel()
                await clock.advance(1.0)
            asked = await asking
        assert completed(asked.state).text == "At last."
        assert len(asked.server.requests) == 4
        assert len([event for event in asked.events if isinstance(event, agents.UsageReported)]) == 1

    async def test_waits_as_long_as_the_provider_says(self, mistral: Asker) -> None:
        with FakeClock() as clock:
            busy = Refusal(status=429, body=RATE_LIMITED, headers={"retry-after": "7"})
            asking = asyncio.create_task(mistral.ask(busy, reply("At last."), retry=60))
            await clock.is_waited_on()
            await clock.advance(6.9)
            assert clock.waiting == 1
            await clock.advance(0.1)
            assert completed((await asking).state).text == "At last."

    async def test_is_not_worth_it_where_the_provider_says_longer_than_the_bound(self, mistral: Asker) -> None:
        busy = Refusal(status=429, body=RATE_LIMITED, headers={"retry-after": "600"})
        error = await mistral.error(busy, retry=60)
        assert (error.code, error.retryable) == ("completion_rate_limited", True)


class TestAMissingKey:
    @pytest.mark.parametrize(
        ("mode", "names"),
        [
            ("mistral", ["MISTRAL_API_KEY"]),
            ("openai", ["OPENAI_API_KEY", "OPENAI_BASE_URL"]),
            ("anthropic", ["ANTHROPIC_API_KEY"]),
        ],
    )
    async def test_is_told_at_the_first_call_with_the_variables_name_and_the_alternatives(
        self, monkeypatch: pytest.MonkeyPatch, mode: Any, names: list[str]
    ) -> None:
        for variable in ("MISTRAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
            monkeypatch.delenv(variable, raising=False)
        with pytest.raises(agents.SdkError) as refused:
            await agents.Agent(model="m", provider=mode).run("hello")
        assert all(name in str(refused.value) for name in names)
        assert "provider=" in str(refused.value)

    async def test_that_goes_missing_in_mid_turn_fails_the_turn(
        self, monkeypatch: pytest.MonkeyPatch, mistral: Asker
    ) -> None:
        @agents.tool
        def forget() -> None:
            """Forget the key."""
            monkeypatch.delenv("MISTRAL_API_KEY")

        error = await mistral.error(call("forget"), tools=[forget])
        assert (error.code, error.retryable) == ("completion_failed_permanently", False)
        assert "MISTRAL_API_KEY" in error.message


class TestAWholeTurn:
    async def test_shows_its_text_as_it_comes(self, asker: Asker) -> None:
        held = gate()
        asked = await asker.ask(reply("It is ", held, "5."), opens=held)
        assert completed(asked.state).text == "It is 5."
        assert next(event.text for event in asked.events if isinstance(event, agents.TextDelta)) == "It is "
        (usage,) = [event.usage for event in asked.events if isinstance(event, agents.UsageReported)]
        assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (10, 5, 15)

    async def test_of_text_and_a_call_goes_over_the_wire(self, asker: Asker) -> None:
        @agents.tool
        def add(a: int, b: int) -> int:
            """Add two numbers."""
            return a + b

        asked = await asker.ask(call("add", {"a": 2, "b": 3}, text="Adding."), reply("It is ", "5."), tools=[add])
        state = completed(asked.state)
        assert state.text == "It is 5."
        assert state.tool_calls == (agents.ToolCall("client.add", {"a": 2, "b": 3}),)
        assert asked.server.violations == []
        assert asked.server.connections == 1
