"""Ready patterns: hooks that many agents need."""

from __future__ import annotations

from mistralai.agents.pattern import hook as hook

__all__ = ["hook"]
