"""Tests of content blocks: their constant types, their two spellings, what they refuse."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from mistralai.agents.values.content import (
    ContentAnnotations,
    ContentBlock,
    ImageContentBlock,
    ResourceLinkContentBlock,
    TextContentBlock,
    UnknownContentBlock,
)

from .samples import BLOCKS

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 8
LARGEST = 7_500_000
read: Any = TypeAdapter[Any](ContentBlock).validate_python


class TestABlock:
    def test_has_a_constant_type(self) -> None:
        assert [block.type for block in BLOCKS] == ["text", "image", "audio", "resource_link", "resource", "unknown"]

    def test_never_changes(self) -> None:
        for block in BLOCKS:
            with pytest.raises(ValidationError):
                block.type = "other"

    def test_is_compared_by_value(self) -> None:
        assert TextContentBlock(text="a") == TextContentBlock(text="a") != TextContentBlock(text="b")

    def test_is_read_in_both_spellings(self) -> None:
        camel = {"type": "resource_link", "uri": "u", "mediaType": "text/plain", "_meta": {"a": 1}}
        snake = {"type": "resource_link", "uri": "u", "media_type": "text/plain", "meta": {"a": 1}}
        wanted = ResourceLinkContentBlock(uri="u", media_type="text/plain", meta={"a": 1})
        assert read(camel) == read(snake) == wanted

    def test_is_read_as_its_type_says(self) -> None:
        assert [read(block.model_dump()) for block in BLOCKS] == BLOCKS

    def test_of_no_type_is_refused_in_words(self) -> None:
        with pytest.raises(ValidationError, match="a dict with a type"):
            read({"text": "x"})

    def test_that_is_long_has_a_short_repr(self) -> None:
        assert len(repr(ImageContentBlock.from_bytes(PNG * 1000))) < 200


class TestAnUnknownBlock:
    def test_keeps_its_type_and_its_fields(self) -> None:
        block = read({"type": "video", "mediaType": "video/mp4"})
        assert isinstance(block, UnknownContentBlock)
        assert (block.type, block.original_type) == ("unknown", "video")
        assert block.model_dump() == {"type": "video", "mediaType": "video/mp4"}


class TestAnnotations:
    def test_are_read_in_both_spellings(self) -> None:
        assert ContentAnnotations.model_validate({"lastModified": "2026"}) == ContentAnnotations(last_modified="2026")

    @pytest.mark.parametrize("priority", [-0.1, 1.1])
    def test_bound_the_priority(self, priority: float) -> None:
        with pytest.raises(ValidationError, match="priority"):
            ContentAnnotations(priority=priority)


class TestAnInlineImage:
    @pytest.mark.parametrize(
        ("data", "media_type"),
        [
            (PNG, "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a...", "image/gif"),
            (b"GIF87a...", "image/gif"),
            (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        ],
    )
    def test_tells_its_media_type_from_its_bytes(self, data: bytes, media_type: str) -> None:
        block = ImageContentBlock.from_bytes(data, alt_text="A")
        assert block.media_type == media_type
        assert block.alt_text == "A"
        head, _, payload = block.uri.partition(",")
        assert head == f"data:{media_type};base64"
        assert b64decode(payload) == data

    def test_of_other_bytes_asks_for_the_media_type(self) -> None:
        with pytest.raises(ValueError, match="Pass media_type="):
            ImageContentBlock.from_bytes(b"BM....")
        assert ImageContentBlock.from_bytes(b"BM....", "image/bmp").media_type == "image/bmp"

    def test_of_no_bytes_or_no_image_type_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no bytes"):
            ImageContentBlock.from_bytes(b"")
        with pytest.raises(ValueError, match="media_type='text/html'"):
            ImageContentBlock.from_bytes(PNG, "text/html")

    def test_may_be_read_from_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.png"
        path.write_bytes(PNG)
        assert ImageContentBlock.from_path(path) == ImageContentBlock.from_path(str(path))
        assert ImageContentBlock.from_path(path) == ImageContentBlock.from_bytes(PNG)

    def test_may_be_as_large_as_the_bound_and_no_larger(self, tmp_path: Path) -> None:
        path = tmp_path / "a.png"
        path.write_bytes(PNG.ljust(LARGEST, b"0"))
        assert len(ImageContentBlock.from_path(path).uri.partition(",")[2]) == 10_000_000
        path.write_bytes(PNG.ljust(LARGEST + 1, b"0"))
        with pytest.raises(ValueError, match=r"10,000,004.*10,000,000"):
            ImageContentBlock.from_path(path)
        with pytest.raises(ValueError, match=r"10,000,004.*10,000,000"):
            ImageContentBlock.from_bytes(path.read_bytes())

    def test_given_as_a_uri_keeps_to_the_same_bound(self) -> None:
        payload = b64encode(bytes(LARGEST + 1)).decode()
        with pytest.raises(ValueError, match=r"10,000,004.*10,000,000"):
            ImageContentBlock(uri=f"data:image/png;base64,{payload}")

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "data:",
            "data:image/png,abc",
            "data:text/plain;base64,YQ==",
            "data:image/png;base64,%%%",
            "DATA:x;base64,",
        ],
    )
    def test_that_is_malformed_is_refused(self, uri: str) -> None:
        with pytest.raises(ValueError, match="image's"):
            ImageContentBlock(uri=uri)

    @pytest.mark.parametrize("uri", ["https://example.com/a.png", "data:image/png;base64,YQ==", "file-id"])
    def test_by_any_other_uri_is_taken_as_it_is(self, uri: str) -> None:
        assert ImageContentBlock(uri=uri).uri == uri
