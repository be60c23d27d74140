"""The providers `mistral` and `openai`: chat completions, and what the two name differently."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from mistralai.agents.models.chat_messages import MistralMessages, OpenAIMessages
from mistralai.agents.models.chat_reply import ChatReply
from mistralai.agents.models.dialect import Body, body_of
from mistralai.agents.models.endpoint import Endpoint, EndpointSource, base_url, checked_key
from mistralai.agents.models.heads import Heads
from mistralai.agents.models.history import encoded_history
from mistralai.agents.models.output_format import output_instructions, response_format
from mistralai.agents.models.wire_text import encoded, sendable
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mistralai.agents.authoring.model import JsonObject, ModelRequest

MISTRAL_URL = "https://api.mistral.ai"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_HOST = "api.openai.com"
MISTRAL_EFFORTS = {"off": "none", "minimal": "none", "low": "none", "medium": "high", "high": "high", "max": "high"}
OPENAI_EFFORTS = {"off": "none", "max": "xhigh"}


class ChatDialect(ABC):
    """Chat completions as both providers have them."""

    slot: str
    """Where the encoded messages are kept in a session's slot."""
    messages: type[OpenAIMessages]
    variables: tuple[str, ...]

    def __init__(self) -> None:
        self._heads = Heads()
        self._source = EndpointSource(self.variables, self.read_endpoint)

    def endpoint(self, environ: Mapping[str, str], /) -> Endpoint:
        """Where calls go. Raises SdkError if the key is missing."""
        return self._source.endpoint(environ)

    def body(self, request: ModelRequest, endpoint: Endpoint, /) -> Body:
        """The request's JSON: the head, then the messages."""
        history = encoded_history(request, self.slot, self.messages)
        head, has_first = self._heads.of(request, history.leading, endpoint, self._head)
        return body_of(head, history, b"]}", has_first=has_first)

    def reply(self) -> ChatReply:
        """A reader for a new reply."""
        return ChatReply()

    @abstractmethod
    def read_endpoint(self, environ: Mapping[str, str]) -> Endpoint:
        """Where calls go, from the environment."""

    @abstractmethod
    def options(self, request: ModelRequest, endpoint: Endpoint) -> JsonObject:
        """What the provider names in its own way."""

    def _head(self, request: ModelRequest, leading: tuple[str, ...], endpoint: Endpoint) -> tuple[bytes, bool]:
        data: dict[str, Any] = {"model": request.model, "stream": True, "stream_options": {"include_usage": True}}
        if request.temperature is not None:
            data["temperature"] = request.temperature
        data |= self.options(request, endpoint)
        if request.tools:
            data["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.input_schema,
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice is not None:
                data["tool_choice"] = request.tool_choice
        texts = [request.instructions, *leading]
        if request.output is not None:
            if endpoint.host == OPENAI_HOST and request.output.schema.get("type", "object") != "object":
                texts.append(output_instructions(request.output))  # it constrains to objects only
            else:
                data["response_format"] = response_format(request.output)
        text = "\n\n".join(filter(None, texts))
        first = [{"role": "system", "content": sendable(text)}] if text else []
        data["messages"] = first
        return encoded(data)[:-2], bool(first)


class MistralDialect(ChatDialect):
    """Mistral's API."""

    slot = "mistral"
    messages: type[OpenAIMessages] = MistralMessages
    variables: tuple[str, ...] = ("MISTRAL_API_KEY", "MISTRAL_SERVER_URL")

    def read_endpoint(self, environ: Mapping[str, str]) -> Endpoint:
        """Where calls go. Raises SdkError if MISTRAL_API_KEY is missing."""
        key = checked_key(environ, "MISTRAL_API_KEY")
        if key is None:
            raise SdkError(
                "No API key for the provider 'mistral': set MISTRAL_API_KEY. "
                "Or give the Agent provider='openai' (OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own), "
                "provider='anthropic' (ANTHROPIC_API_KEY), or a model object."
            )
        url = base_url(environ, "MISTRAL_SERVER_URL", MISTRAL_URL).removesuffix("/v1") + "/v1/chat/completions"
        return Endpoint(provider="Mistral", url=url, headers={"Authorization": f"Bearer {key}"}, secret=key)

    def options(self, request: ModelRequest, endpoint: Endpoint) -> JsonObject:
        """Mistral's names."""
        options: JsonObject = {}
        if request.max_output_tokens is not None:
            options["max_tokens"] = request.max_output_tokens
        if request.reasoning_effort is not None:
            options["reasoning_effort"] = MISTRAL_EFFORTS.get(request.reasoning_effort, request.reasoning_effort)
        return options


class OpenAIDialect(ChatDialect):
    """OpenAI's API, and servers that follow it."""

    slot = "openai"
    messages: type[OpenAIMessages] = OpenAIMessages
    variables: tuple[str, ...] = ("OPENAI_API_KEY", "OPENAI_BASE_URL")

    def read_endpoint(self, environ: Mapping[str, str]) -> Endpoint:
        """Where calls go. Raises SdkError if OPENAI_API_KEY is missing and the address is OpenAI's own."""
        url = base_url(environ, "OPENAI_BASE_URL", OPENAI_URL) + "/chat/completions"
        key = checked_key(environ, "OPENAI_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        endpoint = Endpoint(provider="The OpenAI-compatible server", url=url, headers=headers, secret=key)
        if key is None and endpoint.host == OPENAI_HOST:
            raise SdkError(
                "No API key for the provider 'openai': set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own "
                "that needs none. Or give the Agent provider='mistral' (MISTRAL_API_KEY), "
                "provider='anthropic' (ANTHROPIC_API_KEY), or a model object."
            )
        return endpoint

    def options(self, request: ModelRequest, endpoint: Endpoint) -> JsonObject:
        """OpenAI's names."""
        options: JsonObject = {}
        if request.max_output_tokens is not None:
            own = endpoint.host == OPENAI_HOST  # other servers know the older name only
            options["max_completion_tokens" if own else "max_tokens"] = request.max_output_tokens
        if request.reasoning_effort is not None:
            options["reasoning_effort"] = OPENAI_EFFORTS.get(request.reasoning_effort, request.reasoning_effort)
        return options
