"""Images held in a `data:` URI: how one is made, what it may weigh, and what makes one invalid."""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import Error, a2b_base64
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

MAX_BASE64 = 10_000_000
"""The most characters of base64 that an inline image may have."""

_FORM = "Write it as data:image/png;base64,<data>."
_MEDIA_TYPE = re.compile(r"image/[A-Za-z0-9!#$&^_.+-]+", re.ASCII)


def inline_image(data: bytes, media_type: str | None) -> tuple[str, str]:
    """Return the `data:` URI of an image and its media type."""
    if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise TypeError(f"data is a {type(data).__name__}. Pass the bytes of an image file.")
    data = bytes(data)
    check_size(base64_length(len(data)), "The image")
    if not data:
        raise ValueError("The image has no bytes. Pass the whole content of an image file.")
    if media_type is None:
        media_type = sniff(data)
        if media_type is None:
            raise ValueError("The bytes are not a PNG, JPEG, GIF or WebP image. Pass media_type= to say what they are.")
    elif not _MEDIA_TYPE.fullmatch(media_type):
        raise ValueError(f"media_type={media_type!r} does not name an image. Pass one such as 'image/png'.")
    return f"data:{media_type};base64,{b64encode(data).decode('ascii')}", media_type


def read_image(path: str | PathLike[str]) -> bytes:
    """Read an image file, unless it is too large to be held inline."""
    with Path(path).open("rb") as file:
        data = file.read(MAX_BASE64 // 4 * 3 + 1)
        if base64_length(len(data)) > MAX_BASE64:
            check_size(base64_length(max(Path(path).stat().st_size, len(data))), f"The image file {Path(path)}")
    return data


def base64_length(size: int) -> int:
    """Return how many characters of base64 so many bytes take."""
    return (size + 2) // 3 * 4


def check_size(length: int, what: str) -> None:
    """Raise ValueError when so much base64 is over the bound."""
    if length > MAX_BASE64:
        raise ValueError(
            f"{what} takes {length:,} characters of base64, over the bound of {MAX_BASE64:,} (about 7.5 MB of data). "
            "Make it smaller, or pass the URL of a hosted image."
        )


def sniff(data: bytes) -> str | None:
    """Return the media type that the first bytes of an image give away; None if they give none away."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def check_image_uri(uri: str) -> str:
    """Return the URI of an image block, or raise ValueError where it is empty or is a `data:` URI that is no image."""
    if not uri.strip():
        raise ValueError("The image's uri is empty. Pass a URL, or build the block with from_bytes or from_path.")
    if uri[:5].lower() != "data:":
        return uri
    head, comma, payload = uri[5:].partition(",")
    media_type, *parameters = head.split(";")
    if not comma or not parameters or parameters[-1].strip().lower() != "base64":
        raise ValueError(f"The image's data: URI has no base64 data. {_FORM}")
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise ValueError(f"The image's data: URI is of type {media_type!r}, not of an image. {_FORM}")
    check_size(len(payload), "The image's data: URI")
    try:
        data = a2b_base64(payload, strict_mode=True)
    except (Error, ValueError) as error:
        raise ValueError(f"The image's data: URI is not valid base64: {error}.") from None
    if not data:
        raise ValueError(f"The image's data: URI holds no data. {_FORM}")
    return uri
