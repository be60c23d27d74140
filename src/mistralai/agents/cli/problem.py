"""`Problem`: what keeps a command from doing its work, in one sentence that says what to do."""

from __future__ import annotations


class Problem(Exception):
    """Shown as one line; the command ends with `exit_code`."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        """1 for what failed, 2 for arguments that do not fit."""


def one_line(error: BaseException) -> str:
    """Return what an error says, with its kind where it is not one of ours, on one line."""
    from mistralai.agents.values.errors import AgentsError

    said = " ".join(str(error).split())
    if isinstance(error, Problem | AgentsError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
