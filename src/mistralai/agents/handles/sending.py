"""Sending an encoded answer to a callback that was open when it was read, and saying which answer counted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mistralai.agents.core.commands import Answer, NeverOpened, Settled, Unsuitable
from mistralai.agents.core.json_copy import copied
from mistralai.agents.values.answers import AllowApproval, Answered, DenyApproval, NotFound
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.ids import uuid7
from mistralai.agents.values.wire import from_json

if TYPE_CHECKING:
    from mistralai.agents.core.place import Place


async def send(place: Place, session_id: str, callback_id: str, answer: dict[str, Any]) -> Answered | NotFound:
    """Send an answer. Raises SdkError, with nothing used up, where it is of another kind than its callback."""
    # Reading and appending are two steps in every place: another answer may come first between them.
    await asyncio.sleep(0)
    outcome = await place.command(session_id, Answer(callback_id=callback_id, answer=answer, entry_id=uuid7()))
    match outcome:
        case NeverOpened():
            return NotFound(session_id=session_id, callback_id=callback_id)
        case Unsuitable(kind=kind):
            raise SdkError(f"Callback {callback_id} is of kind {kind!r} and cannot be answered with {answer!r:.200}.")
        case Settled(answer=winner):
            return Answered(session_id=session_id, callback_id=callback_id, answer=_approval(winner))
        case _:
            return Answered(session_id=session_id, callback_id=callback_id, answer=_approval(answer))


def _approval(answer: dict[str, Any] | None) -> AllowApproval | DenyApproval | None:
    if answer is None:
        return None
    match answer:
        case {"type": "allow"}:
            return from_json(AllowApproval, copied(answer))  # whoever reads it cannot change what runs
        case {"type": "deny"}:
            return from_json(DenyApproval, answer)
        case _:
            return None
