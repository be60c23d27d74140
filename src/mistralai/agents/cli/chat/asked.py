"""What an approval asks for, as rows: each argument below the other, none of which can look like another's."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mistralai.agents.cli.chat.clean import has_unseen, shown_json
from mistralai.agents.cli.chat.wording import expires_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mistralai.agents.values.requests import ApprovalRequest

SEE_ALL = "v"
"""The answer that shows what was left out."""
_INDENT, _GAP = 4, 2
_OTHER_ROWS = 5
"""Rows of the screen for the choices, what is typed, and what stands between."""
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Room:
    """What a question may take of a terminal."""

    columns: int
    rows: int

    @classmethod
    def of(cls, columns: int, rows: int) -> Room:
        """Return what there is at a terminal of a size."""
        return cls(columns, rows - _OTHER_ROWS)


def describe(request: ApprovalRequest, now: datetime, room: Room | None, *, whole: bool = False) -> str:
    """Return what is asked, until when, and with every argument: of a long one what there is room for, unless `whole`.

    Without a terminal (`room` None) nothing is cut, and no row is folded.
    """
    expires = f" · {expires_in(request.expires_at, now)}" if request.expires_at is not None else ""
    head = f"? Allow {_named(request.tool.name)}?{expires}"
    arguments = _arguments(request)
    names = _names(arguments, room)
    column = _INDENT + max(map(len, names), default=0) + _GAP
    width = max(_NARROWEST, room.columns - column) if room is not None else None
    values = [_folded(_argument(value), width) for value in arguments.values()]
    if room is not None and width is not None and not whole:
        values = _fitted(values, room.rows - 1, width)
    rows = [head]
    for name, (first, *more) in zip(names, values, strict=True):
        rows.append(f"{'':<{_INDENT}}{name:<{column - _INDENT}}{first}")
        rows += [f"{'':<{column}}{row}" for row in more]
    return "\n".join(rows)


def is_whole(request: ApprovalRequest, room: Room | None) -> bool:
    """Whether there is room for all of what is asked."""
    arguments, now = _arguments(request), datetime.now(UTC)
    return _names(arguments, room) == _names(arguments, None) and (
        describe(request, now, room) == describe(request, now, room, whole=True)
    )


def _arguments(request: ApprovalRequest) -> Mapping[str, object]:
    return request.arguments if isinstance(request.arguments, dict) else {"": request.arguments}


def _names(arguments: Iterable[str], room: Room | None) -> list[str]:
    return [_cut_name(_named(name) if name else "", room) for name in arguments]


def _argument(value: object) -> str:
    """A text as it is, unless it would not all be seen or reads as if it were quoted; anything else as JSON."""
    if isinstance(value, str) and value and value.strip() == value and value[0] != '"' and not has_unseen(value):
        return value
    return shown_json(value, indent=None if not isinstance(value, dict | list) else 2)


def _named(name: str) -> str:
    return name if re.fullmatch(r"[\w.:/-]+", name) and not has_unseen(name) else shown_json(name)


def _cut_name(name: str, room: Room | None) -> str:
    longest = max(_NARROWEST, room.columns // 3) if room is not None else len(name)
    return name if len(name) <= longest else f"{name[: longest // 2]}…{name[-(longest // 2 - 1) :]}"


def _folded(text: str, width: int | None) -> list[str]:
    """The rows of a text, folded before a word where there is one."""
    return [row for line in text.split("\n") for row in (_rows_of(line, width) if width is not None else [line])]


def _rows_of(line: str, width: int) -> Iterable[str]:
    start, cells = 0, 0
    for at, char in enumerate(line):
        if cells + _cells(char) > width:
            space = line.rfind(" ", start, at)
            end = space + 1 if space > start + (at - start) // 2 else at
            yield line[start:end]
            start, cells = end, sum(map(_cells, line[end:at]))
        cells += _cells(char)
    yield line[start:]


def _cells(char: str) -> int:
    """The most columns that a terminal gives a character. Of many, terminals think differently."""
    return 1 if char.isascii() or unicodedata.east_asian_width(char) in ("N", "Na", "H") else 2


def _fitted(values: Sequence[list[str]], room: int, width: int) -> list[list[str]]:
    """The rows of each value that there is room for: short ones whole, of the others as many as of each other."""
    most = max(map(len, values), default=1)
    while most > 1 and sum(min(len(rows), most) for rows in values) > room:
        most -= 1
    return [rows if len(rows) <= most else _cut(rows, most, width) for rows in values]


def _cut(rows: list[str], most: int, width: int) -> list[str]:
    """The first and last rows, with what stands between them counted."""
    if most == 1:
        said = _left_out(rows[1:])
        return [f"{rows[0][: max(0, (width - len(said)) // 2 - 1)]}{said}"[:width]]
    before = most // 2
    after = most - 1 - before
    return [*rows[:before], _left_out(rows[before : len(rows) - after])[:width], *rows[len(rows) - after :]]


def _left_out(rows: list[str]) -> str:
    return f"… {sum(map(len, rows)):,} characters cut, {SEE_ALL} shows all …"
