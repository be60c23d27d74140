"""Names of secrets that a deployment holds. No secret's value is ever here."""

from __future__ import annotations

from typing import Any

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record


@record
class MistralSecret:
    """A secret of a deployment, by name. Make one with `MistralSecret.workspace("name")`. Public page: Secrets."""

    name: str
    """The secret's name in its scope."""
    scope: str = "workspace"
    """Where the secret is kept."""

    def __post_init__(self) -> None:
        name: Any = self.name
        if not isinstance(name, str) or not name:
            raise SdkError(f"MistralSecret: name is {self.name!r}. Pass the secret's name.")

    @classmethod
    def workspace(cls, name: str) -> MistralSecret:
        """The secret of this name in the deployment's workspace."""
        return cls(name=name)
