"""Modes and policies as an agent applies them: what runs, what is asked about, what is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from mistralai import agents
from mistralai.agents.testing import ScriptedModel, call, calls, reply
from tests.support.asked import asked
from tests.support.outcomes import blocked, completed

DENIED = "tool: Tool call denied by permission policy"


class Shell:
    """Two tools in one namespace, and what they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.tools: tuple[agents.Tool[..., Any], ...] = (agents.tool(self.run_command), agents.tool(self.list_files))

    def run_command(self, command: str, options: dict[str, Any] | None = None) -> str:
        """Run a command."""
        self.ran.append(command)
        return "ran"

    def list_files(self, path: str = ".") -> str:
        """List files."""
        self.ran.append(f"ls {path}")
        return "listed"


@pytest.fixture
def shell() -> Shell:
    """A shell that has run nothing."""
    return Shell()


@agents.client_tool
def confirm(text: str) -> bool:
    """Confirm something."""
    raise AssertionError(text)


def rule(decision: Literal["allow", "ask", "deny"], *tools: str, **lists: Any) -> agents.PermissionRule:
    return agents.PermissionRule(tools=tools or ("*",), decision=decision, **lists)


def policy(
    *rules: agents.PermissionRule, default: Literal["allow", "ask", "deny"] = "allow"
) -> agents.PermissionPolicy:
    return agents.PermissionPolicy(default=default, rules=rules)


async def outcome(
    shell: Shell, *made: tuple[str, dict[str, Any]], **options: Any
) -> tuple[Literal["ran", "asked", "denied"], ...]:
    """What becomes of each call, in order."""
    model = ScriptedModel([calls(*(call(name, arguments) for name, arguments in made)), reply("Done.")])
    agent = agents.Agent(model=model, tools=[*shell.tools, confirm], **options)
    session = await agent.start_session()
    turn = await session.send_message("Go.")
    state = await turn.result()
    questions: list[Any] = []
    if isinstance(state, agents.Blocked):
        for callback in state.callbacks:
            assert isinstance(callback, agents.OpenApproval)
            questions.append(callback.request.arguments)
            await turn.answer(callback.id, agents.DenyApproval())
        completed(await turn.result())
    results = [line for line in asked(model) if line.startswith("tool")]
    return tuple(
        "asked" if arguments in questions else "denied" if line == DENIED else "ran"
        for (_, arguments), line in zip(made, results, strict=True)
    )


LS = ("list_files", {"path": "docs"})
RM = ("run_command", {"command": "rm -rf /tmp/x"})
ECHO = ("run_command", {"command": "echo hi"})
CONFIRM = ("confirm", {"text": "Sure?"})


