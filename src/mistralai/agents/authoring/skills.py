"""Skills, as an agent's definition names them. Reading them is on a higher floor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.values.errors import SdkError, UnsupportedAgentFeatureError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike


@record
class LocalSkillBundle:
    """A directory with a SKILL.md. Make one with `from_directory`. Public page: Skills."""

    directory: Path
    """The skill's directory."""

    @classmethod
    def from_directory(cls, path: str | PathLike[str]) -> LocalSkillBundle:
        """Name a skill by its directory. Raises SdkError if it has no SKILL.md."""
        directory = Path(path)
        if not (directory / "SKILL.md").is_file():
            raise SdkError(f"LocalSkillBundle: {directory} has no SKILL.md. Pass the directory that holds it.")
        return cls(directory=directory)


@record
class SandboxWorkspaceSkills:
    """The skills found in the workspace of the agent's environment. Public page: Skills."""

    root: str | None = None
    """The directory to look in; None for the workspace itself."""
    dirs: Sequence[str] = (".agents/skills", ".vibe/skills")
    """The directories under it that hold skills."""


class RegistrySkill:
    """A skill of the vendor's registry, which this implementation does not have: making one raises."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, name: str, **options: Any) -> None: ...

    else:

        def __new__(cls, *args: Any, **options: Any) -> RegistrySkill:
            raise UnsupportedAgentFeatureError(f"RegistrySkill: {_NO_REGISTRY}")


def all_registry_skills(**options: Any) -> Sequence[RegistrySkill]:
    """Every skill of the vendor's registry, which this implementation does not have: raises."""
    raise UnsupportedAgentFeatureError(f"all_registry_skills: {_NO_REGISTRY}")


_NO_REGISTRY = "there is no skill registry here. Keep the skill in a directory and use LocalSkillBundle.from_directory."
