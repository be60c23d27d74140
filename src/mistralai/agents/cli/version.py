"""The version that is installed."""

from __future__ import annotations


def version() -> str:
    """Return it."""
    from importlib import metadata

    return metadata.version("fanal")
