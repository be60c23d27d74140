"""Entries of a history that seeds a new session, and how a list of them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from .content import ContentBlock, both_spellings, hide_type
from .errors import SdkError
from .invalid_value import first_problem
from .json_value import JsonValue
from .protocol_error import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class _ImportEntry(BaseModel):
    written_sparse: ClassVar[bool] = True
    """On the wire, what is None is left out."""
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        alias_generator=AliasGenerator(validation_alias=both_spellings),
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        hide_type(cls)


class HistoryImportMessage(_ImportEntry):
    """A message of the history: what the user, the model or the system said."""

    type: Literal["message"] = Field(default="message", init=False, repr=False)
    """`"message"`."""
    role: Literal["system", "user", "assistant"]
    """Who said it."""
    content: list[ContentBlock] = []
    """What was said, block by block."""


class HistoryImportReasoning(_ImportEntry):
    """The model's reasoning."""

    type: Literal["reasoning"] = Field(default="reasoning", init=False, repr=False)
    """`"reasoning"`."""
    text: str
    """What the model thought."""


class HistoryImportToolCall(_ImportEntry):
    """A tool call the model made."""

    type: Literal["tool_call"] = Field(default="tool_call", init=False, repr=False)
    """`"tool_call"`."""
    tool_call_id: str
    """The call, as its result names it."""
    tool_kind: Literal["builtin", "local", "mcp", "client", "plugin", "connector"] = "local"
    """Where the tool came from."""
    name: str
    """The tool's name."""
    arguments: JsonValue = None
    """The arguments."""


class HistoryImportToolResult(_ImportEntry):
    """The result of a tool call: a result or an error, not both."""

    type: Literal["tool_result"] = Field(default="tool_result", init=False, repr=False)
    """`"tool_result"`."""
    tool_call_id: str
    """The call."""
    name: str | None = None
    """The tool's name; None to take it from the call."""
    result: JsonValue = None
    """What the tool returned."""
    error: ProtocolError | None = None
    """Why the call failed; None if it did not."""
    annotations: dict[str, JsonValue] = {}
    """Data beside the result."""

    @model_validator(mode="after")
    def _result_or_error(self) -> HistoryImportToolResult:
        if self.result is not None and self.error is not None:
            raise ValueError("a tool result has both result and error; give one of them")
        return self


class HistoryImportSnapshot(_ImportEntry):
    """Data saved in the history, unseen by the model. It reads back as an `UnknownEntry` of type "checkpoint"."""

    type: Literal["snapshot"] = Field(default="snapshot", init=False, repr=False)
    """`"snapshot"`."""
    task_name: str
    """What saved it."""
    snapshot_type: str
    """What it is."""
    value: JsonValue = None
    """The data."""


type HistoryImportEntry = Annotated[
    HistoryImportMessage
    | HistoryImportReasoning
    | HistoryImportToolCall
    | HistoryImportToolResult
    | HistoryImportSnapshot,
    Field(discriminator="type"),
]
"""An entry of a history that seeds a new session."""

_entry: TypeAdapter[HistoryImportEntry] = TypeAdapter(HistoryImportEntry)


def parse_history(entries: Iterable[HistoryImportEntry | Mapping[str, Any]]) -> tuple[HistoryImportEntry, ...]:
    """Read a history as `history=` takes it. Raises `SdkError`, which names the index of the entry at fault."""
    parsed: list[HistoryImportEntry] = []
    for index, entry in enumerate(entries):
        try:
            read = _entry.validate_python(entry if isinstance(entry, BaseModel) else dict(entry))
        except ValidationError as error:
            raise SdkError(f"history[{index}]: {first_problem(error)}.") from None
        except (TypeError, ValueError):
            raise SdkError(
                f"history[{index}] is {type(entry).__name__}. Pass a HistoryImport… entry, or a dict with its type."
            ) from None
        if isinstance(read, HistoryImportMessage):
            _refuse_unknown(index, read)
        parsed.append(read)
    return tuple(parsed)


def _refuse_unknown(index: int, message: HistoryImportMessage) -> None:
    for at, block in enumerate(message.content):
        if block.type == "unknown":
            raise SdkError(
                f"history[{index}]: content[{at}] is of the unknown type {block.original_type!r}. "
                "Leave the block out, or give it as text."
            )
