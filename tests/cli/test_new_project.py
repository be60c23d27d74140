"""Tests of `agents init`: the project it writes runs, and its test passes offline."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from mistralai.agents.cli.installation import Installation, installation
from mistralai.agents.cli.new_project import new_project
from mistralai.agents.cli.project_files import files
from tests.cli.at_terminal import AGENTS, environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Project, Run, Start


@pytest.fixture
def made(project: Project, run: Run) -> Path:
    done = run("init", "my_desk", "--yes", "--no-git")
    assert (done.returncode, done.stderr) == (0, "")
    return project.directory / "my_desk"


class TestTheProject:
    def test_has_a_test_that_passes_offline(self, made: Path, data: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            cwd=made,
            env=environment(data),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        assert "2 passed" in done.stdout

    def test_runs_up_to_the_missing_key(self, made: Path, data: Path) -> None:
        done = subprocess.run(
            [sys.executable, "main.py"], cwd=made, env=environment(data), capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "set MISTRAL_API_KEY" in done.stderr
        assert done.stderr.count("\n") == 1

    @pytest.mark.usefixtures("made")
    def test_is_found_by_the_command(self, run: Run) -> None:
        done = run("info", "my_desk")
        assert "agent   my-desk (main:agent)" in done.stdout
        assert "client.save_note · ask" in done.stdout

    def test_is_one_for_pip_and_uv(self, made: Path) -> None:
        settings = tomllib.loads((made / "pyproject.toml").read_text())
        assert settings["project"]["name"] == "my-desk"
        assert settings["tool"]["uv"]["package"] is False
        here = installation()
        assert here.requirement("cli") in (made / "README.md").read_text()

    def test_says_how_to_talk_to_it_without_a_key(self, made: Path) -> None:
        said = (made / "README.md").read_text()
        assert all(way in said for way in ('`provider="openai"`', "`OPENAI_BASE_URL`", "`agents chat --model local`"))

    def test_passes_the_linter_and_the_type_checker(self, made: Path) -> None:
        linter = ["ruff", "check", "--isolated", "--line-length=120", "--select=E,F,I,UP,B", "."]
        strict = {"typeCheckingMode": "strict", "pythonVersion": "3.12"}
        (made / "pyrightconfig.json").write_text(json.dumps(strict))
        pyright = ["pyright", "-p", ".", "--pythonpath", sys.executable]
        for check in (linter, ["mypy", "--strict", "main.py", "tests/test_agent.py"], pyright):
            done = subprocess.run([sys.executable, "-m", *check], cwd=made, capture_output=True, text=True, check=False)
            if "No module named" in done.stderr:
                pytest.skip("the checkers are not installed in this environment")
            assert done.returncode == 0, done.stdout + done.stderr


class TestItsName:
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("class", "'class' is a word of Python. Give it another name, such as my-class."),
            ("fanal", "'fanal' is a package that the project needs."),
            ("pytest", "'pytest' is a package that the project needs."),
            ("1st", "'1st' is no name for a project. Use letters, digits and hyphens"),
        ],
    )
    def test_that_cannot_be_is_refused_with_why(self, name: str, said: str, project: Project, run: Run) -> None:
        done = run("init", name, "--yes")
        assert done.returncode == 2
        assert done.stderr.startswith(f"agents: {said}")
        assert not (project.directory / name).exists()

    def test_is_the_directorys_own_where_that_is_a_dot(self, project: Project, data: Path) -> None:
        where = project.directory / "my_desk"
        where.mkdir()
        done = subprocess.run(
            [AGENTS, "init", ".", "--yes", "--no-git"],
            cwd=where,
            env=environment(data),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("my_desk is a project.")
        assert "cd " not in done.stdout
        assert tomllib.loads((where / "pyproject.toml").read_text())["project"]["name"] == "my-desk"


class TestWhereThePackageComesFrom:
    @pytest.mark.parametrize(
        ("about", "source", "requirement"),
        [
            (None, None, "fanal[cli]"),
            ({"url": "file://@here@", "dir_info": {}}, {"path": "@here@"}, "@here@[cli]"),
            (
                {"url": "file://@here@", "dir_info": {"editable": True}},
                {"path": "@here@", "editable": True},
                "@here@[cli]",
            ),
            ({"url": "file:///gone", "dir_info": {}}, None, "fanal[cli]"),
            (
                {"url": "https://example.com/f.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}},
                {"git": "https://example.com/f.git", "rev": "ab12"},
                "fanal[cli] @ git+https://example.com/f.git@ab12",
            ),
            (
                {"url": "https://example.com/fanal-0.1-py3-none-any.whl", "archive_info": {}},
                {"url": "https://example.com/fanal-0.1-py3-none-any.whl"},
                "fanal[cli] @ https://example.com/fanal-0.1-py3-none-any.whl",
            ),
        ],
    )
    def test_is_where_the_project_takes_it_from(
        self,
        about: dict[str, object] | None,
        source: dict[str, object] | None,
        requirement: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def here(text: str) -> str:
            return text.replace("@here@", str(tmp_path))

        class Fanal:
            def read_text(self, name: str) -> str | None:
                assert name == "direct_url.json"
                return here(json.dumps(about)) if about is not None else None

        def distribution(name: str) -> Fanal:
            assert name == "fanal"
            return Fanal()

        monkeypatch.setattr(metadata, "distribution", distribution)
        written = files("desk", "mistral", "m", installation())
        sources = tomllib.loads(written["pyproject.toml"])["tool"]["uv"].get("sources")
        assert sources == (json.loads(here(json.dumps({"fanal": source}))) if source is not None else None)
        assert f"pip install {shlex.quote(here(requirement))} pytest" in written["README.md"]

    def test_decides_the_line_that_installs(self) -> None:
        assert Installation(uv=True).line("a b", "c") == "uv pip install 'a b' c"
        assert Installation().line("fanal[cli]") == "pip install 'fanal[cli]'"


class TestMakingIt:
    def test_says_what_works_in_an_environment_of_uv(
        self, project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("mistralai.agents.cli.new_project.installation", lambda: Installation(uv=True))
        monkeypatch.chdir(project.directory)
        assert new_project("desk", ask=False, git=False) == 0
        said = [line.strip() for line in capsys.readouterr().out.splitlines()[2:]]
        assert said == ["cd desk", "uv sync", "uv run pytest", "export MISTRAL_API_KEY=...", "uv run agents chat"]

    def test_makes_a_git_repository_unless_told_otherwise(self, project: Project, run: Run) -> None:
        run("init", "desk", "--yes")
        assert (project.directory / "desk" / ".git").is_dir()
        run("init", "desk/inner", "--yes")
        assert not (project.directory / "desk" / "inner" / ".git").exists()

    def test_refuses_a_directory_with_something_in_it(self, made: Path, run: Run) -> None:
        (made / "main.py").write_text("# mine\n")
        done = run("init", "my_desk", "--yes")
        assert done.returncode == 1
        assert "is there already and not empty" in done.stderr
        assert (made / "main.py").read_text() == "# mine\n"

    def test_asks_for_the_provider_at_a_terminal(self, project: Project, at_terminal: Start) -> None:
        terminal = at_terminal("init", "desk", "--no-git")
        terminal.wait_for("Provider")
        terminal.type("nobody")
        terminal.wait_for("There is no provider 'nobody'.")
        terminal.type("openai")
        terminal.wait_for("Model [")
        terminal.type("my-model")
        terminal.ends(0)
        source = (project.directory / "desk" / "main.py").read_text()
        assert '    model="my-model",\n    provider="openai",\n    instructions' in source
