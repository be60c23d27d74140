"""`agents inbox`: the questions that saved sessions wait on are asked here, and each turn goes on with the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.audience import while_heard
from mistralai.agents.cli.chat.command import face_for
from mistralai.agents.cli.chat.conversation import Conversation
from mistralai.agents.cli.chat.leaving import line_to_go_on, say_how_to_go_on, say_what_is_waited_for
from mistralai.agents.cli.chat.listening import listen_until_settled
from mistralai.agents.cli.chat.options import ChatOptions
from mistralai.agents.cli.chat.owner import Owner
from mistralai.agents.cli.data_directory import existing_data_directory
from mistralai.agents.cli.debug import keep_logs_quiet, show_traceback
from mistralai.agents.cli.problem import one_line
from mistralai.agents.cli.project import agents_of, find_entrypoint
from mistralai.agents.cli.saved import looked_at, saved_sessions
from mistralai.agents.cli.saving import journals, runtime
from mistralai.agents.cli.to_paste import to_paste

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.cli.saved import SavedSession
    from mistralai.agents.handles.agent import Agent
    from mistralai.agents.handles.session import Session
    from mistralai.agents.values.sessions import SessionInfo


def inbox(*, agent: str | None, demo: bool, data_dir: str | None) -> int:
    """Ask every open question of the project's agents; 1 where some stay open."""
    options = ChatOptions(agent=agent, demo=demo, data_dir=data_dir)
    owner = Owner()
    return owner.run(_go_through(_agents(agent, demo), existing_data_directory(data_dir), options, owner))


def _agents(where: str | None, demo: bool) -> Mapping[str, Agent[Any]]:
    if not demo:
        return agents_of(find_entrypoint(where))
    from mistralai.agents.cli.demo import demo_agent

    agent = demo_agent()
    return {agent.name: agent}


async def _go_through(agents: Mapping[str, Agent[Any]], data: Path, options: ChatOptions, owner: Owner) -> int:
    keep_logs_quiet()
    async with runtime(data):
        found = looked_at(data, [info for info in await saved_sessions() if info.open_callbacks or _runs(info)])
        waiting = [session.info for session in found if session.info.open_callbacks]
        ours = [info for info in waiting if info.agent_name in agents]
        others = sorted({info.agent_name for info in waiting} - agents.keys())
        stopped = [session for session in found if session.stopped and session.info.agent_name in agents]
        async with face_for(data) as face:
            code = await while_heard(face, _ask_and_tell(ours, agents, data, face, stopped, others, options, owner))
        left = owner.left
        if left is not None and not left.waits and (face.left is None or face.types_ahead):
            say_what_is_waited_for(left)
            say_how_to_go_on(left, options)
        return code


async def _ask_and_tell(
    ours: list[SessionInfo],
    agents: Mapping[str, Agent[Any]],
    data: Path,
    face: Face,
    stopped: list[SavedSession],
    others: list[str],
    options: ChatOptions,
    owner: Owner,
) -> int:
    went_well = await _ask_all(ours, agents, data, face, owner)
    if not went_well:
        left = [info for info in await saved_sessions() if info.open_callbacks and info.agent_name in agents]
        if left:
            said = "1 session still waits" if len(left) == 1 else f"{len(left)} sessions still wait"
            face.line("failed", f"{said} for an answer. Ask again with: {_line(options)}")
    _tell_the_rest(face, stopped, others, options, nothing=not ours)
    return 0 if went_well else 1


def _runs(info: SessionInfo) -> bool:
    return info.status == "running"


async def _ask_all(
    waiting: list[SessionInfo], agents: Mapping[str, Agent[Any]], data: Path, face: Face, owner: Owner
) -> bool:
    """Ask what each session waits on; False where one stays unanswered, or its turn failed."""
    went_well = True
    for number, info in enumerate(waiting, 1):
        face.line("note", f"{number} of {len(waiting)} · {info.agent_name} · session {info.session_id}")
        if journals(data).is_held(info.session_id):
            face.line("failed", "Held by another process; not answered. Answer where it is open, or end that first.")
            went_well = False
            continue
        conversation, left = await _ask(agents[info.agent_name], info, face, owner)
        went_well = went_well and not conversation.failed and not conversation.unfinished
        if left or conversation.nobody_answers:
            owner.left = conversation
            return False
    return went_well


async def _ask(agent: Agent[Any], info: SessionInfo, face: Face, owner: Owner) -> tuple[Conversation, bool]:
    """Show the turn that waits, ask, and show how it goes on. Returns also whether the person left before its end."""

    async def session() -> Session:
        return agent.session(info.session_id)

    left = False
    async with Conversation(session, face, owner, saved=True) as conversation:
        try:
            await conversation.go_on()
            left = not await listen_until_settled(conversation)
        except Exception as error:
            show_traceback(error)
            conversation.failed = True
            face.line("failed", one_line(error))
    return conversation, left or conversation.is_over


def _tell_the_rest(
    face: Face, stopped: list[SavedSession], others: list[str], options: ChatOptions, *, nothing: bool
) -> None:
    for session in stopped:
        line = line_to_go_on(session.info.session_id, options)
        face.line("note", f"A turn of {session.info.agent_name} stopped with its process. Go on with: {line}")
    if others:
        face.line("note", f"Questions of {', '.join(others)} wait too: run this where that agent is.")
    elif nothing and not stopped:
        face.line("note", "Nothing waits for you.")


def _line(options: ChatOptions) -> str:
    """This command again."""
    given = [
        *(["--demo"] if options.demo else []),
        *(["--agent", options.agent] if options.agent is not None else []),
        *(["--data-dir", options.data_dir] if options.data_dir is not None else []),
    ]
    return to_paste("inbox", *given)
