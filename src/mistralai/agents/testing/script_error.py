"""A model call that left what the test had set up: how it fails its turn, and how it fails the test too."""

from __future__ import annotations

from mistralai.agents.authoring.model import ModelError

UNTOLD: list[ScriptError] = []
"""The failures that no test has looked at yet. The pytest plugin fails the test that leaves one here."""


class ScriptError(ModelError, AssertionError):
    """A model call that the test had not foreseen. Its turn fails with it, and `assert_consumed` raises it."""

    def __init__(self, message: str, reason: str = "script") -> None:
        super().__init__(message, code="completion_failed_permanently", details={"reason": reason})
        UNTOLD.append(self)


class ReplayMissError(ScriptError):
    """A call that a recording does not hold."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "replay")


class RealModelCallError(ScriptError):
    """A call that would have left this machine, in a test that must not make any."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "real_model_call")


def tell(errors: list[ScriptError]) -> list[ScriptError]:
    """Note that a test looked at these failures."""
    UNTOLD[:] = [error for error in UNTOLD if all(error is not seen for seen in errors)]
    return list(errors)
