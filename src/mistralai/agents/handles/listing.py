"""`list_sessions`: the sessions of a place, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from mistralai.agents.local.registry import find
from mistralai.agents.values.errors import SdkError, UnsupportedAgentFeatureError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mistralai.agents.values.sessions import SessionInfo

_STATUSES = ("running", "waiting", "terminated")
_SCOPES = ("roots", "children", "tree")


async def list_sessions(
    *,
    host: Literal["deployed", "local"] = "deployed",
    scope: Literal["roots", "children", "tree"] = "roots",
    root: str | None = None,
    parent: str | None = None,
    status: Literal["running", "waiting", "terminated"] | None = None,
    limit: int | None = None,
    client: Any = None,
) -> AsyncIterator[SessionInfo]:
    """Yield what there is of each session, newest first. Public page: Sessions.

    `host="local"` lists those of the running event loop, and those saved in its directory. `scope` is the roots, the
    `children`, or the whole `tree` of `root`; with `parent`, only its children. `status` and `limit` narrow the list,
    None does not; `"waiting"` is a session that waits for a message or for answers.
    """
    if host not in ("deployed", "local"):
        raise SdkError(f'list_sessions: host is {host!r}. Pass "local".')
    if scope not in _SCOPES:
        raise SdkError(f"list_sessions: scope is {scope!r}. Pass one of {', '.join(_SCOPES)}.")
    if status is not None and status not in _STATUSES:
        raise SdkError(f"list_sessions: status is {status!r}. Pass one of {', '.join(_STATUSES)}, or None.")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may not check types
        raise SdkError(f"list_sessions: limit is {limit!r}. Pass a whole number, or None for all.")
    if host == "deployed":
        raise UnsupportedAgentFeatureError(
            'list_sessions: this version has no server to list. Pass host="local" for the sessions of this event loop.'
        )
    runtime = find()
    if runtime is None or scope == "children" or parent is not None or limit == 0:
        return  # a local session has no children
    from mistralai.agents.local.listing import session_infos

    listed = 0
    async for info in session_infos(runtime, root):
        if status is None or info.status == status:
            yield info
            listed += 1
            if listed == limit:
                return
