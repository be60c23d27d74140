"""What went wrong with a model call, as a ModelError with the code, retryable and details of page Turn records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.model import ModelError
from mistralai.agents.models.provider_words import ProviderWords, provider_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.authoring.model import JsonObject

PASSING_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
RATE_LIMIT_REASONS = frozenset({"rate_limited", "rate_limit_exceeded", "rate_limit_error"})
BILLING_REASONS = frozenset({"insufficient_quota", "billing_error", "billing_not_active", "billing_hard_limit_reached"})
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "mistral-correlation-id", "cf-ray")


class CallFailure(ModelError):
    """A failed call, with what the retry needs to know."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retryable: bool = False,
        details: JsonObject | None = None,
        again: bool | None = None,
        retry_after: str | None = None,
        stale: bool = False,
    ) -> None:
        super().__init__(message, code=code, retryable=retryable, details=details)
        self.again: bool = retryable if again is None else again
        """True if this call may try again by itself; a wait that ran out is left to the caller."""
        self.retry_after: str | None = retry_after
        """The Retry-After header; None if there was none."""
        self.stale: bool = stale
        """True if a kept connection had been closed by the server meanwhile: the next one needs no wait."""


def status_failure(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> CallFailure:
    """The failure that an HTTP answer other than 200 tells."""
    words = provider_words(body)
    request_id = next((headers[name] for name in REQUEST_ID_HEADERS if name in headers), None) or words.request_id
    return failure_of(provider, status, words, request_id=request_id, retry_after=headers.get("retry-after"))


def failure_of(
    provider: str, status: int, words: ProviderWords, *, request_id: str | None = None, retry_after: str | None = None
) -> CallFailure:
    """The failure of a status and the provider's own words."""
    code, retryable = _code_of(status, words)
    details: JsonObject = {"status_code": status}
    for name, value in (
        ("reason", words.reason),
        ("provider_code", words.code),
        ("provider_message", words.message),
        ("request_id", request_id),
    ):
        if value:
            details[name] = value
    said = f": {words.message}" if words.message else ""
    message = f"{provider} answered HTTP {status}{said}{_advice(code, words.message)}"
    return CallFailure(message, code=code, retryable=retryable, details=details, retry_after=retry_after)


def _code_of(status: int, words: ProviderWords) -> tuple[str, bool]:
    names = words.names
    if status == 402 or names & BILLING_REASONS or words.tells_no_credit:
        return "completion_billing_denied", False
    if status in (400, 413, 422, 500) and words.tells_context_too_large:
        return "completion_context_too_large", False
    if status in (401, 403):
        return "completion_unauthorized", False
    if status == 408:
        return "completion_timed_out", True
    if status == 429 and names & RATE_LIMIT_REASONS:
        return "completion_rate_limited", True
    if status in (409, 429) or status >= 500:
        return "completion_unavailable", status in PASSING_STATUSES
    if 400 <= status < 500:
        return "completion_rejected", False
    return "completion_failed_permanently", False


def _advice(code: str, said: str) -> str:
    stop = "" if said.endswith((".", "!", "?")) else "."
    match code:
        case "completion_unauthorized":
            return f"{stop} Check the API key."
        case "completion_rejected":
            return f"{stop} Correct the request."
        case "completion_billing_denied":
            return f"{stop} Check the account's budget."
        case _:
            return stop


def in_stream_failure(error: Any) -> CallFailure:
    """The failure told inside a stream that began well: by its status if it names one, else without."""
    words = provider_words(msgspec.json.encode({"error": error}) if error is not None else b"")
    if words.status is not None:
        return failure_of("The model's server", words.status, words, request_id=words.request_id)
    details = {name: value for name, value in (("reason", words.reason), ("provider_message", words.message)) if value}
    if words.tells_context_too_large:
        return CallFailure(
            f"The request is too large: {words.message}", code="completion_context_too_large", details=details
        )
    said = f": {words.message}" if words.message else "."
    return CallFailure(
        f"The model's server reported an error within its reply{said}",
        code="completion_failed",
        retryable=True,
        details=details or None,
    )


def cut_off(*, empty: bool) -> CallFailure:
    """The stream ended without an end of the reply."""
    what = "an empty reply" if empty else "a reply that was cut off: it has no finish reason"
    return CallFailure(
        f"The model's server sent {what}. Try again.",
        code="completion_failed",
        retryable=True,
        details={"reason": "empty_reply" if empty else "cut_off"},
    )


def unreadable(*, whole: bool) -> CallFailure:
    """A chunk is no JSON; `whole` where it is all of the body, as of a page for people, which would come again."""
    return CallFailure(
        "The model's server sent a chunk that is no JSON. Check that the base URL is that of a model server.",
        code="completion_failed",
        retryable=True,
        details={"reason": "unreadable_chunk"},
        again=not whole,
    )


def no_usage(wanted: str = "stream_options.include_usage") -> CallFailure:
    """The reply is whole, but its tokens are unknown."""
    return CallFailure(
        f"The model's server reported no token usage for its reply. Use a server that supports {wanted}.",
        code="completion_failed_permanently",
        details={"reason": "usage_missing"},
    )


def connection_failed(where: str, error: Exception) -> CallFailure:
    """No connection, or it broke. Only the error's kind is told: its text may hold what it was sent to."""
    if any("SSL" in kind.__name__ or "Certificate" in kind.__name__ for kind in type(error).__mro__):
        return CallFailure(
            f"No secure connection to {where} ({type(error).__name__}). Check its certificate and the base URL.",
            code="completion_failed_permanently",
            details={"reason": "insecure_connection"},
        )
    why = getattr(error, "strerror", None)
    said = f"{type(error).__name__}: {why}" if isinstance(why, str) and why else type(error).__name__
    return CallFailure(
        f"The connection to {where} failed ({said}). Check that the server runs and can be reached.",
        code="completion_failed",
        retryable=True,
        details={"reason": "connection_failed"},
        stale=type(error).__name__ == "ServerDisconnectedError",
    )


def timed_out(reason: str, seconds: float) -> CallFailure:
    """A wait ran out: `"first_output_timeout"`, `"idle_timeout"` or `"call_timeout"`."""
    what = {
        "first_output_timeout": f"gave no output within {seconds:g} s",
        "idle_timeout": f"stopped producing output for {seconds:g} s",
        "call_timeout": f"took longer than {seconds:g} s, the limit of one call",
    }[reason]
    return CallFailure(
        f"The model {what}.",
        code="completion_timed_out",
        retryable=reason != "call_timeout",
        details={"reason": reason},
        again=False,
    )
