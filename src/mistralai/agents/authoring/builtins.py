"""Which of the runtime's own tools an agent offers its model."""

from __future__ import annotations

from typing import Any

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record


@record
class ProgrammaticToolCallingConfig:
    """How programs may behave. Public page: Programmatic tool calling."""

    sleep: bool = True
    """Whether a program may wait with `sleep`."""

    def __post_init__(self) -> None:
        _check_flag("ProgrammaticToolCallingConfig", "sleep", self.sleep)


@record
class Builtins:
    """The built-in tools of an agent. Public page: Built-in tools."""

    skills: bool = True
    """The tool that reads skills, where the agent has skills."""
    subagents: bool = True
    """The tools that start and direct subagents, where the agent has subagents."""
    programmatic_tool_calling: bool | ProgrammaticToolCallingConfig = True
    """The tool that runs a program which calls tools."""
    background_processes: bool | None = None
    """The tools for background processes; None offers them where the environment can run processes."""

    def __post_init__(self) -> None:
        _check_flag("Builtins", "skills", self.skills)
        _check_flag("Builtins", "subagents", self.subagents)
        if not isinstance(self.programmatic_tool_calling, ProgrammaticToolCallingConfig):
            _check_flag("Builtins", "programmatic_tool_calling", self.programmatic_tool_calling)
        if self.background_processes is not None:
            _check_flag("Builtins", "background_processes", self.background_processes)

    @classmethod
    def none(cls) -> Builtins:
        """No built-in tool at all."""
        return cls(skills=False, subagents=False, programmatic_tool_calling=False, background_processes=False)


def _check_flag(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise SdkError(f"{owner}: {name} is {value!r}. Pass True or False.")
