"""Whether a provider can be asked at all, before anything is sent."""

from __future__ import annotations

import os


def check_provider(name: str) -> None:
    """Raise SdkError where a provider has no key, or no address."""
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.providers import provider

    provider(name, ModelClient(), os.environ).check()
