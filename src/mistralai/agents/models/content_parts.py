"""Content blocks as the parts of a chat-completions message; what a server cannot take is said in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mistralai.agents.models.wire_text import sendable

if TYPE_CHECKING:
    from mistralai.agents.authoring.model import JsonObject

AUDIO_FORMATS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def field(block: JsonObject, name: str) -> str:
    """A text field of a block; `""` if it has none."""
    value = block.get(name)
    return sendable(value) if isinstance(value, str) else ""


def media_type(block: JsonObject) -> str:
    """The block's media type, from its field or its data URI."""
    if named := field(block, "media_type") or field(block, "mediaType"):
        return named.lower()
    uri = field(block, "uri")
    return uri[5:].partition(",")[0].partition(";")[0].lower() if uri.startswith("data:") else ""


def base64_of(uri: str) -> str | None:
    """The base64 data of a data URI; None for any other URI."""
    head, comma, data = uri.partition(",")
    return data if comma and head.startswith("data:") and head.endswith(";base64") else None


def spoken(block: JsonObject) -> str:
    """A block in words, for a provider that does not take it."""
    kind = block.get("type")
    uri = field(block, "uri")
    if kind == "resource" and (text := field(block, "text")):
        return f'<resource uri="{uri}">\n{text}\n</resource>'
    words = [str(kind).replace("_", " ")]
    words += [value for name in ("name", "title", "alt_text", "description") if (value := field(block, name))]
    if uri and not uri.startswith("data:"):
        words.append(uri)
    elif known := media_type(block):
        words.append(known)
    return f"[{': '.join(words[:1])}: {', '.join(words[1:])}]" if words[1:] else f"[{words[0]}]"


def image_uri(block: JsonObject) -> str | None:
    """The URI of an image, also of one embedded as a resource; None if the block is no image that can be fetched."""
    uri = field(block, "uri")
    if block.get("type") == "image" and uri.startswith(("data:", "http://", "https://")):
        return uri
    if block.get("type") == "resource" and media_type(block).startswith("image/") and (blob := field(block, "blob")):
        return f"data:{media_type(block)};base64,{blob}"
    return None


def chat_parts(content: str | list[JsonObject]) -> str | list[JsonObject]:
    """The parts of a message: text and images, and audio that is held as data."""
    if isinstance(content, str):
        return sendable(content)
    parts: list[JsonObject] = []
    for block in content:
        if block.get("type") == "text":
            parts.append({"type": "text", "text": field(block, "text")})
        elif uri := image_uri(block):
            parts.append({"type": "image_url", "image_url": {"url": uri}})
        elif audio := audio_part(block):
            parts.append(audio)
        else:
            parts.append({"type": "text", "text": spoken(block)})
    return parts


def audio_part(block: JsonObject) -> JsonObject | None:
    """An audio clip held as data; None for anything else."""
    form = AUDIO_FORMATS.get(media_type(block))
    data = base64_of(field(block, "uri"))
    if block.get("type") != "audio" or form is None or data is None:
        return None
    return {"type": "input_audio", "input_audio": {"data": data, "format": form}}


def plain_or_parts(parts: str | list[JsonObject]) -> str | list[JsonObject]:
    """Plain text where the parts are text alone: servers that take no parts take that."""
    if isinstance(parts, str) or any(part["type"] != "text" for part in parts):
        return parts
    return "\n".join(part["text"] for part in parts)
