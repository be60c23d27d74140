"""Text from models, tools and files, made safe to show: nothing in it can steer the terminal or hide what is asked."""

from __future__ import annotations

import json
import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's property Default_Ignorable_Code_Point, which Python's `unicodedata` lacks: nothing is drawn for them."""
_BLANK = "\u2800\U0001d159"
"""Empty by their drawing alone: the Braille pattern without dots, the note without a head."""


def clean(text: str) -> str:
    """Return text without control characters other than line ends and tabs."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def one_row(text: str) -> str:
    """Return text on one line."""
    return " ".join(clean(text).split())


def shown_json(value: object, *, indent: int | None = None) -> str:
    """Return a value as JSON, with every character that would not be seen written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return "".join(_code(char) if _unseen(char) and char != "\n" else char for char in text)


def has_unseen(text: str) -> bool:
    """Whether a character of a text would not be seen, or change how others are."""
    return any(_unseen(char) and char != "\n" for char in text)


def _unseen(char: str) -> bool:
    """Whether it is a control, a format, a blank other than the space, or nothing that Unicode knows."""
    if " " <= char <= "~":
        return False
    return unicodedata.category(char)[0] in "CZ" or char in _BLANK or _IGNORED.match(char) is not None


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
