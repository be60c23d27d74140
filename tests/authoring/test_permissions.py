"""Policies and rules: which applies, what it decides, and what it hides."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.authoring.permissions import PermissionPolicy, PermissionRule, canonical
from mistralai.agents.values.errors import SdkError


class TestWhichToolsARuleCovers:
    @pytest.mark.parametrize(
        ("pattern", "covered", "others"),
        [
            ("client.open_case", ["client.open_case"], ["client.open_case2", "xclient.open_case", "client.open"]),
            ("client.*", ["client.a", "client.b"], ["clients.a", "client", "process.start"]),
            ("connector.*", ["connector.gmail.send"], ["client.a"]),
            ("connector.*.send", ["connector.gmail.send"], ["connector.gmail.read", "connector.a.b.send"]),
            ("client.open_*", ["client.open_case"], ["client.close", "client.open_a.b"]),
            ("*", ["client.a", "connector.gmail.send", "run_typescript"], []),
            ("connector.a+", ["connector.a+"], ["connector.aa"]),
            ("**", ["client.a", "connector.gmail.send", "run_typescript"], []),
            ("client.**", ["client.a"], ["clients.a"]),
            ("connector.**.send", ["connector.gmail.send", "connector.a.b.send"], ["connector.gmail.read"]),
            ("file_system.bash", ["file_system.bash"], ["file_system.grep"]),
            ("agents.spawn", ["agents.spawn"], ["agents.list"]),
            ("run_*", ["run_typescript"], ["client.run_it"]),
            ("wait", ["wait"], ["client.wait"]),
        ],
    )
    def test_is_said_by_its_pattern(self, pattern: str, covered: list[str], others: list[str]) -> None:
        rule = PermissionRule(tools=[pattern], decision="deny")
        assert all(rule.names(tool_id) for tool_id in covered)
        assert not any(rule.names(tool_id) for tool_id in others)


class TestAPolicy:
    def test_is_decided_by_the_first_rule_that_applies(self) -> None:
        policy = PermissionPolicy(
            default="deny",
            rules=[
                PermissionRule(tools=["client.read"], decision="allow"),
                PermissionRule(tools=["client.*"], decision="ask"),
            ],
        )
        assert policy.decide("client.read", {}) == "allow"
        assert policy.decide("client.write", {}) == "ask"
        assert policy.decide("process.start", {}) == "deny"

    def test_says_whether_a_decision_depends_on_arguments(self) -> None:
        policy = PermissionPolicy(rules=[PermissionRule(tools=["a.*"], decision="ask", denylist=["x=1"])])
        assert policy.reads_arguments("a.b")
        assert not policy.reads_arguments("c.d")

    def test_hides_what_any_rule_about_the_tool_calls_sensitive(self) -> None:
        policy = PermissionPolicy(
            rules=[
                PermissionRule(tools=["*"], decision="allow", sensitive=["iban"]),
                PermissionRule(tools=["client.pay"], decision="ask", sensitive=["note"]),
            ]
        )
        given: Any = {"iban": "NL91", "note": "x", "amount": 1}
        assert policy.masked("client.pay", given) == {"iban": "***", "note": "***", "amount": 1}
        assert policy.masked("client.other", given) == {"iban": "***", "note": "x", "amount": 1}
        assert given["iban"] == "NL91"
        assert policy.masked("client.pay", "not an object") == "not an object"


class TestListsOfArguments:
    def test_a_denylist_hit_denies_whatever_the_rule_decides(self) -> None:
        rule = PermissionRule(tools=["*"], decision="allow", denylist=["path=/etc/*", "path=*.key"])
        assert rule.decide("client.read", {"path": "/etc/passwd"}) == "deny"
        assert rule.decide("client.read", {"path": "/srv/a.key"}) == "deny"
        assert rule.decide("client.read", {"path": "/srv/etc/a"}) == "allow"

    def test_an_allowlist_that_does_not_match_leaves_the_rule_out(self) -> None:
        rule = PermissionRule(tools=["*"], decision="allow", allowlist=["path=/tmp/*", "path=/var/*", "mode=r"])
        assert rule.decide("client.open", {"path": "/tmp/x", "mode": "r"}) == "allow"
        assert rule.decide("client.open", {"path": "/var/x", "mode": "r"}) == "allow"
        assert rule.decide("client.open", {"path": "/tmp/x", "mode": "w"}) is None
        assert rule.decide("client.open", {"path": "/tmp/x"}) is None
        assert not rule.matches("client.open", None)

    @pytest.mark.parametrize(
        ("pattern", "arguments"),
        [
            ("n=3", {"n": 3}),
            ("n=3", {"n": 3.0}),
            ("n=3.0", {"n": 3.0}),
            ("list=[1,2]", {"list": [1.0, 2]}),
            ("on=true", {"on": True}),
            ("to=null", {"to": None}),
            ('list=["a","b"]', {"list": ["a", "b"]}),
            ("list=*evil*", {"list": ["ok", "evil"]}),
            ("user.name=ada", {"user": {"name": "ada"}}),
            ("a.b=1", {"a.b": 1}),
            ("text=a*c", {"text": "a\nb\nc"}),
            ("expr=x=1", {"expr": "x=1"}),
            ("glob=[a]?", {"glob": "[a]?"}),
        ],
    )
    def test_match_the_canonical_value(self, pattern: str, arguments: Any) -> None:
        assert PermissionRule(tools=["*"], decision="ask", denylist=[pattern]).decide("t", arguments) == "deny"

    def test_do_not_match_an_argument_that_is_absent(self) -> None:
        assert PermissionRule(tools=["*"], decision="ask", denylist=["a=*"]).decide("t", {"b": 1}) == "ask"


class TestARefusedPolicy:
    def test_names_the_argument(self) -> None:
        wrong: Any = "maybe"
        with pytest.raises(SdkError, match="decision is 'maybe'"):
            PermissionRule(tools=["*"], decision=wrong)
        with pytest.raises(SdkError, match="default is 'maybe'"):
            PermissionPolicy(default=wrong)
        with pytest.raises(SdkError, match="tools is '\\*'"):
            PermissionRule(tools="*", decision="allow")
        with pytest.raises(SdkError, match="tools is empty"):
            PermissionRule(tools=[], decision="allow")
        with pytest.raises(SdkError, match="allowlist has 'path'"):
            PermissionRule(tools=["*"], decision="allow", allowlist=["path"])
        with pytest.raises(SdkError, match="rules has 'maybe'"):
            PermissionPolicy(rules=[wrong])

    @pytest.mark.parametrize(
        ("pattern", "said"),
        [
            ("pay", r"IDs have a namespace\. Write 'client\.pay' for a tool of yours, or '\*' for every tool"),
            ("c*", r"IDs have a namespace"),
            ("tools.client.pay", r"'client\.pay' is the ID without the `tools\.`"),
            ("tools.*", r"'\*' is the ID without"),
            (".pay", "without empty parts"),
            ("client.", "without empty parts"),
            ("client..pay", "without empty parts"),
            (" client.pay", "without spaces"),
            ("client.pay bill", "without spaces"),
            ("client.pay(euros)", "the ID of a tool of yours is 'client.' and its name"),
            ("client.pay,client.refund", "the ID of a tool of yours"),
            ("client.desk.pay", "the ID of a tool of yours"),
            ("client.*.*", "the ID of a tool of yours"),
        ],
    )
    def test_has_a_rule_that_can_match_no_tool(self, pattern: str, said: str) -> None:
        with pytest.raises(SdkError, match=f"which matches no tool: .*{said}"):
            PermissionRule(tools=["client.other", pattern], decision="deny")


def test_canonical_arguments_are_equal_texts() -> None:
    assert canonical({"b": 1, "a": [True, None, "é"]}) == canonical({"a": [True, None, "é"], "b": 1})
    assert canonical({"a": 1}) == canonical({"a": 1.0}) != canonical({"a": 1.5})
    assert canonical({"a": 1}) != canonical({"a": True})
    assert canonical({"a": 1}) == '{"a":1}'
