"""What is said at the end of a conversation: what the command still waits for, and how the session goes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.options import LOCAL
from mistralai.agents.cli.to_paste import to_paste
from mistralai.agents.core.stopping import GRACE_SECONDS

if TYPE_CHECKING:
    from typing import TextIO

    from mistralai.agents.cli.chat.conversation import Conversation
    from mistralai.agents.cli.chat.options import ChatOptions


def say_what_is_waited_for(conversation: Conversation) -> None:
    """Name the tools that run still: they get time to end, so that what came of them is known."""
    if conversation.unfinished and (tools := conversation.running_tools):
        names = ", ".join(map(one_row, dict.fromkeys(tools)))
        said = f"Waiting for {names} to finish, {GRACE_SECONDS:.0f} s at the most."
        print(said, file=_aside(conversation), flush=True)


def say_how_to_go_on(conversation: Conversation, options: ChatOptions) -> None:
    """Say where a saved session goes on, on stderr where its output is read by a program."""
    if not options.save or conversation.session is None:
        return
    if conversation.unfinished:
        what = "waits for your answer" if conversation.waits else "goes on when it is opened again"
        said = f"The turn {what}. Go on with: {line_to_go_on(conversation.session.id, options)}"
    elif conversation.is_over or (conversation.face.types_ahead and options.message is None):
        said = f"Saved. Go on with: {line_to_go_on(conversation.session.id, options)}"
    else:
        return
    print(said, file=_aside(conversation))


def line_to_go_on(session_id: str, options: ChatOptions) -> str:
    """The line that opens the session again, in the same place and with the same agent."""
    given = [
        *([options.name] if options.name is not None else []),
        *(["--demo"] if options.demo else []),
        *(["--agent", options.agent] if options.agent is not None else []),
        *(["--data-dir", options.data_dir] if options.data_dir is not None else []),
        *(["--model", LOCAL] if options.model == LOCAL else []),
    ]
    return to_paste("chat", *given, "--resume", session_id)


def _aside(conversation: Conversation) -> TextIO:
    """Where to say what is no part of the conversation."""
    return sys.stdout if conversation.face.types_ahead else sys.stderr
