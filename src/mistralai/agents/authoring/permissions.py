"""Permission policies: which tool calls run, are asked about, or are refused. The mode and the asking are core's."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from mistralai.agents.authoring.json_kinds import is_array, is_object
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mistralai.agents.values.json_value import JsonValue

type PermissionDecision = Literal["allow", "ask", "deny"]

_DECISIONS = ("allow", "ask", "deny")
MASK = "***"
"""Stands for a value that logs and titles do not show."""
_ALL_THAT_FOLLOW = ("*", "**")
_UNDOTTED = ("run_typescript", "wait")
"""The only tools whose ID has no namespace."""
_NAME = re.compile(r"[A-Za-z0-9_*-]+")


@record
class PermissionRule:
    """One rule of a policy: which tools and arguments it is about, and what it decides. Public page: Permissions."""

    tools: Sequence[str]
    """Full tool IDs, such as `client.pay`. `*` stands for any characters within one dotted part; as the last part, for
    all that follow, as `**` does anywhere."""
    decision: PermissionDecision
    """`"allow"`, `"ask"` or `"deny"`."""
    allowlist: Sequence[str] = ()
    """`"argument=glob"` each. The rule applies only if every argument named here matches one of its globs."""
    denylist: Sequence[str] = ()
    """`"argument=glob"` each. A call that matches one is denied, whatever `decision` says."""
    sensitive: Sequence[str] = ()
    """Names of arguments that logs, traces and titles of approvals do not show."""

    def __post_init__(self) -> None:
        if self.decision not in _DECISIONS:
            raise SdkError(f'PermissionRule: decision is {self.decision!r}. Pass "allow", "ask" or "deny".')
        for name in ("tools", "allowlist", "denylist", "sensitive"):
            object.__setattr__(self, name, _strings(name, getattr(self, name)))
        if not self.tools:
            raise SdkError('PermissionRule: tools is empty. Name the tools it is about, such as ["client.*"].')
        for pattern in self.tools:
            if (problem := _matches_nothing(pattern)) is not None:
                raise SdkError(f"PermissionRule: tools has {pattern!r}, which matches no tool: {problem}.")
        for name in ("allowlist", "denylist"):
            for pattern in getattr(self, name):
                if not pattern.partition("=")[0] or "=" not in pattern:
                    raise SdkError(
                        f'PermissionRule: {name} has {pattern!r}. Write "argument=glob", such as "path=/tmp/*".'
                    )

    def names(self, tool_id: str) -> bool:
        """Whether `tools` covers the tool."""
        return any(self.covers(pattern, tool_id) for pattern in self.tools)

    @staticmethod
    def covers(pattern: str, tool_id: str) -> bool:
        """Whether one pattern, as in `tools`, covers the tool."""
        return _tool_pattern(pattern).fullmatch(tool_id) is not None

    def matches(self, tool_id: str, arguments: JsonValue) -> bool:
        """Whether the rule decides this call."""
        return self.decide(tool_id, arguments) is not None

    def decide(self, tool_id: str, arguments: JsonValue) -> PermissionDecision | None:
        """What the rule says of the call; None if it does not apply."""
        if not self.names(tool_id):
            return None
        if any(_hits(pattern, arguments) for pattern in self.denylist):
            return "deny"
        wanted: dict[str, bool] = {}
        for pattern in self.allowlist:
            argument = pattern.partition("=")[0]
            wanted[argument] = wanted.get(argument, False) or _hits(pattern, arguments)
        return self.decision if all(wanted.values()) else None

    def masked(self, arguments: JsonValue) -> JsonValue:
        """The arguments as logs may show them."""
        if not self.sensitive or not isinstance(arguments, dict):
            return arguments
        return {name: MASK if name in self.sensitive else value for name, value in arguments.items()}


@record
class PermissionPolicy:
    """Ordered rules; the first that applies to a call decides. Public page: Permissions."""

    default: PermissionDecision = "allow"
    """The decision where no rule applies."""
    rules: Sequence[PermissionRule] = ()
    """Tried in their order."""

    def __post_init__(self) -> None:
        if self.default not in _DECISIONS:
            raise SdkError(f'PermissionPolicy: default is {self.default!r}. Pass "allow", "ask" or "deny".')
        given = cast("object", self.rules)
        if not isinstance(given, list | tuple):
            raise SdkError(f"PermissionPolicy: rules is {given!r}. Pass a list of PermissionRule.")
        for rule in cast("Sequence[object]", given):
            if not isinstance(rule, PermissionRule):
                raise SdkError(f"PermissionPolicy: rules has {rule!r}, which is not a PermissionRule.")
        object.__setattr__(self, "rules", tuple(self.rules))

    def decide(self, tool_id: str, arguments: JsonValue) -> PermissionDecision:
        """What the policy says of the call, on the arguments that would run."""
        for rule in self.rules:
            if (decision := rule.decide(tool_id, arguments)) is not None:
                return decision
        return self.default

    def reads_arguments(self, tool_id: str) -> bool:
        """Whether the decision on this tool depends on its arguments."""
        return any((rule.allowlist or rule.denylist) and rule.names(tool_id) for rule in self.rules)

    def sensitive(self, tool_id: str | None) -> frozenset[str]:
        """The names of a tool's arguments that logs do not show; None for those of any tool."""
        return frozenset(
            name
            for rule in self.rules
            if rule.sensitive and (tool_id is None or rule.names(tool_id))
            for name in rule.sensitive
        )

    def masked(self, tool_id: str, arguments: JsonValue) -> JsonValue:
        """The arguments as logs may show them: what any rule about this tool calls sensitive is masked."""
        for rule in self.rules:
            if rule.sensitive and rule.names(tool_id):
                arguments = rule.masked(arguments)
        return arguments


