"""The context windows of models by the beginning of their names, for models whose makers publish one."""

from __future__ import annotations

from typing import Final

_WINDOWS: Final = {
    "claude-": 200_000,
    "codestral-": 256_000,
    "devstral-": 131_072,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 400_000,
    "magistral-": 131_072,
    "ministral-": 131_072,
    "mistral-large-": 131_072,
    "mistral-medium-": 131_072,
    "mistral-small-": 131_072,
    "o3": 200_000,
    "o4-": 200_000,
    "pixtral-": 131_072,
}


def known_window(model: str) -> int | None:
    """Return a model's window in tokens; None where it is not known: then only the provider's refusal compacts."""
    return next((tokens for beginning, tokens in _WINDOWS.items() if model.startswith(beginning)), None)
