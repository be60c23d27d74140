"""What `agents chat` does, from its options to its exit code."""

from __future__ import annotations

import os
import sys
from contextlib import AsyncExitStack, nullcontext
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.chat.audience import while_heard
from mistralai.agents.cli.chat.conversation import Conversation
from mistralai.agents.cli.chat.face import PROMPT
from mistralai.agents.cli.chat.leaving import say_how_to_go_on, say_what_is_waited_for
from mistralai.agents.cli.chat.listening import listen, listen_until_settled
from mistralai.agents.cli.chat.options import LOCAL, ChatOptions
from mistralai.agents.cli.chat.owner import Owner
from mistralai.agents.cli.chat.silent import Silent
from mistralai.agents.cli.data_directory import data_directory, typed_lines
from mistralai.agents.cli.debug import keep_logs_quiet
from mistralai.agents.cli.problem import Problem
from mistralai.agents.cli.provider_check import check_provider
from mistralai.agents.cli.saved import find_saved
from mistralai.agents.cli.saving import journals, runtime
from mistralai.agents.cli.session_rows import last_used
from mistralai.agents.cli.streams import stdout_kept
from mistralai.agents.values.turn_states import Failed
from mistralai.agents.values.wire import to_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mistralai.agents.cli.chat.face import Face
    from mistralai.agents.handles.agent import Agent
    from mistralai.agents.handles.session import Session


def chat(options: ChatOptions) -> int:
    """Hold the conversation, and return the exit code."""
    if options.as_json and options.message is None:
        raise Problem("--json prints the record of one turn: give its message with -m.", exit_code=2)
    if options.resume is not None and not options.save:
        raise Problem("--resume goes on with a saved session: leave out --no-save.", exit_code=2)
    if options.resume is not None and options.model is not None and options.model != LOCAL:
        raise Problem("A saved session keeps its model: leave out --model, or start a new session.", exit_code=2)
    with stdout_kept() if options.as_json else nullcontext(print) as say:
        agent = _agent(options)
        owner = Owner()
        return owner.run(_hold(agent, options, say, owner))


def _agent(options: ChatOptions) -> Agent[Any]:
    if options.demo:
        from mistralai.agents.cli.demo import demo_agent

        return demo_agent()
    from mistralai.agents.cli.project import find_entrypoint, load_agent

    return load_agent(find_entrypoint(options.agent), options.name)


async def _hold(agent: Agent[Any], options: ChatOptions, say: Callable[[str], None], owner: Owner) -> int:
    keep_logs_quiet()
    data = data_directory(options.data_dir)
    names_model = options.model not in (None, LOCAL)
    async with AsyncExitStack() as uses:
        if options.model == LOCAL:
            from mistralai.agents.cli.local_model import TOY, local_model

            print(f"agents: {TOY}", file=sys.stderr)
            uses.enter_context(agent.override(model=await uses.enter_async_context(local_model())))
        await uses.enter_async_context(runtime(data, saved=options.save))
        resumed = await find_saved(options.resume, agent.name) if options.resume is not None else None
        if resumed is not None and journals(data).is_held(resumed.session_id):
            raise Problem(f"Session {resumed.session_id} is held by another process. Go on there, or end that first.")
        if isinstance(agent.model, str) and options.model != LOCAL:
            check_provider(agent.provider)
        if resumed is not None and resumed.session_id != options.resume:
            print(f"Session {resumed.session_id}, last used {last_used(resumed)}", file=sys.stderr, flush=True)

        async def session() -> Session:
            if resumed is not None:
                return agent.session(resumed.session_id)
            return await agent.start_session(agent={"model": options.model} if names_model else None)

        async with (
            Silent() if options.as_json else face_for(data) as face,
            Conversation(session, face, owner, saved=options.save) as conversation,
        ):
            code = await while_heard(face, _converse(conversation, agent, options))
        if options.as_json and conversation.state is not None:
            say(to_json(conversation.state))
        heard = face.left is None or face.types_ahead
        if heard:
            say_what_is_waited_for(conversation)
    if heard:
        say_how_to_go_on(conversation, options)
    return code


def face_for(data: Path) -> Face:
    """Return the face: of the terminal where there is one, of the pipes otherwise."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") not in (None, "", "dumb"):
        from mistralai.agents.cli.chat.terminal import Terminal

        return Terminal(typed_lines(data))
    from mistralai.agents.cli.chat.pipes import Pipes

    return Pipes()


async def _converse(conversation: Conversation, agent: Agent[Any], options: ChatOptions) -> int:
    face = conversation.face
    if options.resume is not None:
        await conversation.go_on()
    if options.message is not None:
        return await _say_once(conversation, options.message)
    if face.types_ahead:
        face.line("note", _welcome(agent, options))
    else:
        await conversation.settled()
    await listen(conversation)
    await conversation.leave()
    failed = conversation.failed or (isinstance(conversation.state, Failed) and not face.types_ahead)
    return 1 if failed or conversation.waits else 0


async def _say_once(conversation: Conversation, message: str) -> int:
    """Send one message and show its turn; what is typed meanwhile steers it."""
    conversation.face.line("user", f"{PROMPT}{message}")
    await conversation.say(message)
    await listen_until_settled(conversation)
    await conversation.leave()
    return 0 if conversation.went_well else 1


def _welcome(agent: Agent[Any], options: ChatOptions) -> str:
    model = options.model or (agent.model if isinstance(agent.model, str) else type(agent.model).__name__)
    kept = "" if options.save else ", not saved"
    return f"{agent.name} · {model}{kept} · /help, Ctrl+D ends"
