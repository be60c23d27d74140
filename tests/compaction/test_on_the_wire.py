"""Compaction with each provider: its server takes the request for a summary and what follows, and refuses too much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from mistralai import agents
from mistralai.agents.testing.strict_provider import StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Call, Refusal
from tests.support.outcomes import completed, failed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

REFUSALS: dict[str, dict[str, Any]] = {
    "mistral": {
        "object": "error",
        "message": "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
        "type": "invalid_request_error",
        "code": "3051",
    },
    "openai": {
        "error": {
            "message": "This model's maximum context length is 128000 tokens.",
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        }
    },
    "anthropic": {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"},
    },
}
SUMMARY = Answer(text="<summary>Pages were read.</summary>")
DONE = Answer(text="Done.")


@agents.tool
def read(page: int) -> str:
    """Read a page."""
    return f"page {page} " + "words " * 100


def reading(page: int, *, tokens: int = 100) -> Answer:
    made = Call(name="read", arguments={"page": page}, id=f"call{page:05}")
    return Answer(calls=(made,), input_tokens=tokens)


@pytest.fixture(params=["mistral", "openai", "anthropic"])
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[StrictProvider]:
    """A strict server of each provider, which the agents of the test call."""
    mode: Literal["mistral", "openai", "anthropic"] = request.param
    async with StrictProvider(mode) as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        yield server
        assert server.violations == []


def agent_of(server: StrictProvider, threshold: int | None) -> agents.Agent[str]:
    return agents.Agent(model="m", provider=server.mode, tools=[read], auto_compact_threshold=threshold)


class TestByTheThreshold:
    async def test_a_summary_may_be_asked_for_right_after_a_tool_result(self, server: StrictProvider) -> None:
        """Regression, mistral-vibe#902: Mistral answers HTTP 400 to a user message after a tool message."""
        server.script[:] = [*(reading(page) for page in range(4)), reading(4, tokens=9000), SUMMARY, DONE]
        state = completed(await agent_of(server, 800).run("Read."))
        assert (state.text, len(state.tool_calls)) == ("Done.", 5)
        assert "Pages were read." in str(server.requests[-1]["messages"])

    async def test_a_summary_shares_the_prefix_that_the_provider_has_cached(self, server: StrictProvider) -> None:
        server.script[:] = [reading(0), Answer(text="Read.", input_tokens=9000), SUMMARY, DONE]
        session = await agent_of(server, 800).start_session()
        await session.run("Read.")
        completed(await session.run("And?"))
        await session.cancel()
        before, summary = server.bodies[1], server.bodies[2]
        history = before.partition(b'"messages":')[2].removesuffix(b"]}")
        assert summary.partition(b'"messages":')[2].startswith(history)

    async def test_tools_stay_offered_and_are_forbidden(self, server: StrictProvider) -> None:
        server.script[:] = [Answer(text="Hello.", input_tokens=9000), SUMMARY, DONE]
        session = await agent_of(server, 800).start_session()
        await session.run("Hi.")
        await session.run("And?")
        await session.cancel()
        request = server.requests[1]
        assert request["tool_choice"] == ({"type": "none"} if server.mode == "anthropic" else "none")
        assert len(request["tools"]) == 1


class TestByTheProvidersRefusal:
    async def test_the_history_is_compacted_and_sent_again(self, server: StrictProvider) -> None:
        refused = Refusal(status=400, body=REFUSALS[server.mode])
        server.script[:] = [*(reading(page) for page in range(3)), refused, SUMMARY, DONE]
        assert completed(await agent_of(server, None).run("Read.")).text == "Done."

    async def test_again_right_after_it_says_so(self, server: StrictProvider) -> None:
        refused = Refusal(status=400, body=REFUSALS[server.mode])
        server.script[:] = [reading(0), reading(1), refused, SUMMARY, refused]
        error = failed(await agent_of(server, None).run("Read."))
        assert (error.code, error.retryable) == ("completion_context_too_large", True)
        assert error.details is not None
        assert error.details["reason"] == "after_compaction"
        assert error.details["status_code"] == 400

    async def test_of_every_request_for_a_summary_says_so(self, server: StrictProvider) -> None:
        refused = Refusal(status=400, body=REFUSALS[server.mode])
        server.script[:] = [reading(0), reading(1), *[refused] * 9]
        error = failed(await agent_of(server, None).run("Read."))
        assert (error.code, error.retryable) == ("completion_context_too_large", True)
        assert error.details is not None
        assert error.details["reason"] == "minimal_summary_request"