class TestAPolicy:
    async def test_without_rules_is_its_default(self, shell: Shell) -> None:
        assert await outcome(shell, LS, permission_policy=policy()) == ("ran",)
        assert await outcome(shell, LS, permission_policy=policy(default="ask")) == ("asked",)
        assert await outcome(shell, LS, permission_policy=policy(default="deny")) == ("denied",)

    async def test_goes_by_the_first_rule_that_matches(self, shell: Shell) -> None:
        rules = policy(rule("allow", "client.list_*"), rule("deny", "client.*"), rule("allow"))
        assert await outcome(shell, LS, ECHO, permission_policy=rules) == ("ran", "denied")
        assert shell.ran == ["ls docs"]

    async def test_names_tools_by_their_full_ids(self, shell: Shell) -> None:
        assert await outcome(shell, LS, permission_policy=policy(rule("deny", "client.list_files"))) == ("denied",)
        with pytest.raises(agents.SdkError, match=r"Write 'client\.list_files'"):
            rule("deny", "list_files")

    @pytest.mark.parametrize("every", ["*", "**", "client.*", "client.**"])
    async def test_covers_every_tool_by_a_star_or_two(self, every: str, shell: Shell) -> None:
        assert await outcome(shell, LS, CONFIRM, permission_policy=policy(rule("deny", every))) == ("denied", "denied")

    async def test_denies_what_is_on_a_denylist_though_the_rule_allows(self, shell: Shell) -> None:
        rules = policy(rule("allow", "client.run_command", denylist=["command=rm *"]))
        assert await outcome(shell, RM, ECHO, permission_policy=rules) == ("denied", "ran")

    async def test_passes_over_a_rule_whose_allowlist_does_not_match(self, shell: Shell) -> None:
        rules = policy(rule("allow", "client.run_command", allowlist=["command=echo *"]), default="ask")
        assert await outcome(shell, RM, ECHO, permission_policy=rules) == ("asked", "ran")

    async def test_judges_the_default_of_an_argument_that_was_left_out(self, shell: Shell) -> None:
        rules = policy(rule("allow", "client.list_files", denylist=["path=."]))
        assert await outcome(shell, ("list_files", {}), permission_policy=rules) == ("denied",)

    async def test_matches_values_in_their_canonical_form(self, shell: Shell) -> None:
        rules = policy(rule("allow", denylist=['options={"a":1,"b":[true,null]}']))
        odd_order = ("run_command", {"command": "x", "options": {"b": [True, None], "a": 1}})
        assert await outcome(shell, odd_order, permission_policy=rules) == ("denied",)

    async def test_covers_client_tools(self, shell: Shell) -> None:
        assert await outcome(shell, CONFIRM, permission_policy=policy(rule("deny", "client.confirm"))) == ("denied",)

    async def test_covers_the_tools_of_hooks(self, shell: Shell) -> None:
        model = ScriptedModel([call("list_files"), reply("Done.")])
        agent = agents.Agent(
            model=model, hooks=[agents.Hook(tools=shell.tools)], permission_policy=policy(rule("deny"))
        )
        await agent.run("Go.")
        assert asked(model)[-1] == DENIED
        assert shell.ran == []

    async def test_lets_the_turn_go_on_after_a_denial(self, shell: Shell) -> None:
        model = ScriptedModel([call(*RM), reply("I may not.")])
        agent = agents.Agent(model=model, tools=shell.tools, permission_policy=policy(default="deny"))
        state = completed(await agent.run("Go."))
        assert state.text == "I may not."
        assert [(made.name, made.arguments) for made in state.tool_calls] == [("client.run_command", RM[1])]

    async def test_fails_no_turn_where_tool_errors_do(self, shell: Shell) -> None:
        options: dict[str, Any] = {"permission_policy": policy(default="deny"), "tool_errors": "raise"}
        assert await outcome(shell, RM, **options) == ("denied",)


class TestAPolicyThatMissesTheAgentsTools:
    """The agent refuses a rule that would silently not apply; a policy that others share may say more."""

    @pytest.mark.parametrize("slip", ["client.list_flies", "client.listfiles", "Client.list_files"])
    def test_by_a_slip_is_refused_and_says_which_was_meant(self, slip: str, shell: Shell) -> None:
        with pytest.raises(agents.SdkError, match=rf"names {slip}, which is no .* mean client\.list_files\?"):
            agents.Agent(model="m", tools=shell.tools, permission_policy=policy(rule("deny", slip)))

    @pytest.mark.parametrize("like", ["client.list_file", "client.last_files", "clients.list_files"])
    def test_by_a_name_that_may_well_be_another_tools_is_warned_of(
        self, like: str, shell: Shell, caplog: pytest.LogCaptureFixture
    ) -> None:
        agents.Agent(model="m", tools=shell.tools, permission_policy=policy(rule("deny", like)))
        (record,) = caplog.records
        assert f"names {like}, which is no tool of it, and no rule is about client.list_files." in record.getMessage()

    @pytest.mark.parametrize("covering", ["client.list_files", "client.*", "client.list_*"])
    def test_is_not_warned_of_a_name_like_that_of_a_tool_with_a_rule(
        self, covering: str, shell: Shell, caplog: pytest.LogCaptureFixture
    ) -> None:
        shared = policy(rule("deny", "client.list_flies", "client.list_file"), rule("allow", covering))
        agents.Agent(model="m", tools=shell.tools, permission_policy=shared)
        assert caplog.records == []

    def test_because_it_is_shared_is_let_through(self, shell: Shell) -> None:
        shared = policy(
            rule("allow", "client.list_files", "client.list_file"),
            rule("deny", "client.other", "file_system.bash", "connectors.gmail.send", "agents.spawn", "wait"),
            rule("ask", "client.other", denylist=["amount=1*"], sensitive=["iban"]),
            rule("ask", "client.*", denylist=["amount=1*"], sensitive=["iban"]),
        )
        assert agents.Agent(model="m", tools=shell.tools, permission_policy=shared).permission_policy == shared

    @pytest.mark.parametrize("lists", ["allowlist", "denylist", "sensitive"])
    def test_by_a_parameters_name_is_refused_with_those_there_are(self, lists: str, shell: Shell) -> None:
        wrong = rule("deny", "client.run_command", **{lists: ["comand" if lists == "sensitive" else "comand=rm *"]})
        said = rf"'comand' in its {lists}, which is no parameter of client\.run_command\. It has: command, options\."
        with pytest.raises(agents.SdkError, match=said):
            agents.Agent(model="m", tools=shell.tools, permission_policy=policy(wrong))

    def test_by_a_parameter_that_only_one_of_its_tools_has_is_refused_where_it_decides(self, shell: Shell) -> None:
        both = ("client.run_command", "client.list_files")
        hidden = policy(rule("ask", *both, sensitive=["command", "path", "options"]))
        agents.Agent(model="m", tools=shell.tools, permission_policy=hidden)
        with pytest.raises(agents.SdkError, match=r"no parameter of client\.list_files\. .* a rule each"):
            agents.Agent(
                model="m", tools=shell.tools, permission_policy=policy(rule("allow", *both, denylist=["command=rm *"]))
            )

    def test_in_a_field_of_an_object_is_not_looked_at(self, shell: Shell) -> None:
        deep = policy(rule("deny", "client.run_command", denylist=["options.force=true"]))
        agents.Agent(model="m", tools=shell.tools, permission_policy=deep)

    def test_goes_by_the_names_that_the_model_uses(self) -> None:
        @agents.tool
        def pay(euros: Annotated[int, Field(alias="amount")]) -> str:
            """Pay."""
            return f"paid {euros}"

        agents.Agent(
            model="m", tools=[pay], permission_policy=policy(rule("deny", "client.pay", denylist=["amount=1*"]))
        )
        with pytest.raises(agents.SdkError, match="It has: amount"):
            agents.Agent(
                model="m", tools=[pay], permission_policy=policy(rule("deny", "client.pay", denylist=["euros=1*"]))
            )


