"""Tests that the code on the pages runs: the Python blocks of a page in order, as one program, without a network."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import os
import sys
import types
import warnings
from typing import TYPE_CHECKING

import pytest

from mistralai import agents
from tests.docs.pages import NOT_RUN, Page, pages

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from tests.docs.pages import Block

RUN = [page for page in pages() if any(block.runs for block in page.blocks)]
TYPED = "y\n"
"""What is typed where a block asks at the terminal."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to run in, without a key in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("MISTRAL_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    reading, writing = os.pipe()  # what a loop can wait for, as it can for a terminal
    os.write(writing, TYPED.encode())
    os.close(writing)
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield tmp_path


@contextlib.contextmanager
def module_of(page: Page) -> Generator[types.ModuleType]:
    """The module that the blocks of a page share. It can be found by name, as what reads annotations expects."""
    module = types.ModuleType("page_" + page.name.replace("/", "_").removesuffix(".md"))
    sys.modules[module.__name__] = module
    try:
        yield module
    finally:
        del sys.modules[module.__name__]


def run_block(page: Page, block: Block, module: types.ModuleType, runner: asyncio.Runner) -> str:
    """Run a block, its top-level awaits in the page's event loop, and return what it printed."""
    source = "\n" * block.line + block.code
    code = compile(source, page.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        awaits = eval(code, vars(module))
        if inspect.iscoroutine(awaits):
            runner.run(awaits)
    return printed.getvalue()


class TestTheBlocksOfAPage:
    @pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
    def test_run_in_order_and_print_what_the_page_says(self, page: Page, folder: Path) -> None:
        following = dict(zip(page.blocks, [*page.blocks[1:], None], strict=True))
        with (
            module_of(page) as module,
            asyncio.Runner() as runner,
            contextlib.chdir(folder),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", agents.ExperimentalWarning)  # the pages say what is experimental
            for block in page.blocks:
                if not block.runs:
                    continue
                printed = run_block(page, block, module, runner)
                after = following[block]
                if after is not None and (after.language, after.title) == ("text", "Output"):
                    assert printed.strip() == after.code.strip(), f"{page.name}:{block.line}"

    @pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
    def test_that_the_tests_leave_out_say_why(self, page: Page) -> None:
        left_out = [
            block for block in page.blocks if block.language == "python" and not block.runs and not block.is_file
        ]
        assert [block.line for block in left_out if len(block.title) < len(NOT_RUN) + 10] == []

    @pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
    def test_say_their_language(self, page: Page) -> None:
        unknown = {block.language for block in page.blocks} - {"python", "sh", "text", "json", "toml"}
        assert unknown <= ({""} if page.name == "docs/architecture.md" else set())
