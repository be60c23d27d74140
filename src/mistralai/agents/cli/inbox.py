"""`agents inbox`: the questions that saved sessions wait on are asked here, and each turn goes on with the answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.command import face_for
from mistralai.agents.cli.chat.conversation import Conversation
from mistralai.agents.cli.data_directory import data_directory
from mistralai.agents.cli.debug import keep_logs_quiet
from mistralai.agents.cli.project import agents_of, find_entrypoint
from mistralai.agents.cli.saved import saved_sessions
from mistralai.agents.cli.saving import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.handles.agent import Agent
    from mistralai.agents.handles.session import Session
    from mistralai.agents.values.sessions import SessionInfo


def inbox(*, agent: str | None, demo: bool, data_dir: str | None) -> int:
    """Ask every open question of the project's agents; 1 where some stay open."""
    return asyncio.run(_go_through(_agents(agent, demo), data_directory(data_dir)))


def _agents(where: str | None, demo: bool) -> Mapping[str, Agent[Any]]:
    if not demo:
        return agents_of(find_entrypoint(where))
    from mistralai.agents.cli.demo import demo_agent

    agent = demo_agent()
    return {agent.name: agent}


async def _go_through(agents: Mapping[str, Agent[Any]], data: Path) -> int:
    keep_logs_quiet()
    async with runtime(data):
        waiting = [info for info in await saved_sessions() if info.open_callbacks]
        ours = [info for info in waiting if info.agent_name in agents]
        others = sorted({info.agent_name for info in waiting} - agents.keys())
        went_well = True
        async with face_for(data) as face:
            for number, info in enumerate(ours, 1):
                face.line("note", f"{number} of {len(ours)} · {info.agent_name} · session {info.session_id}")
                if not await _answer(agents[info.agent_name], info, face):
                    went_well = False
                    break
            if others:
                face.line("note", f"Questions of {', '.join(others)} wait too: run this where that agent is.")
            elif not ours:
                face.line("note", "Nothing waits for you.")
        return 0 if went_well else 1


async def _answer(agent: Agent[Any], info: SessionInfo, face: Face) -> bool:
    """Show the turn that waits, ask, and show how it goes on; False where it stays unanswered."""

    async def session() -> Session:
        return agent.session(info.session_id)

    conversation = Conversation(session, face, saved=True)
    try:
        await conversation.go_on()
        await conversation.settled()
    finally:
        await conversation.leave()
    return not conversation.failed and not conversation.unfinished
