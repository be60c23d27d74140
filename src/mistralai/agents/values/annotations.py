"""`ToolAnnotations`: what a tool says of itself, in the terms of MCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .errors import SdkError
from .record import record

if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class ToolAnnotations:
    """Hints about what a tool does. They are the tool's word, not a guarantee.

    MCP's own spelling, such as `readOnlyHint`, is taken too.
    """

    title: str | None = None
    """A name to show to people; None to show the tool's own."""
    read_only_hint: bool | None = None
    """True if the tool changes nothing; None if it does not say."""
    destructive_hint: bool | None = None
    """True if the tool may delete or overwrite; None if it does not say."""
    idempotent_hint: bool | None = None
    """True if calling it again with the same arguments changes nothing more; None if it does not say."""
    open_world_hint: bool | None = None
    """True if the tool reaches beyond a closed system, such as to the web; None if it does not say."""

    ALIASES: ClassVar[Mapping[str, str]] = {
        "readOnlyHint": "read_only_hint",
        "destructiveHint": "destructive_hint",
        "idempotentHint": "idempotent_hint",
        "openWorldHint": "open_world_hint",
    }
    """How MCP writes the hints, which the constructor takes too."""

    if not TYPE_CHECKING:  # type checkers see the fields alone, so that a misspelt hint is an error for them

        def __init__(
            self,
            *,
            title=None,
            read_only_hint=None,
            destructive_hint=None,
            idempotent_hint=None,
            open_world_hint=None,
            **aliases,
        ):
            given = {
                "title": title,
                "read_only_hint": read_only_hint,
                "destructive_hint": destructive_hint,
                "idempotent_hint": idempotent_hint,
                "open_world_hint": open_world_hint,
            }
            for alias, value in aliases.items():
                name = self.ALIASES.get(alias)
                if name is None:
                    raise TypeError(f"ToolAnnotations has no hint '{alias}'. Its hints are {', '.join(given)}.")
                if given[name] is not None:
                    raise TypeError(f"ToolAnnotations was given both '{name}' and '{alias}'. Pass one of them.")
                given[name] = value
            for name, value in given.items():
                object.__setattr__(self, name, _checked(name, value))

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ToolAnnotations:
        """Read annotations as MCP or our own wire writes them; keys they do not know are passed over."""
        known = {name: data[name] for name in ("title", *cls.ALIASES.values()) if data.get(name) is not None}
        for alias, name in cls.ALIASES.items():
            if data.get(alias) is not None:
                known.setdefault(name, data[alias])
        return cls(**known)


def _checked(name: str, value: object) -> object:
    if value is None or isinstance(value, str if name == "title" else bool):
        return value
    wanted = "a string" if name == "title" else "True or False"
    raise SdkError(f"ToolAnnotations: {name} is {value!r}. Pass {wanted}, or None.")
