"""The providers by name. Making one reads and opens nothing: a missing key shows at the first call that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.models.anthropic_dialect import AnthropicDialect
from mistralai.agents.models.chat_dialect import MistralDialect, OpenAIDialect
from mistralai.agents.models.http_model import HttpModel
from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.dialect import Dialect
    from mistralai.agents.models.retry import RetryClock

PROVIDERS: dict[str, Callable[[], Dialect]] = {
    "mistral": MistralDialect,
    "openai": OpenAIDialect,
    "anthropic": AnthropicDialect,
}
"""Providers by the name an Agent gives them."""


def provider(
    name: str, client: ModelClient, environ: Mapping[str, str], *, clock: RetryClock | None = None
) -> HttpModel:
    """The provider as a model. Raises SdkError for an unknown name."""
    dialect = PROVIDERS.get(name)
    if dialect is None:
        raise SdkError(f"Unknown provider {name!r}. Use one of {', '.join(map(repr, PROVIDERS))}.")
    return HttpModel(dialect(), client, environ, clock=clock)
