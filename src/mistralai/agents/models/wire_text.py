"""Text that every provider takes: repairs of single characters, names and ids, made on the wire copy only."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from mistralai.agents.authoring.json_kinds import DEEPEST, is_deeper
from mistralai.agents.models.plain_json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHANUMERICS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NAME_LIMIT = 64
FOREIGN_TO_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")

encode_json: Callable[[Any], bytes] = msgspec.json.Encoder().encode
decode_json: Callable[[str | bytes | memoryview], Any] = msgspec.json.Decoder().decode


def sendable(text: str) -> str:
    """The text without what breaks JSON or a server: surrogate halves are joined or replaced, and NUL is replaced."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encoded(value: Any) -> bytes:
    """JSON of plain data, whatever characters its strings hold."""
    try:
        return encode_json(value)
    except UnicodeEncodeError:
        return encode_json(_sendable_data(value))


def _sendable_data(value: Any) -> Any:
    if isinstance(value, str):
        return sendable(value)
    if is_object(value):
        return {sendable(str(key)): _sendable_data(item) for key, item in value.items()}
    return [_sendable_data(item) for item in value] if is_array(value) else value


def tool_name(name: str) -> str:
    """A name in the letters that providers allow: a model may have made one up, and the history must still be sent."""
    if name.isascii() and name.isidentifier() and len(name) <= NAME_LIMIT:
        return name
    return FOREIGN_TO_A_NAME.sub("_", name)[:NAME_LIMIT] or "unknown"


def arguments_text(arguments: str) -> str:
    """Arguments as the JSON object that servers parse again; what does not, or is too deep, is quoted inside."""
    arguments = sendable(arguments)
    if arguments == "{}":
        return arguments
    try:
        decoded = decode_json(arguments)
        deep = arguments.count("[") + arguments.count("{") > DEEPEST and is_deeper(decoded, DEEPEST)
        if isinstance(decoded, dict) and not deep:
            return encode_json(_sendable_data(decoded)).decode() if "\\u0000" in arguments else arguments
    except (msgspec.DecodeError, RecursionError):
        pass
    if not arguments.strip():
        return "{}"
    return encode_json({"invalid_arguments": arguments}).decode()


def arguments_object(arguments: str) -> msgspec.Raw:
    """The same as raw JSON."""
    return msgspec.Raw(arguments_text(arguments).encode())


class CallIds:
    """Ids of tool calls as one provider takes them: the same id in, the same id out, and never two for one."""

    __slots__ = ("_accepts", "_known", "_length", "_taken")

    def __init__(self, accepts: Callable[[str], object], *, length: int) -> None:
        self._accepts = accepts
        self._length = length
        self._known: dict[str, str] = {}
        self._taken: set[str] = set()

    def of(self, call_id: str) -> str:
        """The provider's form of an id."""
        if (known := self._known.get(call_id)) is not None:
            return known
        mapped, attempt = call_id if self._accepts(call_id) else self._digest(call_id, 0), 0
        while mapped in self._taken:
            attempt += 1
            mapped = self._digest(call_id, attempt)
        self._known[call_id] = mapped
        self._taken.add(mapped)
        return mapped

    def _digest(self, call_id: str, attempt: int) -> str:
        number = int.from_bytes(
            blake2b(f"{attempt}:{call_id}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        )
        letters: list[str] = []
        for _ in range(self._length):
            number, index = divmod(number, len(ALPHANUMERICS))
            letters.append(ALPHANUMERICS[index])
        return "".join(letters)