_canonical = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def canonical(arguments: JsonValue) -> str:
    """The one JSON text of equal arguments: sorted keys, no spaces, 1.0 as 1."""
    return _canonical(_with_whole_numbers(arguments))


def _with_whole_numbers(value: Any) -> Any:
    if is_object(value):
        return {name: _with_whole_numbers(part) for name, part in value.items()}
    if is_array(value):
        return [_with_whole_numbers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _hits(pattern: str, arguments: JsonValue) -> bool:
    argument, _, glob = pattern.partition("=")
    held: Any = arguments
    for part in [argument] if is_object(held) and argument in held else argument.split("."):  # a field of an object
        if not is_object(held) or part not in held:
            return False
        held = held[part]
    # A whole number may be written both ways: a parameter of type float gets 5.0, whatever the model wrote.
    texts = [held] if isinstance(held, str) else [canonical(held), _canonical(held)]
    return any(_glob(glob).fullmatch(text) for text in texts)


@lru_cache(maxsize=512)
def _glob(glob: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, glob.split("*"))), re.DOTALL)


def _matches_nothing(pattern: str) -> str | None:
    """Why a pattern can cover no tool, whatever the agent; None where it may cover one."""
    if "." not in pattern:
        if pattern in _ALL_THAT_FOLLOW or any(PermissionRule.covers(pattern, name) for name in _UNDOTTED):
            return None
        return f"IDs have a namespace. Write {_with_namespace(pattern)!r} for a tool of yours, or '*' for every tool"
    first, *others = pattern.split(".")
    if first == "tools":
        return f"{'.'.join(others)!r} is the ID without the `tools.` of titles and programs. Write that"
    if not all((first, *others)) or pattern.split() != [pattern]:
        return "an ID is written like 'client.pay', without spaces and without empty parts"
    if first == "client" and "**" not in others and (len(others) > 1 or _NAME.fullmatch(others[0]) is None):
        return "the ID of a tool of yours is 'client.' and its name, such as 'client.pay'"
    return None


def _with_namespace(name: str) -> str:
    return f"client.{name.strip() or '*'}"


@lru_cache(maxsize=512)
def _tool_pattern(pattern: str) -> re.Pattern[str]:
    parts = pattern.split(".")
    last = len(parts) - 1
    return re.compile(
        r"\.".join(
            ".+"
            if part in _ALL_THAT_FOLLOW and (part == "**" or place == last)
            else "[^.]*".join(map(re.escape, part.split("*")))
            for place, part in enumerate(parts)
        )
    )


def _strings(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, list | tuple | set | frozenset):
        held = tuple(cast("Sequence[object]", given))
        if all(isinstance(one, str) and one for one in held):
            return cast("tuple[str, ...]", held)
    raise SdkError(f"PermissionRule: {name} is {given!r}. Pass a list of strings.")
