"""Text from models, tools and files, made safe to show: nothing in it can steer the terminal or hide what is asked."""

from __future__ import annotations

import json
import re
import unicodedata

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNSEEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def clean(text: str) -> str:
    """Return text without control characters other than line ends and tabs."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def one_row(text: str) -> str:
    """Return text on one line."""
    return " ".join(clean(text).split())


def shown_json(value: object, *, indent: int | None = None) -> str:
    """Return a value as JSON, with every character that would not be seen written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return _UNSEEN.sub(_escape, "".join(char if char == "\n" or not _hidden(char) else _code(char) for char in text))


def has_unseen(text: str) -> bool:
    """Whether a character of a text would not be seen, or change how others are."""
    return _UNSEEN.search(text) is not None or any(_hidden(char) for char in text if char != "\n")


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs")


def _escape(match: re.Match[str]) -> str:
    return _code(match[0])


def _code(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
