"""The marker of a parameter that takes a session input. What it marks is read in signature.py."""

from __future__ import annotations


class Depends:
    """Marks a parameter as a session input: `repo: Annotated[Repo, agents.Depends()]`. The model never sees it.

    Public page: Session inputs.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Depends()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Depends)

    def __hash__(self) -> int:
        return hash(Depends)
