"""`agents sessions`: the sessions that `agents chat` saved."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.data_directory import existing_data_directory, sessions_directory
from mistralai.agents.cli.problem import Problem
from mistralai.agents.cli.saved import looked_at, saved_sessions
from mistralai.agents.cli.saving import runtime
from mistralai.agents.cli.session_rows import session_rows
from mistralai.agents.cli.terminal_width import terminal_width
from mistralai.agents.values.wire import to_data

if TYPE_CHECKING:
    from pathlib import Path

    from mistralai.agents.cli.saved import SavedSession


def sessions(*, data_dir: str | None, limit: int, as_json: bool) -> int:
    """Print them, the one in which something happened last first."""
    if limit < 1:
        raise Problem(f"--limit is {limit}. Give a number from 1.", exit_code=2)
    data = existing_data_directory(data_dir)
    found = asyncio.run(_list(data, limit))
    if as_json:
        print(json.dumps([_data(session) for session in found], ensure_ascii=False, indent=2))
        return 0
    if not found:
        print(f"No sessions are saved in {sessions_directory(data)}. Start one with: agents chat")
        return 0
    for row in session_rows(found, terminal_width(), datetime.now(UTC)):
        print(row)
    return 0


async def _list(data: Path, limit: int) -> list[SavedSession]:
    async with runtime(data):
        return looked_at(data, await saved_sessions(limit))


def _data(session: SavedSession) -> dict[str, object]:
    """A session's fields as a program reads them, with what its files tell beside them."""
    expires_at = session.expires_at.isoformat().replace("+00:00", "Z") if session.expires_at is not None else None
    data: Any = to_data(session.info)
    return {**data, "held": session.held, "expires_at": expires_at}
