"""The demo's agent on its script, as `--demo` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mistralai.agents.handles.agent import Agent


def demo_agent() -> Agent[Any]:
    """Return it."""
    from fanal.demo import payment_reviewer
    from fanal.demo_model import DemoModel

    return payment_reviewer(DemoModel())
