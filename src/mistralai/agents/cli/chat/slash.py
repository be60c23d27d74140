"""The commands of a conversation, lines that begin with a slash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.clean import one_row
from mistralai.agents.cli.chat.wording import spent
from mistralai.agents.cli.problem import one_line
from mistralai.agents.handles.session import bound_of
from mistralai.agents.values.events import TextDelta, UsageReported
from mistralai.agents.values.usage import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mistralai.agents.cli.chat.conversation import Conversation
    from mistralai.agents.values.events import Event

HELP = """\
/events [N]    the session's last N events, 20 unless told
/usage         tokens of the session so far
/save [FILE]   write the conversation to a file: Markdown, or JSON for a .json
/help          this
/exit          end; so does Ctrl+D
Enter sends, Alt+Enter goes to the next row, the up arrow brings lines back.
What you send while a turn runs is read before the model's next reply.
Ctrl+C stops the turn, twice ends."""
_USUAL_EVENTS = 20


async def run_slash(conversation: Conversation, line: str) -> None:
    """Carry out a line that begins with a slash, other than `/exit`."""
    name, _, rest = line.partition(" ")
    command = _COMMANDS.get(name)
    if command is None:
        conversation.face.line("note", f"There is no {one_row(name)}. /help shows what there is.")
        return
    try:
        await command(conversation, rest.strip())
    except Exception as error:
        conversation.face.line("failed", one_line(error))


def is_exit(line: str) -> bool:
    """Whether a line ends the conversation."""
    return line in ("/exit", "/quit")


async def _help(conversation: Conversation, rest: str) -> None:
    conversation.face.line("page", HELP)


async def _usage(conversation: Conversation, rest: str) -> None:
    total, calls = TokenUsage(input_tokens=0, output_tokens=0, total_tokens=0), 0
    for event in await _events(conversation):
        if isinstance(event, UsageReported):
            total, calls = total + event.usage, calls + 1
    conversation.face.line("note", f"{spent(total)} in {calls} model call{'' if calls == 1 else 's'}")


async def _list_events(conversation: Conversation, rest: str) -> None:
    from mistralai.agents.cli.chat.event_rows import event_rows

    if rest and not rest.isdecimal():
        conversation.face.line("note", f"/events takes a number, not {one_row(rest)}.")
        return
    count = int(rest or _USUAL_EVENTS)
    shown = [event for event in await _events(conversation) if not isinstance(event, TextDelta)]
    rows = event_rows(shown)[max(0, len(shown) - count) :]
    conversation.face.line("page", "\n".join(rows) or "No events yet.", cut=True)


async def _save(conversation: Conversation, rest: str) -> None:
    from mistralai.agents.cli.chat.transcript import transcript

    session = conversation.session
    if session is None:
        conversation.face.line("note", "Nothing was said yet.")
        return
    path = rest or f"session-{session.id}.md"
    entries = await session.history()
    conversation.face.line("note", _write(Path(path), transcript(entries, as_json=path.endswith(".json"))))


def _write(path: Path, text: str) -> str:
    """Write a new file, and say where it is."""
    path = path.expanduser().absolute()
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return f"{path} is there already: name another file."
    return f"Written to {path}"


async def _events(conversation: Conversation) -> list[Event]:
    """The session's events up to now."""
    session, turn = conversation.session, conversation.turn
    if session is None or turn is None:
        return []
    now = (await turn.get()).cursor
    place = await bound_of(session).place()
    return await place.read_events(session.id, None, None, now)


_COMMANDS: dict[str, Callable[[Conversation, str], Awaitable[None]]] = {
    "/help": _help,
    "/usage": _usage,
    "/events": _list_events,
    "/save": _save,
}
