"""Tests of the pytest plugin, each in a pytest of its own: which tests fail, and why."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["pytester"]

HEAD = """
import asyncio
import pytest
from mistralai import agents
from mistralai.agents.testing import ScriptedModel, reply, call

def turn(model="mistral-large-4", **options):
    return asyncio.run(agents.Agent(model=model, **options).run("hi"))
"""


class InAPytestOfItsOwn:
    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester

    def run(self, tests: str, *arguments: str, ini: str = "") -> pytest.RunResult:
        self.pytester.makepyfile(HEAD + tests)
        self.pytester.makeini(f"[pytest]\n{ini}\n")
        return self.pytester.runpytest_subprocess("-p", "fanal.pytest_plugin", "-p", "no:cacheprovider", *arguments)


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> InAPytestOfItsOwn:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("MISTRAL_API_KEY", "a-key")
    monkeypatch.setenv("AGENTS_SDK_MODEL_RETRY_SECONDS", "0")
    monkeypatch.delenv("MISTRAL_SERVER_URL", raising=False)
    return InAPytestOfItsOwn(pytester)


class TestACallThatLeftItsScript:
    def test_fails_the_test_that_did_not_look(self, inner: InAPytestOfItsOwn) -> None:
        result = inner.run("def test_it():\n    turn(ScriptedModel([]))\n")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["*ScriptError: The script has 0 steps, and the model was called for the 1st time.*"]
        )

    def test_is_left_to_the_test_that_looks(self, inner: InAPytestOfItsOwn) -> None:
        inner.run(
            "def test_it():\n"
            "    model = ScriptedModel([])\n"
            "    turn(model)\n"
            "    with pytest.raises(AssertionError):\n"
            "        model.assert_consumed()\n"
        ).assert_outcomes(passed=1)

    def test_in_a_fixture_is_left_to_the_test_to_look_at(self, inner: InAPytestOfItsOwn) -> None:
        fixture = "@pytest.fixture\ndef model():\n    model = ScriptedModel([])\n    turn(model)\n    return model\n"
        looks = "def test_looks(model):\n    assert len(model.problems) == 1\n"
        inner.run(f"{fixture}{looks}def test_does_not(model):\n    pass\n").assert_outcomes(passed=1, failed=1)

    def test_does_not_fail_the_next_test(self, inner: InAPytestOfItsOwn) -> None:
        inner.run("def test_a():\n    turn(ScriptedModel([]))\ndef test_b():\n    pass\n").assert_outcomes(
            failed=1, passed=1
        )


class TestARealModelCall:
    def test_is_refused_and_fails_the_test(self, inner: InAPytestOfItsOwn) -> None:
        result = inner.run("def test_it():\n    turn()\n")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*This test would call the model of Mistral at api.mistral.ai.*agent.override*"])

    @pytest.mark.parametrize(
        "fixture",
        ["turn()\n    yield", "yield\n    turn()"],
        ids=["at its start", "at its end"],
    )
    @pytest.mark.parametrize("scope", ["function", "module"])
    def test_in_a_fixture_fails_the_test_too(self, fixture: str, scope: str, inner: InAPytestOfItsOwn) -> None:
        result = inner.run(
            f"@pytest.fixture(scope={scope!r})\ndef asked():\n    {fixture}\n\ndef test_it(asked):\n    pass\n"
        )
        assert result.parseoutcomes().get("errors", result.parseoutcomes().get("error")) == 1
        result.stdout.fnmatch_lines(["*This test would call the model of Mistral at api.mistral.ai.*"])

    def test_to_this_machine_is_let_through(self, inner: InAPytestOfItsOwn, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MISTRAL_SERVER_URL", "http://127.0.0.1:9")
        inner.run("def test_it():\n    assert turn().error.code == 'completion_failed'\n").assert_outcomes(passed=1)

    @pytest.mark.parametrize(
        ("mark", "ini"),
        [("@pytest.mark.real_model_calls\n", ""), ("", "agents_real_model_calls = true")],
        ids=["by its mark", "by the setting"],
    )
    def test_is_allowed(self, inner: InAPytestOfItsOwn, mark: str, ini: str) -> None:
        inner.run(
            "from mistralai.agents.models.outgoing import OUTGOING_CHECKS\n"
            f"{mark}def test_it():\n    assert OUTGOING_CHECKS == []\n",
            ini=ini,
        ).assert_outcomes(passed=1)


class TestFixtures:
    @pytest.fixture
    def with_our_loop(self, pytester: pytest.Pytester, pytestconfig: pytest.Config) -> Path:
        """What runs the async tests of this project."""
        conftest = (pytestconfig.rootpath / "tests" / "conftest.py").read_text()
        return pytester.makeconftest(conftest)

    @pytest.mark.usefixtures("with_our_loop")
    def test_give_a_runtime_a_clock_and_a_provider(self, inner: InAPytestOfItsOwn) -> None:
        inner.run("""
async def test_runtime(agents_runtime):
    session = await agents.Agent(model=ScriptedModel([reply("a")])).start_session()
    await session.run("hi")
    assert agents_runtime.statistics().waiting_sessions == 1

async def test_clock(fake_clock, agents_runtime):
    session = await agents.Agent(model=ScriptedModel([])).start_session()
    assert (await session.info()).created_at == fake_clock.now

async def test_provider(strict_provider):
    server = await strict_provider("mistral", reply("Over HTTP."))
    async with agents.local_runtime():
        assert (await agents.Agent(model="mistral-large-4").run("hi")).text == "Over HTTP."
    assert server.requests[0]["model"] == "mistral-large-4"
""").assert_outcomes(passed=3)


class TestTheEntryPoint:
    def test_is_outside_the_shared_name_so_that_pytest_always_starts(self) -> None:
        (ours,) = [entry for entry in metadata.entry_points(group="pytest11") if entry.value.startswith("fanal")]
        assert ours.value == "fanal.pytest_plugin"

    def test_brings_nothing_where_the_name_is_another_packages(
        self, inner: InAPytestOfItsOwn, pytester: pytest.Pytester
    ) -> None:
        elsewhere = pytester.mkpydir("mistralai")
        (elsewhere / "agents.py").write_text("")
        pytester.makepyfile(
            "def test_it(request):\n"
            "    assert not request.config.pluginmanager.hasplugin('mistralai.agents.testing.pytest_plugin')\n"
        )
        result = pytester.runpytest_subprocess("-p", "fanal.pytest_plugin", "-p", "no:cacheprovider")
        result.assert_outcomes(passed=1)
