"""What a tool's value becomes: plain JSON for the log, and what a model or a program reads of it."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import TYPE_CHECKING, Any, cast, get_args

from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.values.tool_result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import TypeAdapter

    type JsonObject = dict[str, Any]

_CONTENT = "mistralai.agents.values.content"
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode_value(value: object) -> ToolResult[Any]:
    """Bring any returned value into its stored form: content as a tuple of JSON objects, the rest as plain JSON.

    Text and content blocks become content, everything else `structured`. Raises TypeError for what JSON cannot hold.
    """
    if isinstance(value, ToolResult):
        return encode_parts(cast("Any", value))
    if type(value) is str:
        return ToolResult(content=({"type": "text", "text": to_plain(value)},))
    if is_content(value):
        return ToolResult(content=encode_content(value))
    plain = to_plain(value)
    if isinstance(plain, str):
        return ToolResult(content=({"type": "text", "text": plain},))
    return ToolResult(structured=plain)


def encode_parts(result: ToolResult[Any]) -> ToolResult[Any]:
    """Bring the parts of a result into their stored form. Raises TypeError for what JSON cannot hold."""
    return ToolResult(
        content=None if result.content is None else encode_content(result.content),
        structured=to_plain(result.structured),
        metadata=None if result.metadata is None else to_plain(dict(result.metadata)),
        is_error=bool(result.is_error),
    )


def encode_content(content: object) -> tuple[JsonObject, ...]:
    """Content as JSON objects: of a string, of one block, or of a sequence of blocks and their dicts."""
    if isinstance(content, str):
        return ({"type": "text", "text": to_plain(content)},)
    if not isinstance(content, list | tuple):
        content = [content]
    return tuple(_encode_block(block) for block in cast("Sequence[object]", content))


def _encode_block(block: object) -> JsonObject:
    if not _is_block(block):
        block = _read_block(block)
    plain: JsonObject = to_plain(cast("Any", block).model_dump(mode="json"))
    if isinstance(plain.get("annotations"), dict):
        plain["annotations"] = {key: held for key, held in plain["annotations"].items() if held is not None}
    return {key: held for key, held in plain.items() if held is not None}


def _read_block(block: object) -> object:
    from pydantic import TypeAdapter, ValidationError

    from mistralai.agents.authoring.schema import problems_of
    from mistralai.agents.values.content import ContentBlock

    if isinstance(block, str):
        block = {"type": "text", "text": block}
    try:
        return TypeAdapter[Any](ContentBlock).validate_python(block)
    except ValidationError as error:
        problems = "; ".join(problems_of(error, show_input=False))
        raise TypeError(f"A {type(block).__name__} in the content is not a content block: {problems}.") from None


def is_content(value: object) -> bool:
    """Whether a returned value is a content block, or a list of nothing else."""
    if isinstance(value, list | tuple):
        blocks = cast("Sequence[object]", value)
        return bool(blocks) and all(map(_is_block, blocks))
    return _is_block(value)


def _is_block(value: object) -> bool:
    content = sys.modules.get(_CONTENT)
    if content is None:
        return False  # nobody can have made a block
    kinds = (
        content.TextContentBlock,
        content.ImageContentBlock,
        content.AudioContentBlock,
        content.ResourceLinkContentBlock,
        content.EmbeddedResourceContentBlock,
        content.UnknownContentBlock,
    )
    return isinstance(value, kinds)


def is_content_type(hint: Any) -> bool:
    """Whether a return type speaks of content blocks, which have no output schema."""
    if isinstance(hint, type) and not get_args(hint):
        return hint.__module__ == _CONTENT
    hint = getattr(hint, "__value__", hint)
    return any(is_content_type(part) for part in get_args(hint))


def to_plain(value: object) -> Any:
    """Plain JSON data of a value, by what it is rather than by its declared type. Raises TypeError."""
    if value is None or type(value) in (bool, int) or (type(value) is str and value.isascii()):
        return value
    from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

    try:
        try:
            plain = to_jsonable_python(value, by_alias=True)
        except UnicodeEncodeError:
            plain = to_jsonable_python(_well_formed(value), by_alias=True)
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise TypeError(f"A {type(value).__name__} cannot be turned into JSON: {error}.") from error
    try:
        text = to_json(plain, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError):
        return _well_formed(plain)
    return _well_formed(plain) if b"NaN" in text or b"Infinity" in text else plain


def _well_formed(plain: Any) -> Any:
    """Without what can be sent to nobody: half characters, as file names that are no UTF-8 have, and NaN."""
    if isinstance(plain, str):
        return plain.encode("utf-8", "replace").decode()
    if isinstance(plain, float):
        return plain if isfinite(plain) else None
    if is_object(plain):
        return {_well_formed(key): _well_formed(value) for key, value in plain.items()}
    return [_well_formed(item) for item in plain] if is_array(plain) else plain


def dump_as(adapter: TypeAdapter[Any], value: object) -> Any:
    """Plain JSON data of a value that has passed the adapter's validation. Raises TypeError."""
    from pydantic_core import PydanticSerializationError

    try:
        return to_plain(adapter.dump_python(value, mode="json", by_alias=True, warnings=False))
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise TypeError(f"A {type(value).__name__} cannot be turned into JSON: {error}.") from error


def model_text(result: ToolResult[Any]) -> str | list[JsonObject]:
    """What the model reads of an encoded result: text, or blocks where there is an image.

    Blocks that are not for the assistant are left out; structured data is one line of compact JSON.
    """
    if result.content is None:
        structured = result.structured
        return structured if isinstance(structured, str) else _compact(structured)
    shown = [_for_model(block) for block in _blocks(result) if _reaches_model(block)]
    if any(block["type"] == "image" for block in shown):
        return shown
    return "\n".join(block["text"] for block in shown)


def program_value(result: ToolResult[Any]) -> Any:
    """What a program gets of an encoded result: the data, else the text, else the blocks."""
    if result.structured is not None or result.content is None:
        return result.structured
    blocks = [block for block in _blocks(result) if _reaches_model(block)]
    if all(block.get("type") == "text" for block in blocks):
        return "\n".join(block.get("text", "") for block in blocks)
    return blocks


def _blocks(result: ToolResult[Any]) -> Sequence[Mapping[str, Any]]:
    return cast("Sequence[Mapping[str, Any]]", result.content)


def _reaches_model(block: Mapping[str, Any]) -> bool:
    annotations: Mapping[str, Any] = block.get("annotations") or {}
    audience = annotations.get("audience")
    return audience is None or "assistant" in audience


def _for_model(block: Mapping[str, Any]) -> JsonObject:
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "image", "uri": str(uri)}:
            kept = {key: block[key] for key in ("media_type", "alt_text") if block.get(key) is not None}
            return {"type": "image", "uri": uri, **kept}
        case {"type": "resource", "text": str(text)}:
            return {"type": "text", "text": text}
        case {"type": "resource_link", "uri": str(uri)}:
            named = [block[key] for key in ("title", "name", "description") if block.get(key)]
            return {"type": "text", "text": " ".join([*named[:1], f"<{uri}>", *named[1:]])}
        case _:
            kind = block.get("media_type") or block.get("type")
            return {"type": "text", "text": f"[{kind} content, which cannot be shown here]"}
