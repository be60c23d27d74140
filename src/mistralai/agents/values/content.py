"""Content blocks: what messages and tool results are made of, in MCP's and in our own spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

from .inline_image import check_image_uri, inline_image, read_image
from .json_value import JsonValue

if TYPE_CHECKING:
    from os import PathLike


def both_spellings(name: str) -> str | AliasChoices:
    """Let a field be given in snake case and in camelCase."""
    return name if to_camel(name) == name else AliasChoices(name, to_camel(name))


def shortened(value: Any) -> Any:
    """Return a value as a repr shows it: inline data is megabytes long."""
    return f"{value[:60]}... ({len(value)} characters)" if isinstance(value, str) and len(value) > 2_000 else value


def hide_type(cls: type[BaseModel]) -> None:
    """Leave the constant `type` out of the signature people read; a dict read as the class may still have it."""
    shown = [parameter for name, parameter in cls.__signature__.parameters.items() if name != "type"]
    cls.__signature__ = cls.__signature__.replace(parameters=shown)


class _Value(BaseModel):
    written_sparse: ClassVar[bool] = True
    """On the wire, what is None is left out."""
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        alias_generator=AliasGenerator(validation_alias=both_spellings),
        hide_input_in_errors=True,
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        hide_type(cls)

    def __repr_args__(self) -> Any:
        return [(name, shortened(value)) for name, value in super().__repr_args__() if value is not None]


class ContentAnnotations(_Value):
    """Who a block is for and how much it matters, in the terms of MCP.

    A block of a tool result whose audience leaves out `"assistant"` is never sent to the model.
    """

    audience: list[Literal["user", "assistant"] | str] | None = None
    """Who is to see the block; None for everybody."""
    priority: float | None = Field(default=None, ge=0, le=1)
    """How much the block matters, from 0 to 1; None if it does not say."""
    last_modified: str | None = None
    """When the block's content last changed, in ISO 8601; None if it does not say."""


class _Block(_Value):
    annotations: ContentAnnotations | None = None
    """Who the block is for; None for everybody."""
    meta: dict[str, JsonValue] | None = Field(default=None, validation_alias=AliasChoices("meta", "_meta"))
    """Data of its author's own; None if there is none."""


class TextContentBlock(_Block):
    """A block of text."""

    type: Literal["text"] = Field(default="text", init=False, repr=False)
    """`"text"`."""
    text: str = ""
    """The text."""


class ImageContentBlock(_Block):
    """An image, by URI. A `data:` URI holds it inline."""

    type: Literal["image"] = Field(default="image", init=False, repr=False)
    """`"image"`."""
    uri: str
    """Where the image is, or the image itself as a base64 `data:` URI of at most 10,000,000 characters."""
    media_type: str | None = None
    """Its media type, such as `image/png`; None if it is not known."""
    alt_text: str | None = None
    """What the image shows, in words; None if nobody said."""

    @field_validator("uri")
    @classmethod
    def _check_uri(cls, uri: str) -> str:
        return check_image_uri(uri)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        media_type: str | None = None,
        *,
        alt_text: str | None = None,
        annotations: ContentAnnotations | None = None,
    ) -> ImageContentBlock:
        """Return an inline image. Without `media_type`, PNG, JPEG, GIF and WebP are told apart by their bytes."""
        uri, media_type = inline_image(data, media_type)
        return cls(uri=uri, media_type=media_type, alt_text=alt_text, annotations=annotations)

    @classmethod
    def from_path(
        cls,
        path: str | PathLike[str],
        media_type: str | None = None,
        *,
        alt_text: str | None = None,
        annotations: ContentAnnotations | None = None,
    ) -> ImageContentBlock:
        """Return an inline image read from a file of about 7.5 MB at most, where its base64 reaches the bound."""
        return cls.from_bytes(read_image(path), media_type, alt_text=alt_text, annotations=annotations)


class AudioContentBlock(_Block):
    """An audio clip, by URI."""

    type: Literal["audio"] = Field(default="audio", init=False, repr=False)
    """`"audio"`."""
    uri: str
    """Where the clip is, or the clip itself as a `data:` URI."""
    media_type: str | None = None
    """Its media type, such as `audio/wav`; None if it is not known."""


class ResourceLinkContentBlock(_Block):
    """A link to a resource, such as a file, that the block does not hold."""

    type: Literal["resource_link"] = Field(default="resource_link", init=False, repr=False)
    """`"resource_link"`."""
    uri: str
    """Where the resource is."""
    name: str | None = None
    """Its name; None if it has none."""
    title: str | None = None
    """A name to show to people; None if it has none."""
    description: str | None = None
    """What it is; None if nobody said."""
    media_type: str | None = None
    """Its media type; None if it is not known."""
    size: int | None = None
    """Its size in bytes; None if it is not known."""


class EmbeddedResourceContentBlock(_Block):
    """A resource, such as a file, held in the block: as text, or as base64."""

    type: Literal["resource"] = Field(default="resource", init=False, repr=False)
    """`"resource"`."""
    uri: str
    """What names the resource."""
    media_type: str | None = None
    """Its media type; None if it is not known."""
    text: str | None = None
    """Its text; None if it is held as `blob`."""
    blob: str | None = None
    """Its bytes in base64; None if it is held as `text`."""


class UnknownContentBlock(_Value):
    """A block of a type that has no class here, its other fields kept as they came. A turn's input takes none."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    type: Literal["unknown"] = Field(default="unknown", init=False, repr=False)
    """`"unknown"`."""
    original_type: str
    """The type the block came with."""

    @model_validator(mode="before")
    @classmethod
    def _keep_type(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = cast("dict[str, Any]", data)
        if given.get("type", "unknown") == "unknown":
            return given
        return {**given, "type": "unknown", "original_type": given["type"]}

    @model_serializer(mode="plain")
    def _as_it_came(self) -> dict[str, Any]:
        return {**(self.model_extra or {}), "type": self.original_type}


_KNOWN = frozenset({"text", "image", "audio", "resource_link", "resource"})


def _tag(value: Any) -> str | None:
    held = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else getattr(value, "type", None)
    given: object = held
    if not isinstance(given, str):
        return None
    return given if given in _KNOWN else "unknown"


type ContentBlock = Annotated[
    Annotated[TextContentBlock, Tag("text")]
    | Annotated[ImageContentBlock, Tag("image")]
    | Annotated[AudioContentBlock, Tag("audio")]
    | Annotated[ResourceLinkContentBlock, Tag("resource_link")]
    | Annotated[EmbeddedResourceContentBlock, Tag("resource")]
    | Annotated[UnknownContentBlock, Tag("unknown")],
    Discriminator(
        _tag,
        custom_error_type="content_block_type",
        custom_error_message="a content block is a block class, or a dict with a type such as 'text'",
    ),
]
"""A content block of any type."""
