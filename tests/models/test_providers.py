"""The providers by name: keys, addresses, and whole replies of each."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.authoring.model import ReasoningBlock, ReplyFinished, TextChunk
from mistralai.agents.models.client import ModelClient
from mistralai.agents.models.providers import PROVIDERS, provider
from mistralai.agents.testing.strict_provider import KEY, StrictProvider
from mistralai.agents.testing.strict_replies import Answer, Call, Stream, events
from mistralai.agents.values.errors import SdkError
from tests.models.calling import calling, calls_of, request, text_of

if TYPE_CHECKING:
    from mistralai.agents.models.client import ModelClient as Client
    from mistralai.agents.testing.strict_replies import Mode

MODES: list[Mode] = ["mistral", "openai", "anthropic"]


async def refused(name: str, environ: dict[str, str]) -> str:
    """The message of a call that needs what the environment lacks."""
    client = ModelClient()
    with pytest.raises(SdkError) as caught:
        [event async for event in provider(name, client, environ).stream(request())]
    await client.close()
    return str(caught.value)


class TestKeys:
    @pytest.mark.parametrize("name", MODES)
    async def test_a_missing_key_is_named_with_its_alternatives_at_the_first_call(self, name: str) -> None:
        message = await refused(name, {})
        assert message.startswith(f"No API key for the provider '{name}': set {name.upper()}_API_KEY")
        assert all(f"{other.upper()}_API_KEY" in message for other in MODES)

    async def test_a_server_of_ones_own_needs_no_openai_key(self) -> None:
        async with StrictProvider("openai", Answer(text="hi")) as server:
            client = ModelClient()
            environ = {"OPENAI_BASE_URL": f"{server.url}/v1/"}
            with pytest.raises(Exception, match="401"):  # the server wants one; the provider did not
                [event async for event in provider("openai", client, environ).stream(request())]
            assert "authorization" not in server.headers[0]
            await client.close()

    async def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(self) -> None:
        message = await refused("mistral", {"MISTRAL_API_KEY": "sécret\nkey"})
        assert "MISTRAL_API_KEY" in message
        assert "cret" not in message

    @pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://x:99999/"])
    async def test_an_address_that_is_none_is_refused(self, url: str) -> None:
        assert "MISTRAL_SERVER_URL" in await refused("mistral", {"MISTRAL_API_KEY": "k", "MISTRAL_SERVER_URL": url})

    async def test_a_key_that_changes_is_the_key_of_the_next_call(self) -> None:
        environ: dict[str, str] = {}
        async with StrictProvider("mistral", Answer(text="hi")) as server:
            client = ModelClient()
            model = provider("mistral", client, environ)
            with pytest.raises(SdkError):
                [event async for event in model.stream(request())]
            environ |= server.environ
            assert text_of([event async for event in model.stream(request())]) == "hi"
            await client.close()

    async def test_no_repr_shows_a_key(self) -> None:
        async with calling("mistral", Answer(text="hi")) as caller:
            await caller.call()
            assert KEY not in repr(caller.model) + repr(caller.client)

    def test_an_unknown_provider_is_refused_with_the_known_ones(self) -> None:
        with pytest.raises(SdkError, match="'mistral', 'openai', 'anthropic'"):
            provider("grok", ModelClient(), {})
        assert list(PROVIDERS) == MODES


@pytest.mark.parametrize("mode", MODES)
class TestWholeReplies:
    async def test_text_comes_piece_by_piece_and_usage_at_the_end(self, mode: Mode) -> None:
        async with calling(mode, Answer(text="Hello there", chunks=4)) as caller:
            found = await caller.call()
        assert [event.text for event in found if isinstance(event, TextChunk)] == ["Hel", "lo ", "the", "re"]
        last = found[-1]
        assert isinstance(last, ReplyFinished)
        assert last.reason == "stop"
        assert last.usage is not None
        assert (last.usage.input_tokens, last.usage.output_tokens, last.usage.total_tokens) == (100, 20, 120)

    async def test_calls_come_whole(self, mode: Mode) -> None:
        calls = (Call(name="f", arguments={"x": 1}, id="aaaaaaaa1"), Call(name="g", id="aaaaaaaa2"))
        async with calling(mode, Answer(text="Looking.", calls=calls)) as caller:
            found = await caller.call()
        assert calls_of(found) == [("aaaaaaaa1", "f", '{"x": 1}'), ("aaaaaaaa2", "g", "{}")]
        assert text_of(found) == "Looking."
        assert isinstance(found[-1], ReplyFinished)
        assert found[-1].reason == "tool_calls"

    async def test_a_reply_without_usage_fails_for_good(self, mode: Mode) -> None:
        async with calling(mode, Answer(text="hi", usage=False)) as caller:
            assert (await caller.failure()).code == "completion_failed_permanently"

    async def test_a_reply_at_the_output_limit_says_so(self, mode: Mode) -> None:
        finish = "max_tokens" if mode == "anthropic" else "length"
        async with calling(mode, Answer(text="hi", calls=(Call(name="f"),), finish=finish)) as caller:
            found = await caller.call()
        assert calls_of(found) == []
        assert isinstance(found[-1], ReplyFinished)
        assert found[-1].reason == "length"

    async def test_one_connection_serves_one_call_after_another(self, mode: Mode) -> None:
        async with calling(mode, *[Answer(text="hi")] * 3) as caller:
            for _ in range(3):
                await caller.call()
            assert caller.server.connections == 1

    async def test_a_body_over_a_megabyte_goes_out_without_a_warning(self, mode: Mode) -> None:
        async with calling(mode, Answer(text="hi")) as caller:
            await caller.call(instructions="x" * 3_000_000)
            assert len(caller.server.bodies[0]) > 3_000_000


class TestAnthropicStream:
    async def test_thinking_is_a_block_with_its_signature_and_cached_tokens_count_as_read(self) -> None:
        def delta(index: int, **given: str) -> dict[str, object]:
            return {"type": "content_block_delta", "index": index, "delta": given}

        usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 1}
        stream = events(
            {"type": "message_start", "message": {"usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
            delta(0, type="thinking_delta", thinking="h"),
            delta(0, type="thinking_delta", thinking="m"),
            delta(0, type="signature_delta", signature="sig"),
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "xx"}},
            {"type": "content_block_stop", "index": 1},
            {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
            delta(2, type="text_delta", text="so"),
            {"type": "content_block_stop", "index": 2},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        )
        async with calling("anthropic", Stream(pieces=(stream,))) as caller:
            thinking, redacted, text, last = await caller.call()
        assert isinstance(thinking, ReasoningBlock)
        assert (thinking.text, thinking.data["signature"]) == ("hm", "sig")
        assert isinstance(redacted, ReasoningBlock)
        assert redacted.data == {"type": "redacted_thinking", "data": "xx"}
        assert text == TextChunk("so")
        assert isinstance(last, ReplyFinished)
        assert last.usage is not None
        assert (last.usage.input_tokens, last.usage.cached_input_tokens, last.usage.cache_write_tokens) == (100, 90, 5)
        assert last.usage.output_tokens == 9


class TestProxies:
    @pytest.mark.real_model_calls  # the address is on no machine, and the proxy is on this one
    async def test_the_proxy_of_the_environment_is_used_with_its_credentials(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with StrictProvider("mistral") as proxy:
            monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:pass@"))
            monkeypatch.delenv("no_proxy", raising=False)
            client = ModelClient()
            environ = {"MISTRAL_API_KEY": KEY, "MISTRAL_SERVER_URL": "http://models.invalid"}
            with pytest.raises(Exception, match="no such path"):
                [event async for event in provider("mistral", client, environ).stream(request())]
            await client.close()
        assert proxy.paths == ["http://models.invalid/v1/chat/completions"]
        assert "proxy-authorization" in proxy.headers[0]

    async def test_a_server_on_this_machine_is_reached_directly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.delenv("no_proxy", raising=False)
        async with calling("mistral", Answer(text="hi")) as caller:
            assert text_of(await caller.call()) == "hi"


class TestModelClient:
    async def test_nothing_is_opened_before_the_first_call(self) -> None:
        client = ModelClient()
        provider("mistral", client, {})
        await client.close()
        await client.close()

    async def test_a_closed_client_opens_again_for_a_later_call(self) -> None:
        async with calling("mistral", Answer(text="a"), Answer(text="b")) as caller:
            await caller.call()
            await caller.client.close()
            assert text_of(await caller.call()) == "b"

    def test_a_client_is_never_shared_with_another_running_loop(self) -> None:
        client = ModelClient()

        async def open_it(client: Client) -> None:
            client.session()

        with asyncio.Runner() as first, asyncio.Runner() as second:
            first.run(open_it(client))
            with pytest.raises(RuntimeError, match="another event loop"):
                second.run(open_it(client))
            first.run(client.close())
            second.run(open_it(client))
            second.run(client.close())

    async def test_the_library_can_be_loaded_in_a_thread(self) -> None:
        await asyncio.to_thread(ModelClient.preload)
