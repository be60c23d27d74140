"""What a turn takes as its input: a text, or text and image blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .content import ContentBlock, ImageContentBlock, TextContentBlock
from .errors import SdkError
from .invalid_value import first_problem

type TurnInput = str | Sequence[TextContentBlock | ImageContentBlock | Mapping[str, Any]]
"""A user's message, as `run` and `send_message` take it."""

_block: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)


def parse_turn_input(content: TurnInput) -> tuple[TextContentBlock | ImageContentBlock, ...]:
    """Read a user's message. Raises `SdkError`, which names the index of the block at fault."""
    if isinstance(content, str):
        return (TextContentBlock(text=content),)
    if isinstance(content, bytes | Mapping) or not isinstance(content, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise SdkError(f"content is {type(content).__name__}. Pass a string, or a list of text and image blocks.")
    if not content:
        raise SdkError("content is empty. Pass a string, or a list of text and image blocks.")
    return tuple(_read(index, block) for index, block in enumerate(content))


def _read(index: int, given: object) -> TextContentBlock | ImageContentBlock:
    try:
        block = _block.validate_python(dict(given) if isinstance(given, Mapping) else given)  # pyright: ignore[reportUnknownArgumentType]  # validated here
    except ValidationError as error:
        raise SdkError(f"content[{index}]: {first_problem(error)}.") from None
    if isinstance(block, TextContentBlock | ImageContentBlock):
        return block
    kind = block.original_type if block.type == "unknown" else block.type
    raise SdkError(f"content[{index}] is a block of type {kind!r}. A turn takes blocks of type 'text' and 'image'.")
