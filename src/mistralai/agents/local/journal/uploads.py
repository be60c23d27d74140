"""Long binary values of a session, such as inline images: each in a file beside the journal, named by its content."""

from __future__ import annotations

import base64
import os
from binascii import Error as NotBase64
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from mistralai.agents.local.journal.lines import Upload
from mistralai.agents.values.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG_LINE: Final = 64 * 1024
"""A line of at least so many bytes is looked through."""
LONG_VALUE: Final = 16 * 1024
"""A base64 text of at least so many characters goes into a file."""
_MARK: Final = ";base64,"
_LONGEST_HEAD: Final = 200


class Uploads:
    """The uploads of one session."""

    __slots__ = ("_directory",)

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def take_out(self, facts: list[Any]) -> tuple[list[Upload], list[Path]]:
        """Move the long values of facts, which are JSON data, into files. Return where they were, and the new files."""
        uploads: list[Upload] = []
        written: list[Path] = []
        for holder, key, path in list(_long_values(facts, [])):
            prefix, text = _parted(holder[key])
            try:
                content = base64.b64decode(text, validate=True)
            except (NotBase64, ValueError):
                continue
            if base64.b64encode(content).decode() != text:
                continue  # it would come back written otherwise
            name = sha256(content).hexdigest()
            if not (self._directory / name).exists():
                written.append(self._write(name, content))
            holder[key] = ""
            uploads.append(Upload(path, name, prefix))
        return uploads, written

    def put_back(self, facts: list[Any], uploads: list[Upload]) -> None:
        """Put the values of uploads where they belong."""
        for upload in uploads:
            *way, key = upload.path
            holder: Any = facts
            for step in way:
                holder = holder[step]
            holder[key] = upload.prefix + base64.b64encode(self._read(upload.name)).decode()

    def _write(self, name: str, content: bytes) -> Path:
        self._directory.mkdir(mode=0o700, exist_ok=True)
        path = self._directory / name
        unfinished = path.with_suffix(".part")
        try:
            with open(unfinished, "wb", opener=_private) as file:
                file.write(content)
            unfinished.replace(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise
        return path

    def _read(self, name: str) -> bytes:
        path = self._directory / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise JournalError(
                f"its upload {path} is missing. Put the file back; the journal itself is whole."
            ) from None
        if sha256(content).hexdigest() != name:
            raise JournalError(f"its upload {path} is not what was saved. Put the file back as it was.")
        return content


def _parted(value: str) -> tuple[str, str]:
    """Part the head of a `data:` URI from its base64."""
    if not value.startswith("data:"):
        return "", value
    end = value.find(_MARK, 0, _LONGEST_HEAD) + len(_MARK)
    return value[:end], value[end:]


def _long_values(data: Any, path: list[str | int]) -> Iterator[tuple[Any, Any, list[str | int]]]:
    if isinstance(data, dict):
        holder = cast("dict[str, Any]", data)
        for key, value in holder.items():
            yield from _long(holder, key, value, [*path, key])
    elif isinstance(data, list):
        values = cast("list[Any]", data)
        for index, value in enumerate(values):
            yield from _long(values, index, value, [*path, index])


def _long(holder: Any, key: Any, value: Any, path: list[str | int]) -> Iterator[tuple[Any, Any, list[str | int]]]:
    if isinstance(value, dict | list):
        yield from _long_values(value, path)
    elif isinstance(value, str) and len(value) >= LONG_VALUE and " " not in value[:_LONGEST_HEAD]:
        yield holder, key, path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
