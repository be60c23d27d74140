"""A policy beside the tools of one agent: names that are likely slips are refused, and what matches no tool is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.permissions import PermissionPolicy, PermissionRule

CLOSE: Final = 0.88
"""How alike two IDs are that differ by a slip: `client.pya` and `client.pay` have 0.9."""


def check_policy(owner: str, policy: PermissionPolicy, tools: Iterable[ToolDeclaration]) -> None:
    """Raise SdkError for a rule that would silently not apply: it nearly names a tool, or names no parameter of it.

    A tool that is none of the agent's is let through otherwise: several agents may share a policy.
    """
    own = {tool.id: tool for tool in tools}
    literal = {pattern for rule in policy.rules for pattern in rule.tools if "*" not in pattern}
    for unknown in sorted(literal - own.keys()):
        if (meant := _nearest(unknown, own.keys() - literal)) is not None:
            raise SdkError(f"{owner}: permission_policy names {unknown}, which is no tool of it. Did you mean {meant}?")
    for rule in policy.rules:
        _check_arguments(owner, rule, own)


def unmatched(policy: PermissionPolicy, tools: Iterable[ToolDeclaration]) -> list[str]:
    """Return the patterns that match none of these tools, in the order of the rules."""
    ids = [tool.id for tool in tools]
    return [pattern for rule in policy.rules for pattern in rule.tools if not any(rule.covers(pattern, i) for i in ids)]


def _nearest(unknown: str, own: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # 5 ms, and most policies name tools that there are

    spelled = {tool_id.lower(): tool_id for tool_id in own}
    return next((spelled[each] for each in get_close_matches(unknown.lower(), spelled, n=1, cutoff=CLOSE)), None)


def _check_arguments(owner: str, rule: PermissionRule, own: Mapping[str, ToolDeclaration]) -> None:
    named = [own[pattern] for pattern in rule.tools if pattern in own]
    for argument, lists in _arguments_of(rule):
        lacking = [tool for tool in named if not _takes(tool, argument)]
        # What is masked for one tool does no harm to another; what is decided for one would not be for the other.
        if lacking and (lists != "sensitive" or len(lacking) == len(rule.tools)):
            has = ", ".join(sorted(lacking[0].argument_names or ())) or "none"
            raise SdkError(
                f"{owner}: a rule of permission_policy has {argument!r} in its {lists}, which is no parameter of "
                f"{lacking[0].id}. It has: {has}. Correct it, or give tools that differ a rule each."
            )


def _arguments_of(rule: PermissionRule) -> Iterator[tuple[str, str]]:
    for lists in ("allowlist", "denylist"):
        for pattern in getattr(rule, lists):
            yield pattern.partition("=")[0], lists
    yield from ((argument, "sensitive") for argument in rule.sensitive)


def _takes(tool: ToolDeclaration, argument: str) -> bool:
    """Whether a tool has a parameter of the name, or one whose field it may name."""
    names = tool.argument_names
    return names is None or argument in names or argument.partition(".")[0] in names
