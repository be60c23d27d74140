"""Why a call of a tool cannot start, or its result cannot be used. Core turns each into what the model reads."""

from __future__ import annotations


class InvalidArguments(Exception):
    """The arguments do not fit the tool's parameters. The message has one line a problem."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
        """One sentence a problem, each beginning with where it is: `case.amount: ...`."""

    def __reduce__(self) -> tuple[type[InvalidArguments], tuple[list[str]]]:
        return InvalidArguments, (self.problems,)


class InputUnavailable(Exception):
    """A session input that a tool or hook takes was not given, or its class rejects the value kept by the session."""


class OutputMismatch(Exception):
    """What a tool returned does not fit its output schema or return type. The message has one line a problem."""
