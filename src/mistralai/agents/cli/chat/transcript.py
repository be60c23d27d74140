"""A conversation as a file: Markdown to read, or the entries as JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.clean import clean, one_row, shown_json
from mistralai.agents.cli.chat.wording import was_refused
from mistralai.agents.values.entries import ContextMessage, MessageEntry, ToolCallEntry, ToolResultEntry
from mistralai.agents.values.wire import to_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.values.entries import Entry


_STEERS = re.compile(r"[\x7f-\x9f\ud800-\udfff]")
"""What JSON itself lets through: a terminal that shows the file obeys some, and a file cannot hold the others."""


def transcript(entries: Iterable[Entry], *, as_json: bool) -> str:
    """Return the text of the file."""
    if as_json:
        text = json.dumps([to_data(entry) for entry in entries], ensure_ascii=False, indent=2)
        return _STEERS.sub(lambda char: f"\\u{ord(char[0]):04x}", text) + "\n"
    text = clean("\n\n".join(filter(None, map(_paragraph, entries))) + "\n")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _paragraph(entry: Entry) -> str | None:
    match entry:
        case MessageEntry(role=role, text=text) if text:
            return f"**{one_row(role)}**\n\n{text}"
        case ToolCallEntry(name=name, arguments=arguments):
            return f"- → `{one_row(name)}` `{shown_json(arguments)}`"
        case ToolResultEntry(error=error) if error is not None:
            return f"- ← {'refused' if was_refused(entry) else 'failed'}: {one_row(error.message)}"
        case ToolResultEntry(structured=None, content=content):
            return f"- ← {one_row(' '.join(getattr(block, 'text', '') for block in content))}"
        case ToolResultEntry(structured=structured):
            return f"- ← `{shown_json(structured)}`"
        case ContextMessage(kind=kind, text=text):
            return f"*{one_row(kind)}*\n\n{text}"
        case _:
            return None
