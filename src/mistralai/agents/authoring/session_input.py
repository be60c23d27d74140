"""The class of the values that a session is started with and that tools and hooks read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel

from mistralai.agents.authoring.depends import Depends
from mistralai.agents.authoring.session_inputs import SessionInputs

__all__ = ["Depends", "SessionInput", "SessionInputs"]


class SessionInput(BaseModel):
    """A value passed at the start of a session. Subclass it, set `input_id`, add fields. Public page: Session inputs.

    The session keeps it as JSON for as long as it exists, so it is no place for a credential, and a later version
    of the class must go on accepting what an earlier one accepted. A validator that rejects the value fails the tool
    or hook that reads it; the validator's message reaches the model, so keep the value out of it.
    """

    input_id: ClassVar[str]
    """The key of this input in `session_inputs=`, unique within an agent."""

    if not TYPE_CHECKING:

        def __init_subclass__(cls, *, input_id: str | None = None, **options: Any) -> None:
            super().__init_subclass__(**options)
            if input_id is not None:
                cls.input_id = input_id
