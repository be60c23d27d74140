"""The options of `agents chat`."""

from __future__ import annotations

from dataclasses import dataclass

LOCAL = "local"
"""What `--model` calls the toy on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """The options of `agents chat`."""

    name: str | None = None
    """Which of the project's agents; None for the one called `agent`."""
    message: str | None = None
    """The one message to send; None to converse."""
    resume: str | None = None
    model: str | None = None
    demo: bool = False
    agent: str | None = None
    """Where the agent is; None for the current directory."""
    data_dir: str | None = None
    save: bool = True
    as_json: bool = False
    """Print the record of the message's turn, and nothing else."""