class TestTheMode:
    async def test_ask_asks_for_all_that_the_policy_allows_and_refuses_what_it_denies(self, shell: Shell) -> None:
        rules = policy(rule("deny", denylist=["command=rm *"], allowlist=["command=rm *"]), rule("allow"))
        options: dict[str, Any] = {"permission_mode": "ask", "permission_policy": rules}
        assert await outcome(shell, LS, RM, ECHO, **options) == ("asked", "denied", "asked")

    async def test_deny_refuses_every_call(self, shell: Shell) -> None:
        options: dict[str, Any] = {"permission_mode": "deny", "permission_policy": policy(rule("allow"))}
        assert await outcome(shell, LS, CONFIRM, **options) == ("denied", "denied")

    async def test_auto_asks_where_the_policy_says_so(self, shell: Shell) -> None:
        assert await outcome(shell, LS, ECHO, permission_policy=policy(rule("ask", "*.run_*"))) == ("ran", "asked")


class TestAGrantForTheSession:
    async def test_does_not_pass_what_the_policy_denies(self, shell: Shell) -> None:
        """A grant answers the question; it is no way around a rule that refuses."""
        model = ScriptedModel([call(*ECHO), call(*ECHO), call(*RM), reply("Done.")])
        rules = policy(rule("ask", "client.run_command", denylist=["command=rm *"]))
        session = await agents.Agent(model=model, tools=shell.tools, permission_policy=rules).start_session()
        turn = await session.send_message("Go.")
        (question,) = blocked(await turn.result()).callbacks
        await turn.answer(question.id, agents.AllowApproval(scope="session"))
        completed(await turn.result())
        assert shell.ran == ["echo hi", "echo hi"]
        assert asked(model)[-1] == DENIED

    async def test_is_for_the_arguments_and_not_for_the_name(self, shell: Shell) -> None:
        """Regression, goclaw#1202: "always allow" matched the name only."""
        model = ScriptedModel([call(*ECHO), call("run_command", {"command": "echo ho"}), reply("Done.")])
        session = await agents.Agent(model=model, tools=shell.tools, permission_mode="ask").start_session()
        turn = await session.send_message("Go.")
        (question,) = blocked(await turn.result()).callbacks
        await turn.answer(question.id, agents.AllowApproval(scope="session"))
        (again,) = blocked(await turn.result()).callbacks
        assert isinstance(again, agents.OpenApproval)
        assert again.request.arguments == {"command": "echo ho"}
