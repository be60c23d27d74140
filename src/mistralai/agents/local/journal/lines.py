"""The text of a journal: one line of JSON an append, each with its checksum. Nothing here touches a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast
from zlib import crc32

import msgspec

from mistralai.agents.core.facts import (
    AnyFact,
    CallbackOpened,
    CallbackSettled,
    SessionEnded,
    TurnAccepted,
    TurnEnded,
)
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.core.facts import Fact

FORMAT: Final = "fanal-session"
VERSION: Final = 1
_SEAL: Final = len(b',"crc":"00000000"}')


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: what the file is, and what the session was started with beside its facts."""

    format: str
    version: int
    session_id: str
    about: dict[str, Any] = {}


class After(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the session has come to after a line: a list of sessions reads this and not the whole file."""

    at: float
    status: str = "waiting"
    open: int = 0
    """How many callbacks are open."""
    ended: str | None = None
    """The session's termination."""


class Upload(msgspec.Struct, frozen=True, array_like=True):
    """A long value of the line that lies in a file beside it; in the line it is an empty string."""

    path: list[str | int]
    """Where in the line's facts the value belongs."""
    name: str
    """The name of its file."""
    prefix: str = ""
    """What stands before the base64 of the file's bytes: the head of a `data:` URI."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The facts of one append: all of them are there, or none."""

    n: int
    """The log's position of the first of them."""
    facts: list[AnyFact]
    uploads: list[Upload] = []
    after: After


class _Plain(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line whose facts are plain JSON data."""

    n: int
    facts: list[Any]
    uploads: list[Upload] = []
    after: After


_ENCODER = msgspec.json.Encoder()
_LINES = msgspec.json.Decoder(Line)
_PLAIN_LINES = msgspec.json.Decoder(_Plain)


class Damaged(ValueError):
    """A line is not what was written."""


def header_line(session_id: str, about: dict[str, Any]) -> bytes:
    """Return the first line of a journal."""
    return _seal(_encode(Header(format=FORMAT, version=VERSION, session_id=session_id, about=about)))


def facts_line(n: int, facts: Sequence[Fact], after: After) -> bytes:
    """Return the line of an append."""
    return _seal(_encode(Line(n=n, facts=cast("list[AnyFact]", facts), after=after)))


def plain_line(n: int, facts: list[Any], uploads: list[Upload], after: After) -> bytes:
    """Return the line of an append whose facts are JSON data, some values taken out of them."""
    return _seal(_encode(_Plain(n=n, facts=facts, uploads=uploads, after=after)))


def plain(facts: Sequence[Fact]) -> list[Any]:
    """Return facts as JSON data."""
    data: list[Any] = msgspec.to_builtins(list(facts))
    return data


def follow_up(before: After, facts: Sequence[Fact]) -> After:
    """Return what a session has come to after more facts."""
    status, opened, ended = before.status, before.open, before.ended
    for fact in facts:
        match fact:
            case TurnAccepted():
                status = "running"
            case CallbackOpened():
                status, opened = "waiting", opened + 1
            case CallbackSettled():
                opened -= 1
                status = "waiting" if opened else "running"
            case TurnEnded():
                status, opened = "waiting", 0
            case SessionEnded():
                status, ended = "terminated", fact.termination
            case _:
                pass
    return After(at=facts[-1].at, status=status, open=opened, ended=ended)


def read_header(line: bytes) -> Header:
    """Read a first line. Raises JournalError for a format that this version does not know."""
    data: Any = _decode(_body(line))
    if not isinstance(data, dict) or data.get("format") != FORMAT:  # pyright: ignore[reportUnknownMemberType]  # JSON, of any shape
        raise Damaged("it is not the first line of a journal")
    version: object = data.get("version")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # JSON
    if not isinstance(version, int) or version > VERSION:
        raise JournalError(
            f"it has version {version!r} of the format and this version of the SDK reads up to {VERSION}. "
            "Open it with the SDK that wrote it, or a newer one."
        )
    return msgspec.convert(data, Header)


def read_line(line: bytes) -> Line:
    """Read the line of an append. The values of its uploads are missing. Raises Damaged."""
    _body(line)
    try:
        return _LINES.decode(line)
    except msgspec.ValidationError as error:
        raise Damaged(f"its facts cannot be read: {error}") from None
    except msgspec.DecodeError:
        return _convert(_decode(line))


def read_plain(line: bytes) -> tuple[list[Any], list[Upload]]:
    """Read the facts of a line as JSON data."""
    try:
        read = _PLAIN_LINES.decode(line)
    except msgspec.DecodeError:
        read = msgspec.convert(_decode(line), _Plain)
    return read.facts, read.uploads


def facts_of(data: list[Any]) -> list[Fact]:
    """Return facts from JSON data."""
    return list(msgspec.convert(data, list[AnyFact]))


def intact(line: bytes) -> bool:
    """Whether a line has the checksum it was written with."""
    body, seal = line[:-_SEAL], line[-_SEAL:]
    return seal == b',"crc":"%08x"}' % crc32(body)


def _seal(body: bytes) -> bytes:
    body = body[:-1]
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def _body(line: bytes) -> bytes:
    if not intact(line):
        raise Damaged("its checksum is wrong")
    return line


def _encode(value: object) -> bytes:
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot hold: escaped, as JSON allows
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def _decode(line: bytes) -> Any:
    """Decode what msgspec does not: an escaped lone surrogate."""
    try:
        return json.loads(line)
    except ValueError as error:
        raise Damaged(f"it is not JSON: {error}") from None


def _convert(data: object) -> Line:
    try:
        return msgspec.convert(data, Line)
    except msgspec.ValidationError as error:
        raise Damaged(f"its facts cannot be read: {error}") from None
