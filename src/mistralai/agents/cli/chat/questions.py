"""What a turn asks: approvals are put to the person, everything else is answered with why it cannot be had here."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.asked import SEE_ALL, describe, is_whole
from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.slash import is_exit
from mistralai.agents.cli.problem import one_line
from mistralai.agents.values.answers import AllowApproval, DenyApproval, SignInAnswer
from mistralai.agents.values.callbacks import OpenApproval, OpenClientToolCall, OpenSignIn
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.handles.turn import Turn
    from mistralai.agents.values.callbacks import OpenCallback
    from mistralai.agents.values.requests import ApprovalRequest

WHY = "Why not? The model reads it; Enter for no reason: "
CHOICES = "y once · a the same call all session · n no: "
NOBODY = "Nobody is at the terminal to approve this call."
NO_CLIENT_TOOL = (
    "This client tool is answered by the program that embeds the agent, and this conversation is held in a terminal "
    "without it. Go on without the tool."
)


class Questions:
    """Answers the callbacks of one session's turns, approvals one at a time."""

    def __init__(self, face: Face, *, keep_open: bool) -> None:
        self._face = face
        self._keep_open = keep_open
        """Whether a question that nobody answers stays open, for the session is saved; otherwise it is denied."""
        self._one_at_a_time = asyncio.Lock()
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._left: set[str] = set()
        self.left_open: asyncio.Event = asyncio.Event()
        """Set while a question is open that gets no answer from here: the input ended, or the answer was refused."""
        self.nobody_answers: bool = False
        """Whether the input ended with a question still open."""

    def opened(self, turn: Turn, callback: OpenCallback) -> None:
        """Begin to answer a callback."""
        if callback.id not in self._asking:
            self._asking[callback.id] = asyncio.create_task(self._answer(turn, callback))

    def closed(self, callback_id: str) -> None:
        """Take back the question of a callback that is no longer open."""
        if (task := self._asking.pop(callback_id, None)) is not None:
            task.cancel()
        self._left.discard(callback_id)
        if not self._left:
            self.left_open.clear()

    def leave(self) -> None:
        """Take back every question, without an answer."""
        for callback_id in list(self._asking):
            self.closed(callback_id)

    async def _answer(self, turn: Turn, callback: OpenCallback) -> None:
        try:
            await self._settle(turn, callback)
        except Exception as error:
            self._face.line("failed", one_line(error))
            self._leave_open(callback)

    def _leave_open(self, callback: OpenCallback) -> None:
        self._left.add(callback.id)
        self.left_open.set()

    async def _settle(self, turn: Turn, callback: OpenCallback) -> None:
        match callback:
            case OpenApproval(request=request):
                async with self._one_at_a_time:
                    answer = await self._approval(request)
                if answer is None:
                    self.nobody_answers = True
                    self._leave_open(callback)
                else:
                    await turn.answer(callback.id, answer)
            case OpenClientToolCall(call=call):
                self._face.line("note", f"  {one_row(call.name)} is a client tool: refused, the turn goes on")
                await turn.answer(callback.id, ToolResult[object](content=NO_CLIENT_TOOL, is_error=True))
            case OpenSignIn(requests=requests):
                names = ", ".join(one_row(request.name) for request in requests)
                self._face.line("note", f"  {names} asks to sign in, which a terminal cannot: denied")
                await turn.answer(callback.id, SignInAnswer(denied=[request.id for request in requests]))
            case _:
                self._face.line("note", f"  A question of kind {callback.kind!r} is left open: update fanal to answer")

    async def _approval(self, request: ApprovalRequest) -> AllowApproval | DenyApproval | None:
        question = partial(describe, request, datetime.now(UTC))
        self._face.line("question", question(self._face.room))
        while (said := await self._face.ask(CHOICES, about=question)) is not None:
            match said.strip().lower():
                case "y" | "yes":
                    return AllowApproval()
                case "a" | "always":
                    return AllowApproval(scope="session")
                case "n" | "no":
                    reason = (await self._face.ask(WHY, about=question) or "").strip()
                    if is_exit(reason):
                        self._face.end()
                        continue
                    return DenyApproval(message=reason) if reason else DenyApproval()
                case end if is_exit(end):
                    self._face.end()
                case typed if typed == SEE_ALL:
                    if is_whole(request, self._face.room):
                        self._face.line("note", "Nothing is cut.")
                        continue
                    self._face.line("question", question(self._face.room, whole=True))
                    self._face.line("question", question(self._face.room))
                case _:
                    self._face.line("note", "Answer y, a or n.")
        return None if self._keep_open else DenyApproval(message=NOBODY)
