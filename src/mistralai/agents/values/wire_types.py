"""The discriminators of the wire, as docs/wire.md promises them: which `type` names which class, and where it lives."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Family:
    """Classes that stand in the same place and are told apart by their `type`."""

    __slots__ = ("members", "named_by", "unknown")

    def __init__(self, members: dict[str, str], unknown: str | None = None, named_by: str = "type") -> None:
        self.members: dict[str, str] = members
        """Class name by `type`."""
        self.unknown: str | None = unknown
        """The class of every other `type`; None where another type is an error."""
        self.named_by: str = named_by
        """The field of the unknown class that holds its `type`."""


FAMILIES: dict[str, Family] = {
    "TurnState": Family(
        {name.lower(): name for name in ("Running", "Blocked", "Completed", "Interrupted", "Failed")},
        "UnknownOutcome",
        "outcome",
    ),
    "OpenCallback": Family(
        {"approval": "OpenApproval", "client_tool": "OpenClientToolCall", "sign_in": "OpenSignIn"},
        "UnknownOpenCallback",
        "kind",
    ),
    "Entry": Family(
        {
            "message": "MessageEntry",
            "context_message": "ContextMessage",
            "tool_call": "ToolCallEntry",
            "tool_result": "ToolResultEntry",
        },
        "UnknownEntry",
    ),
    "Event": Family(
        {
            "turn_started": "TurnStarted",
            "turn_updated": "TurnUpdated",
            "callback_opened": "CallbackOpened",
            "callback_resolved": "CallbackResolved",
            "turn_ended": "TurnEnded",
            "session_updated": "SessionUpdated",
            "notice": "Notice",
            "entry_added": "EntryAdded",
            "entry_completed": "EntryCompleted",
            "text_delta": "TextDelta",
            "usage_reported": "UsageReported",
        },
        "UnknownEvent",
    ),
    "Termination": Family(
        {"completed": "CompletedTermination", "cancelled": "CancelledTermination", "failed": "FailedTermination"},
        "UnknownTermination",
    ),
    "Answer": Family(
        {"allow": "AllowApproval", "deny": "DenyApproval", "keep_open": "KeepCallbackOpen", "sign_in": "SignInAnswer"}
    ),
    "AnswerOutcome": Family(
        {"answered": "Answered", "already_settled": "AlreadySettled", "not_found": "NotFound"},
    ),
    "Conflict": Family({"turn_conflict": "TurnConflict"}),
}

_FAMILY_OF = (
    {name: family for family in FAMILIES.values() for name in family.members.values()}
    | {family.unknown: family for family in FAMILIES.values() if family.unknown}
    | {base: FAMILIES[base] for base in ("OpenCallback", "Entry", "Event")}
)
_TYPE_OF = {name: type_ for family in FAMILIES.values() for type_, name in family.members.items()}

READ_WHERE_NONE_IS_GIVEN = {"Interrupted": {"cause": "interrupted"}}
"""What a field without a default is read as where its object does not give it, or gives null. Page: Turn records."""

_LIGHT = (
    "turn_states",
    "callbacks",
    "requests",
    "answers",
    "entries",
    "events",
    "sessions",
    "protocol_error",
    "tool_calls",
    "usage",
    "conflicts",
    "annotations",
    "tool_result",
    "json_value",
)
_HEAVY = {"ContentBlock": "content", "HistoryImportEntry": "history_import"}
"""What needs pydantic, looked for by name so that nothing else loads it."""


def family_of(cls: type[Any]) -> Family | None:
    """Return the family a class belongs to; None if its place takes no other class."""
    return _FAMILY_OF.get(cls.__name__)


def type_of(cls: type[Any]) -> str | None:
    """Return the `type` of a class that belongs to a family; None for one that needs none, and for unknown ones."""
    return _TYPE_OF.get(cls.__name__)


def find(name: str) -> Any:
    """Return the class or alias of a name among the values. Raises KeyError, as a mapping does, when there is none."""
    if name == "datetime":
        return import_module("datetime").datetime
    package = __name__.rpartition(".")[0]
    for module in (_HEAVY[name],) if name in _HEAVY else _LIGHT:
        found = getattr(import_module(f"{package}.{module}"), name, None)
        if found is not None:
            return found
    return {"Mapping": dict, "Sequence": list}[name]


class Names(dict[str, Any]):
    """The names an annotation may use, found as they are asked for."""

    def __missing__(self, name: str) -> Any:
        return find(name)
