"""Server-sent events: bytes as they arrive in, the data of whole events out. Knows nothing of models or sockets."""

from __future__ import annotations

from mistralai.agents.authoring.model import ModelError

LONGEST_EVENT_BYTES = 32 * 1024 * 1024
"""A line that grows past this is no reply."""
LONGEST_PLAIN_BYTES = 4 * 1024 * 1024
"""Most that is kept of a body that turns out to be no event stream."""
FIELDS = (b"event", b"id:", b"id ", b"retry", b":")


class EventSplitter:
    """Cuts a byte stream into the `data` of its events; event names, ids and comments are left out."""

    __slots__ = ("_data", "_plain", "_plain_size", "_rest", "_started")

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._started = False
        self._plain: list[bytes] = []
        self._plain_size = 0

    @property
    def plain(self) -> bytes:
        """The lines that belong to no event stream, such as a JSON body; `b""` if there were none."""
        return b"\n".join(self._plain)

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes; return the data of every event they complete."""
        if self._rest:
            chunk = self._rest + chunk
            self._rest = b""
        if not self._started:
            if len(chunk) < 3 and b"\xef\xbb\xbf".startswith(chunk):
                self._rest = chunk
                return []
            self._started = True
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        held = b""
        if b"\r" in chunk:
            if chunk.endswith(b"\r"):  # perhaps the first half of CRLF: it waits for the next bytes
                held, chunk = b"\r", chunk[:-1]
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = chunk.split(b"\n")
        self._rest = lines.pop() + held
        if len(self._rest) > LONGEST_EVENT_BYTES:
            raise ModelError(
                "The model's server sent a line of more than 32 MiB. Check that its address is that of a model server.",
                code="completion_failed",
                retryable=True,
            )
        return self._events(lines)

    def end(self) -> list[bytes]:
        """The data of an event that the end of the stream completes."""
        lines = [self._rest.removesuffix(b"\r"), b""]
        self._rest = b""
        return self._events(lines)

    def _events(self, lines: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        data = self._data
        for line in lines:
            if line[:5] == b"data:":
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if data:
                    found.append(data[0] if len(data) == 1 else b"\n".join(data))
                    data.clear()
            elif not line.startswith(FIELDS) and self._plain_size < LONGEST_PLAIN_BYTES:
                self._plain.append(line)
                self._plain_size += len(line)
        return found
