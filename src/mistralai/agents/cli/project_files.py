"""The files of a new project."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mistralai.agents.cli.installation import Installation


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """What a project needs to know of a provider."""

    model: str
    key: str


PROVIDERS = {
    "mistral": ProviderChoice("mistral-large-4", "MISTRAL_API_KEY"),
    "openai": ProviderChoice("gpt-5", "OPENAI_API_KEY"),
    "anthropic": ProviderChoice("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
}


def files(project: str, provider: str, model: str, here: Installation) -> dict[str, str]:
    """Return the text of each file by its path. The project takes the package from where it came `here`."""
    chosen = "" if provider == "mistral" else f"    provider={provider!r},\n".replace("'", '"')
    words = {
        "@project@": project,
        "@model@": model,
        "@provider@\n": chosen,
        "@key@": PROVIDERS[provider].key,
        "@sources@\n": f"[tool.uv.sources]\nfanal = {here.source}\n\n" if here.source is not None else "",
        "@fanal@": shlex.quote(here.requirement("cli")),
        "@where@": _FROM_A_SOURCE if here.source is not None else _FROM_A_REGISTRY,
    }
    return {path: _filled(text, words) for path, text in _FILES.items()}


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


_MAIN = '''\
"""The agent, and a program that asks it once."""

import asyncio
import sys

from mistralai import agents


@agents.tool(annotations=agents.ToolAnnotations(read_only_hint=True))
def count_words(text: str) -> int:
    """Count the words of a text.

    Args:
        text: The text to count in.
    """
    return len(text.split())


@agents.tool
def save_note(title: str, text: str) -> str:
    """Save a note for the user.

    Args:
        title: What the note is about, in a few words.
        text: The note itself.
    """
    return f"saved: {title}"


agent = agents.Agent(
    name="@project@",
    model="@model@",
@provider@
    instructions="Help the user with their texts. Count with the tool, never by eye.",
    tools=[count_words, save_note],
    permission_policy=agents.PermissionPolicy(
        default="allow",
        rules=[agents.PermissionRule(tools=["client.save_note"], decision="ask")],
    ),
)


async def main() -> int:
    match await agent.run("How many words has 'Brevity is the soul of wit'?"):
        case agents.Completed(text=text):
            print(text)
            return 0
        case agents.Failed(error=error):
            print(f"{error.code}: {error.message}", file=sys.stderr)
        case state:
            print(f"The turn ended as {state!r}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except agents.SdkError as error:  # such as a key that is not set
        sys.exit(str(error))
'''

_TEST = '''\
"""Tests of the agent without a model: a script plays its part, so they need no key and no network."""

import asyncio

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, reply

from main import agent


def test_the_agent_counts_with_its_tool() -> None:
    model = ScriptedModel([call("count_words", {"text": "one two three"}), reply("It has 3 words.")])
    with agent.override(model=model):
        state = asyncio.run(agent.run("How many words has 'one two three'?"))
    assert isinstance(state, agents.Completed)
    assert state.text == "It has 3 words."
    assert [tool_call.name for tool_call in state.tool_calls] == ["client.count_words"]
    model.assert_consumed()


def test_a_note_is_saved_only_if_the_user_allows_it() -> None:
    asked: list[str] = []

    def refuse(ctx: agents.ApprovalCallbackContext, request: agents.ApprovalRequest) -> agents.DenyApproval:
        asked.append(request.tool.name)
        return agents.DenyApproval(message="not now")

    model = ScriptedModel([call("save_note", {"title": "wit", "text": "brief"}), reply("I did not save it.")])
    with agent.override(model=model):
        state = asyncio.run(agent.run("Save a note.", on_approval=refuse))
    assert asked == ["save_note"]
    assert isinstance(state, agents.Completed)
    model.assert_consumed()
'''

_SETTINGS = """\
[project]
name = "@project@"
version = "0.1.0"
requires-python = ">=3.12"
dependencies = ["fanal[cli]"]

[dependency-groups]
dev = ["pytest>=8"]

[tool.uv]
package = false

@sources@
[tool.mistralai.agents]
entrypoint = "main:agent"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
"""

_README = """\
# @project@

An agent: its tools and rules are in `main.py`.

| step | with uv | with pip |
|---|---|---|
| install | `uv sync` | `python -m venv .venv && . .venv/bin/activate && pip install @fanal@ pytest` |
| test, offline | `uv run pytest` | `python -m pytest` |
| see what the agent is | `uv run agents info` | `agents info` |
| talk to it | `uv run agents chat` | `agents chat` |
| ask it once | `uv run python main.py` | `python main.py` |

Talking to it needs `@key@` in the environment; the tests do not. Python has to be 3.12 or later.

Without a key, a server of your own that speaks OpenAI's chat completions (vLLM, Ollama, llama.cpp, LM Studio)
answers: write `provider="openai"` and its model's name in `main.py`, and set `OPENAI_BASE_URL`, such as
`http://localhost:11434/v1`.
`agents chat --model local` talks to a toy model on this machine, and says what to install for it.

@where@
"""

_FROM_A_SOURCE = """\
Fanal comes from where it was installed from when this project was made. For a published release, leave
`[tool.uv.sources]` out of `pyproject.toml` and write `'fanal[cli]'` for pip."""

_FROM_A_REGISTRY = """\
Where Fanal is in a folder, and not in a registry, its place stands in `pyproject.toml` for uv:
`[tool.uv.sources]` with `fanal = { path = "/path/to/fanal" }`. pip takes `'/path/to/fanal[cli]'`."""

_IGNORED = """\
.venv/
__pycache__/
.pytest_cache/
.env
"""

_FILES = {
    "main.py": _MAIN,
    "tests/test_agent.py": _TEST,
    "pyproject.toml": _SETTINGS,
    "README.md": _README,
    ".gitignore": _IGNORED,
}
