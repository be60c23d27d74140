"""Tests of what the pages say about the code: their links lead somewhere, their tables are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module

import pytest

from mistralai import agents
from mistralai.agents import testing
from tests.docs.pages import DOCS, ROOT, Page, pages, site_pages

SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
REFERENCE = "\n".join(page.text for page in site_pages() if page.path.is_relative_to(DOCS / "reference"))
MODULES = {"hook": "authoring.hook", "pattern.hook": "pattern.hook", "experimental": "experimental"}
"""Public modules, by the name they are reached by, and where each lies."""
NOT_CODES = {"completion_tokens", "approval", "client_tool", "sign_in", "invalid", "ok"}
"""Words that stand in the source where codes stand."""


class TestALink:
    @pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
    def test_within_the_project_leads_somewhere(self, page: Page) -> None:
        assert [link for link in page.links if ":" not in link and not self.leads(page, link)] == []

    def leads(self, page: Page, link: str) -> bool:
        name, _, anchor = link.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        if not path.exists() or not path.is_relative_to(ROOT):
            return False
        return not anchor or path.suffix != ".md" or anchor in Page(path).anchors

    @pytest.mark.parametrize("page", site_pages(), ids=lambda page: page.name)
    def test_of_a_page_of_the_site_stays_on_the_site(self, page: Page) -> None:
        targets = [link.partition("#")[0] for link in page.links if ":" not in link]
        assert [name for name in targets if not (page.path.parent / name).resolve().is_relative_to(DOCS)] == []


class TestTheSite:
    def test_has_every_page_in_its_menu(self) -> None:
        menu = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text()))
        assert menu == {page.path.relative_to(DOCS).as_posix() for page in site_pages()}


class TestTheReference:
    @pytest.mark.parametrize(("module", "names"), [("agents", agents.__all__), ("agents.testing", testing.__all__)])
    def test_has_every_public_name_once(self, module: str, names: list[str]) -> None:
        shown = re.findall(rf"^::: mistralai\.{re.escape(module)}\.(\w+)$", REFERENCE, re.MULTILINE)
        assert sorted(shown) == sorted(set(names) - {"hook", "pattern", "experimental"})

    @pytest.mark.parametrize("module", MODULES)
    def test_has_the_classes_of_the_public_modules(self, module: str) -> None:
        public: list[str] = import_module(f"mistralai.agents.{MODULES[module]}").__all__
        names = [name for name in public if name not in agents.__all__ and name[0].isupper()]
        shown = re.findall(rf"^::: mistralai\.agents\.{re.escape(module)}\.(\w+)$", REFERENCE, re.MULTILINE)
        assert sorted(shown) == sorted(names)


class TestTheTablesOfErrorCodes:
    def test_have_every_code_that_the_source_gives(self) -> None:
        given = {
            code
            for pattern in (
                r'code="([a-z_]+)"',
                r'"(completion_[a-z_]+)"',
                r'failed\([^"\n]*"([a-z_]+)"',
                r'kind="([a-z_]+)"',
            )
            for code in re.findall(pattern, SOURCE)
        }
        page = Page(DOCS / "concepts" / "models-and-errors.md")
        described = set(re.findall(r"^\| `([a-z_]+)` \|", page.text, re.MULTILINE))
        assert given - described <= NOT_CODES


class TestTheSettings:
    def test_of_the_environment_are_all_described(self) -> None:
        read = set(re.findall(r"\bAGENTS_SDK_[A-Z_]+\b", SOURCE))
        page = Page(DOCS / "concepts" / "models-and-errors.md")
        assert read - set(re.findall(r"^\| `(AGENTS_SDK_[A-Z_]+)` \|", page.text, re.MULTILINE)) == set()


class TestTheCommandLine:
    def test_of_the_page_is_the_one_there_is(self) -> None:
        page = Page(DOCS / "concepts" / "command-line.md")
        commands: dict[str, set[str]] = {}
        for command, rest in re.findall(r"`agents (\w+)([^`]*)`", page.text):
            commands.setdefault(command, set()).update(re.findall(r"-{1,2}[a-z][a-z-]*", rest))
        commands["chat"] |= {"--agent", "--data-dir", "--no-save"}
        for command, options in commands.items():
            run = [sys.executable, "-c", "import sys; from fanal.command import main; sys.exit(main())", command]
            shown = subprocess.run([*run, "--help"], capture_output=True, text=True, check=False)
            assert shown.returncode == 0, shown.stderr
            assert [option for option in options if option not in shown.stdout] == []
