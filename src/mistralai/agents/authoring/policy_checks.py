"""A policy beside the tools of one agent: names that are likely slips are refused, and what matches no tool is told."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.permissions import PermissionPolicy, PermissionRule

_LOGGER = logging.getLogger("mistralai.agents")
CLOSE: Final = 0.88
"""How alike two IDs are that may differ by a slip: `client.pya` and `client.pay` have 0.9."""


def check_policy(owner: str, policy: PermissionPolicy, tools: Iterable[ToolDeclaration]) -> None:
    """Raise SdkError for a rule that would silently not apply: a slip in the name of a tool, or of a parameter of it.

    Several agents may share a policy, and tools of one may be called much as those of another: a name that is only like
    that of a tool which no rule is about is let through with a warning.
    """
    own = {tool.id: tool for tool in tools}
    patterns = [(rule, pattern) for rule in policy.rules for pattern in rule.tools]
    without_rule = [tool_id for tool_id in own if not any(rule.covers(pattern, tool_id) for rule, pattern in patterns)]
    for unknown in sorted({pattern for _, pattern in patterns if "*" not in pattern} - own.keys()):
        if (meant := _nearest(unknown, without_rule)) is None:
            continue
        if _is_slip(unknown, meant):
            raise SdkError(f"{owner}: permission_policy names {unknown}, which is no tool of it. Did you mean {meant}?")
        _LOGGER.warning(
            "%s: permission_policy names %s, which is no tool of it, and no rule is about %s. Did you mean that one?",
            owner,
            unknown,
            meant,
        )
    for rule in policy.rules:
        _check_arguments(owner, rule, own)


def unmatched(policy: PermissionPolicy, tools: Iterable[ToolDeclaration]) -> list[str]:
    """Return the patterns that match none of these tools, in the order of the rules."""
    ids = [tool.id for tool in tools]
    return [pattern for rule in policy.rules for pattern in rule.tools if not any(rule.covers(pattern, i) for i in ids)]


def _is_slip(unknown: str, meant: str) -> bool:
    """Whether two IDs are the same but for capitals, underscores, or letters that changed places."""
    return sorted(unknown.lower().replace("_", "")) == sorted(meant.lower().replace("_", ""))


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
