"""The commands of `agents` and their options. What a command does is imported when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from mistralai.agents.cli.debug import set_debug

app: typer.Typer = typer.Typer(
    name="agents",
    help="Write an agent, talk to it, and see what it is. Start with: agents chat --demo",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AgentAt = Annotated[
    str | None,
    typer.Option(
        "--agent", "-a", metavar="WHERE", help="A directory, a file, or module:attribute.", show_default=False
    ),
]
DataDir = Annotated[
    str | None,
    typer.Option(
        "--data-dir", metavar="PATH", help="Where sessions are saved (AGENTS_SDK_DATA_DIR).", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show where an error comes from.", callback=set_debug, is_eager=True)
]


def _print_version(wanted: bool) -> None:
    if wanted:
        from mistralai.agents.cli.version import version

        print(f"fanal {version()}")
        raise typer.Exit


@app.callback()
def agents(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    """Take the options that every command has."""


@app.command()
def chat(
    name: Annotated[
        str | None, typer.Argument(help="Which of the project's agents; the one called agent unless told.")
    ] = None,
    message: Annotated[
        str | None, typer.Option("--message", "-m", metavar="TEXT", help="Send one message, and end with its turn.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="ID", help="Go on with a saved session: its ID, a part of it, or latest."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Another model; local is a toy that runs on this machine."),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Talk to the demo's agent: no key, no network.")] = False,
    agent: AgentAt = None,
    data_dir: DataDir = None,
    save: Annotated[bool, typer.Option("--save/--no-save", help="Whether the session is saved.")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="With -m: print the turn's record as JSON, and nothing else.")
    ] = False,
    debug: Debug = False,
) -> int:
    """Talk to an agent in this terminal, or over pipes."""
    from mistralai.agents.cli.chat.command import chat
    from mistralai.agents.cli.chat.options import ChatOptions

    return chat(
        ChatOptions(
            name=name,
            message=message,
            resume=resume,
            model=model,
            demo=demo,
            agent=agent,
            data_dir=data_dir,
            save=save,
            as_json=as_json,
        )
    )


@app.command()
def info(
    path: Annotated[str | None, typer.Argument(help="A directory, a file, or module:attribute.")] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> int:
    """Show the project's agent, its tools, and what is missing."""
    from mistralai.agents.cli.info import info

    return info(path, as_json=as_json)


@app.command()
def init(
    name: Annotated[str, typer.Argument(help="The new directory, which names the project and its agent.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    git: Annotated[bool, typer.Option("--git/--no-git", help="Whether to make a git repository of it.")] = True,
    debug: Debug = False,
) -> int:
    """Make a project: an agent with a test that passes offline."""
    from mistralai.agents.cli.new_project import new_project

    return new_project(name, ask=not yes, git=git)


@app.command()
def sessions(
    limit: Annotated[int, typer.Option("--limit", "-n", help="The most to list.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> int:
    """List saved sessions, the last used first."""
    from mistralai.agents.cli.sessions import sessions

    return sessions(data_dir=data_dir, limit=limit, as_json=as_json)


@app.command()
def inbox(
    agent: AgentAt = None,
    demo: Annotated[bool, typer.Option("--demo", help="The questions of the demo's agent.")] = False,
    data_dir: DataDir = None,
    debug: Debug = False,
) -> int:
    """Answer what saved sessions ask, and let their turns go on."""
    from mistralai.agents.cli.inbox import inbox

    return inbox(agent=agent, demo=demo, data_dir=data_dir)
