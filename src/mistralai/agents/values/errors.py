"""What stable calls raise. Outcomes of a turn are records, not exceptions, and live elsewhere."""

from __future__ import annotations


class AgentsError(Exception):
    """Base of every error of this SDK."""


class SdkError(AgentsError, ValueError):
    """An argument or a definition is wrong. The message names it and says what would be right."""


class SessionNotFoundError(AgentsError):
    """No session has this ID where it was looked for."""


class TurnNotFoundError(AgentsError):
    """The session has no turn of this ID."""


class InvalidCursorError(AgentsError):
    """A cursor is not a position in this session's log."""


class ObservationLost(AgentsError):
    """Watching a session broke off and could not be taken up again. The session itself was not touched."""


class OutcomeUnknownError(AgentsError):
    """A command was sent and its answer was lost: it may have been applied. Read the session, then decide."""


class SessionStartupTimeoutError(AgentsError):
    """A session was accepted and did not become ready in time."""


class SessionBusyError(AgentsError):
    """A session takes no message now. Nothing was applied, so the same message may be sent again later."""


class SessionConfigMismatchError(AgentsError):
    """A saved session was started by an agent that differs from the one that opens it."""


class SessionInUseError(AgentsError):
    """Another process, or another runtime of this one, is writing this session."""


class JournalError(AgentsError):
    """A saved session's journal cannot be written or read. The message says what is intact and what to do."""


class JournalLostError(JournalError):
    """A journal takes nothing any more, however often it is asked. The session has to be opened again from it."""


class SessionTerminatedError(AgentsError):
    """The session has ended and takes no command."""


class SessionIdempotencyConflictError(AgentsError):
    """An idempotency key was used before, for something else."""


class UnsupportedSessionProcedureError(AgentsError):
    """This session does not take this command, such as a message to a subagent."""


class UnsupportedAgentFeatureError(AgentsError):
    """The agent asks for a feature that is not available where it runs. The message says what to use instead."""


class AuthenticationError(AgentsError):
    """A server refused the credentials."""


class ServerError(AgentsError):
    """A server failed to handle a request."""


class ToolError(Exception):
    """Raise it in a tool to fail the call: the model reads the message, unchanged."""

    def __init__(self, message: str) -> None:
        super().__init__(message)

    @property
    def message(self) -> str:
        """What the model reads."""
        return str(self.args[0])


class ExperimentalWarning(UserWarning):
    """Warns that a feature may change or go in any release. AGENTS_SDK_EXPERIMENTAL_WARNINGS=0 hides it."""


def _name_as_imported() -> None:
    """Let tracebacks name each error as users import it. Those of journals are not at the front door."""
    for value in globals().values():
        if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, JournalError):
            value.__module__ = "mistralai.agents"


_name_as_imported()
