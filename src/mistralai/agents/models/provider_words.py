"""What a provider says about a failure, read from the many shapes of its body. Never HTML, and never long."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from mistralai.agents.models.plain_json import is_array, is_object

LONGEST_MESSAGE = 2000
CONTEXT_REASONS = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
CONTEXT_TEXTS = re.compile(
    r"maximum context length"  # OpenAI, vLLM
    r"|context (window|length|size)[^.]{0,60}(exceed|too (small|large)|limit)"
    r"|exceed\w*[^.]{0,60}(context|maximum (input|prompt))"  # llama.cpp: exceeds the available context size
    r"|prompt is too long"  # Anthropic
    r"|longer than the maximum model length"  # vLLM
    r"|context (the )?overflows"  # LM Studio
    r"|input (length|is too long)[^.]{0,60}(context|exceed|too long)"
    r"|too large for model with \d+ maximum context"  # Mistral: Prompt contains N tokens ...
    r"|prompt contains \d+ tokens"
    r"|(input|prompt|request)[^.]{0,40} (is )?too (long|large) for",
    re.IGNORECASE,
)
NO_CREDIT = re.compile(
    r"credit balance is too low|exceeded your current quota|insufficient (funds|credits)", re.IGNORECASE
)
STATUS_OF_REASON = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limited": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderWords:
    """A failure in the provider's own words."""

    message: str = ""
    """What it says; `""` if nothing that a person can read."""
    reason: str | None = None
    """Its name of the failure, such as `"rate_limited"`; None if it has none."""
    code: str | None = None
    """A second, finer name or number; None if it has none."""
    request_id: str | None = None
    status: int | None = None
    """An HTTP status told in the words; None if there is none."""

    @property
    def names(self) -> frozenset[str]:
        """Reason and code."""
        return frozenset(name for name in (self.reason, self.code) if name)

    @property
    def tells_context_too_large(self) -> bool:
        """True if the request was refused for its length."""
        return bool(self.names & CONTEXT_REASONS) or CONTEXT_TEXTS.search(self.message) is not None

    @property
    def tells_no_credit(self) -> bool:
        """True if the account has no budget left."""
        return NO_CREDIT.search(self.message) is not None


def provider_words(body: bytes) -> ProviderWords:
    """The words in a body: JSON of any known shape, or plain text."""
    try:
        data: Any = msgspec.json.decode(body.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        text = body.decode("utf-8", "replace").strip()
        return ProviderWords() if text.startswith("<") else ProviderWords(message=_short(text))
    if is_array(data) and data:
        data = data[0]
    if not is_object(data):
        return ProviderWords(message=_short(data) if isinstance(data, str) else "")
    error = data.get("error")
    inner = error if is_object(error) else data
    message = error if isinstance(error, str) else inner.get("message") or inner.get("detail") or inner.get("msg")
    code, reason = inner.get("code"), inner.get("type")
    if reason == "error":
        reason = None
    reason_text = reason if isinstance(reason, str) and reason else None
    return ProviderWords(
        message=_short(_said(message)),
        reason=reason_text or (code if isinstance(code, str) and code else None),
        code=str(code) if isinstance(code, str | int) and not isinstance(code, bool) and code != reason_text else None,
        request_id=_id(data.get("request_id") or inner.get("request_id")),
        status=_status(inner, code, reason_text),
    )


def _status(inner: dict[str, Any], code: Any, reason: str | None) -> int | None:
    for value in (inner.get("status_code"), inner.get("status"), code):
        number = int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() else value
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return number
    return STATUS_OF_REASON.get(reason or "")


def _said(message: Any) -> str:
    if isinstance(message, str):
        return message
    if is_object(message):
        return _said(message.get("detail") or message.get("message"))
    return "; ".join(filter(None, map(_problem, message[:5]))) if is_array(message) else ""


def _problem(item: Any) -> str:
    """One of the problems that a validation found."""
    if not is_object(item):
        return item if isinstance(item, str) else ""
    said, place = _said(item.get("msg") or item.get("message")), item.get("loc")
    return f"{'.'.join(map(str, place))}: {said}" if is_array(place) and said else said


def _id(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) and value else None


def _short(text: str) -> str:
    text = text.strip()
    if text[:200].lstrip().lower().startswith(("<!doctype", "<html")):
        return ""
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "…"
