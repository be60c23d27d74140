"""Checks that a model call passes before it leaves the process. There are some in tests only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mistralai.agents.models.endpoint import Endpoint

OUTGOING_CHECKS: list[Callable[[Endpoint], None]] = []
"""Each is called with where a call goes, and raises ModelError to refuse it."""
