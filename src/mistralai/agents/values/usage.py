"""Tokens: what a model call used, and the bounds an agent sets to a turn."""

from __future__ import annotations

from .errors import SdkError
from .record import record


@record
class TokenUsage:
    """Tokens one model call used, as its provider counts them. Public page: Turn records."""

    input_tokens: int
    """Tokens the model read, cached ones included."""
    output_tokens: int
    """Tokens the model wrote, reasoning included."""
    total_tokens: int
    """`input_tokens` plus `output_tokens`."""
    cached_input_tokens: int = 0
    """How many of `input_tokens` came from the provider's cache."""
    cache_write_tokens: int = 0
    """Input tokens the provider put into its cache."""
    reasoning_tokens: int = 0
    """Output tokens spent on reasoning."""

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """Return the usage of both calls together."""
        return TokenUsage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            total_tokens=self.total_tokens + other.total_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )


@record
class UsageLimits:
    """The most that one turn may use. A turn at a limit completes early, with `stop_reason="usage_limit"`."""

    model_calls: int | None = None
    """Model calls; None for no bound."""
    tool_calls: int | None = None
    """Tool calls; None for no bound."""
    input_tokens: int | None = None
    """Tokens read, over all model calls of the turn; None for no bound."""
    output_tokens: int | None = None
    """Tokens written; None for no bound."""
    total_tokens: int | None = None
    """Tokens read and written; None for no bound."""

    def __post_init__(self) -> None:
        for name in ("model_calls", "tool_calls", "input_tokens", "output_tokens", "total_tokens"):
            limit: object = getattr(self, name)
            if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
                raise SdkError(f"UsageLimits: {name} is {limit!r}. Pass a whole number from 0, or None for no bound.")
