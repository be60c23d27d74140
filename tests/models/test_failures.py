"""What a failed call is called: code, retryable and details for every way a provider says no."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from mistralai.agents.authoring.model import ModelError
from mistralai.agents.models.failures import connection_failed
from mistralai.agents.testing.strict_provider import KEY
from mistralai.agents.testing.strict_replies import Answer, Refusal, Stream, events
from tests.models.calling import calling, text_of

MISTRAL_LIMIT = {"object": "error", "message": "Requests rate limit exceeded", "type": "rate_limited", "code": "1300"}
NO_RETRY = {"AGENTS_SDK_MODEL_RETRY_SECONDS": "0"}


class TestCodes:
    @pytest.mark.parametrize(
        ("status", "body", "code", "retryable"),
        [
            (400, {"message": "bad"}, "completion_rejected", False),
            (404, {"message": "no such model"}, "completion_rejected", False),
            (422, {"detail": [{"loc": ["body", "x"], "msg": "extra"}]}, "completion_rejected", False),
            (401, {"detail": "Unauthorized"}, "completion_unauthorized", False),
            (403, {}, "completion_unauthorized", False),
            (402, {"message": "pay"}, "completion_billing_denied", False),
            (429, {"error": {"type": "insufficient_quota", "message": "quota"}}, "completion_billing_denied", False),
            (408, {}, "completion_timed_out", True),
            (409, {"message": "no capacity"}, "completion_unavailable", True),
            (429, MISTRAL_LIMIT, "completion_rate_limited", True),
            (429, {"error": {"code": "rate_limit_exceeded", "type": "tokens"}}, "completion_rate_limited", True),
            (429, {"message": "full", "type": "service_tier_capacity_exceeded"}, "completion_unavailable", True),
            (429, b"", "completion_unavailable", True),
            (500, {"message": "oops"}, "completion_unavailable", True),
            (501, {}, "completion_unavailable", False),
            (502, b"<html>nginx</html>", "completion_unavailable", True),
            (503, {}, "completion_unavailable", True),
            (504, {}, "completion_unavailable", True),
            (529, {"type": "error", "error": {"type": "overloaded_error"}}, "completion_unavailable", True),
        ],
    )
    async def test_a_status_has_its_code(self, status: int, body: Any, code: str, retryable: bool) -> None:
        async with calling("mistral", Refusal(status=status, body=body), environ=NO_RETRY) as caller:
            failure = await caller.failure()
        assert (failure.code, failure.retryable) == (code, retryable)
        assert failure.details is not None
        assert failure.details["status_code"] == status

    @pytest.mark.parametrize(
        ("status", "body"),
        [
            (400, {"message": "Prompt contains 140000 tokens, too large for model with 131072 maximum context length"}),
            (400, {"error": {"code": "context_length_exceeded", "message": "too many"}}),
            (400, {"error": {"message": "Your input exceeds the context window of this model."}}),
            (
                400,
                {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}},
            ),
            (
                413,
                {
                    "type": "error",
                    "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"},
                },
            ),
            (
                400,
                {
                    "error": {
                        "code": 400,
                        "type": "exceed_context_size_error",
                        "message": "the request exceeds the available context size, try increasing it",
                    }
                },
            ),
            (400, {"object": "error", "code": 400, "message": "This model's maximum context length is 4096 tokens."}),
            (400, {"error": {"message": "The prompt (length 5000) is longer than the maximum model length of 4096."}}),
        ],
        ids=["mistral", "openai", "openai text", "anthropic", "anthropic bytes", "llama.cpp", "vllm", "newer vllm"],
    )
    async def test_a_context_that_is_too_large_is_recognised(self, status: int, body: Any) -> None:
        async with calling("openai", Refusal(status=status, body=body)) as caller:
            failure = await caller.failure()
        assert (failure.code, failure.retryable) == ("completion_context_too_large", False)


class TestDetails:
    async def test_they_hold_status_reason_message_and_request_id(self) -> None:
        body = {"object": "error", "message": "Invalid model: m", "type": "invalid_model", "code": "1500"}
        async with calling("mistral", Refusal(status=400, body=body, headers={"x-request-id": "req-7"})) as caller:
            failure = await caller.failure()
        assert failure.details == {
            "status_code": 400,
            "reason": "invalid_model",
            "provider_code": "1500",
            "provider_message": "Invalid model: m",
            "request_id": "req-7",
        }
        assert failure.message == "Mistral answered HTTP 400: Invalid model: m. Correct the request."

    async def test_the_id_within_the_body_counts_too(self) -> None:
        body = {"type": "error", "error": {"type": "not_found_error", "message": "model: m"}, "request_id": "req_9"}
        async with calling("anthropic", Refusal(status=404, body=body)) as caller:
            failure = await caller.failure()
        assert failure.details is not None
        assert (failure.details["reason"], failure.details["request_id"]) == ("not_found_error", "req_9")

    async def test_problems_of_a_validation_are_listed(self) -> None:
        body = {
            "message": {"detail": [{"loc": ["body", "tools", 0], "msg": "too long"}]},
            "type": "invalid_request_error",
        }
        async with calling("mistral", Refusal(status=422, body=body)) as caller:
            failure = await caller.failure()
        assert "body.tools.0: too long" in failure.message

    async def test_html_and_endless_bodies_stay_out_of_the_message(self) -> None:
        script = (Refusal(status=404, body=b"<!DOCTYPE html><p>x"), Refusal(status=404, body=b"x" * 300_000))
        async with calling("openai", *script) as caller:
            assert "DOCTYPE" not in (await caller.failure()).message
            assert len((await caller.failure()).message) < 3000

    async def test_the_key_is_never_repeated(self) -> None:
        async with calling(
            "openai", Refusal(status=401, body={"error": {"message": f"Incorrect key: {KEY}"}})
        ) as caller:
            failure = await caller.failure()
        assert KEY not in f"{failure.message} {failure.details} {failure!r}"
        assert "***" in failure.message

    async def test_a_redirect_is_not_followed_with_the_key(self) -> None:
        async with calling("openai", Refusal(status=307, headers={"location": "http://127.0.0.1:9/"})) as caller:
            assert (await caller.failure()).code == "completion_failed_permanently"


class TestConnections:
    @pytest.mark.parametrize("kind", [ssl.SSLCertVerificationError, type("ClientConnectorSSLError", (OSError,), {})])
    def test_a_certificate_that_is_not_trusted_fails_for_good(self, kind: type[Exception]) -> None:
        failure = connection_failed("example.com", kind())
        assert (failure.code, failure.retryable) == ("completion_failed_permanently", False)

    def test_a_lost_connection_may_be_tried_again(self) -> None:
        failure = connection_failed("example.com", ConnectionResetError(104, "Connection reset by peer"))
        assert (failure.code, failure.retryable) == ("completion_failed", True)
        assert "ConnectionResetError: Connection reset by peer" in failure.message


class TestErrorsWithinAStream:
    async def test_an_overloaded_anthropic_is_unavailable_and_tried_again(self) -> None:
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        async with calling("anthropic", Stream(pieces=(events(error),)), Answer(text="hi")) as caller:
            assert text_of(await caller.call()) == "hi"
            assert len(caller.clock.waits) == 1

    async def test_a_json_error_with_status_200_is_told(self) -> None:
        stream = Stream(
            pieces=(b'{"error": {"message": "no such model", "code": 404}}',), content_type="application/json"
        )
        async with calling("openai", stream) as caller:
            failure = await caller.failure()
        assert (failure.code, "no such model" in failure.message) == ("completion_rejected", True)

    async def test_a_failure_is_an_exception_like_any_other(self) -> None:
        async with calling("openai", Refusal(status=400)) as caller:
            with pytest.raises(ModelError):
                await caller.call()
