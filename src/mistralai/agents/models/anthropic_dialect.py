"""The provider `anthropic`: the messages API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mistralai.agents.models.anthropic_messages import AnthropicMessages
from mistralai.agents.models.anthropic_reply import AnthropicReply
from mistralai.agents.models.dialect import Body, body_of
from mistralai.agents.models.endpoint import Endpoint, EndpointSource, base_url, checked_key
from mistralai.agents.models.heads import Heads
from mistralai.agents.models.history import encoded_history
from mistralai.agents.models.output_format import output_instructions
from mistralai.agents.models.wire_text import encoded, sendable
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.authoring.model import JsonObject, ModelRequest

ANTHROPIC_URL = "https://api.anthropic.com"
THINKING_TOKENS = {"minimal": 1024, "low": 4096, "medium": 10000, "high": 20000, "max": 32000}
ADAPTIVE_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "max"}
VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


class AnthropicDialect:
    """Anthropic's API."""

    def __init__(self) -> None:
        self._heads = Heads()
        self._source = EndpointSource(("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), read_endpoint)

    def endpoint(self, environ: Mapping[str, str], /) -> Endpoint:
        """Where calls go. Raises SdkError if ANTHROPIC_API_KEY is missing."""
        return self._source.endpoint(environ)

    def body(self, request: ModelRequest, endpoint: Endpoint, /) -> Body:
        """The request's JSON: the head, then the messages."""
        history = encoded_history(request, "anthropic", AnthropicMessages)
        head, has_first = self._heads.of(request, history.leading, endpoint, _head)
        return body_of(head, history, b"]}", has_first=has_first)

    def reply(self) -> AnthropicReply:
        """A reader for a new reply."""
        return AnthropicReply()


def read_endpoint(environ: Mapping[str, str]) -> Endpoint:
    """Where calls go, from the environment."""
    key = checked_key(environ, "ANTHROPIC_API_KEY")
    if key is None:
        raise SdkError(
            "No API key for the provider 'anthropic': set ANTHROPIC_API_KEY. "
            "Or give the Agent provider='mistral' (MISTRAL_API_KEY), "
            "provider='openai' (OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own), or a model object."
        )
    url = base_url(environ, "ANTHROPIC_BASE_URL", ANTHROPIC_URL).removesuffix("/v1") + "/v1/messages"
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return Endpoint(provider="Anthropic", url=url, headers=headers, secret=key)


def _head(request: ModelRequest, leading: tuple[str, ...], endpoint: Endpoint) -> tuple[bytes, bool]:
    version = model_version(request.model)
    data: dict[str, Any] = {"model": request.model, "stream": True}
    data |= _bounds(request, version)
    texts = [part for part in (request.instructions, *leading) if part.strip()]
    if request.output is not None:
        texts.append(output_instructions(request.output))
    if texts:
        # The mark asks the API to keep what comes before it, the tools included.
        text = sendable("\n\n".join(texts))
        data["system"] = [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]
    if request.tools:
        data["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
            for tool in request.tools
        ]
        if request.tool_choice is not None:
            data["tool_choice"] = {"type": request.tool_choice}
    if endpoint.host == "api.anthropic.com":
        data["cache_control"] = {"type": "ephemeral"}  # the messages too; other servers may not know it
    data["messages"] = []
    return encoded(data)[:-2], False


def _bounds(request: ModelRequest, version: tuple[int, int]) -> JsonObject:
    """The output bound, which the API wants always, and how much of it may be thinking."""
    most = 32000 if version >= (4, 0) else 8192 if version >= (3, 5) else 4096
    limit = request.max_output_tokens or most
    effort = request.reasoning_effort
    if effort is None or effort == "off":
        return {"max_tokens": limit}
    if version >= (4, 6):
        return {
            "max_tokens": limit,
            "thinking": {"type": "adaptive"},
            "output_config": {"effort": ADAPTIVE_EFFORTS.get(effort, effort)},
        }
    budget = THINKING_TOKENS.get(effort, THINKING_TOKENS["medium"])
    return {"max_tokens": limit + budget, "thinking": {"type": "enabled", "budget_tokens": budget}}


def model_version(model: str) -> tuple[int, int]:
    """The version in a model's name; the newest rules for a name without one."""
    found = VERSION.search(model)
    return (int(found[1]), int(found[2] or 0)) if found else (99, 0)
