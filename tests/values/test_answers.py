"""Tests of answers: what they take and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.answers import AllowApproval, DenyApproval, SignInAnswer
from mistralai.agents.values.errors import SdkError


class TestAnApproval:
    @pytest.mark.parametrize("given", [{"scope": "always"}, {"scope": None}, {"arguments": [1]}, {"arguments": "{}"}])
    def test_that_makes_no_sense_is_refused_by_name(self, given: dict[str, Any]) -> None:
        with pytest.raises(SdkError, match=next(iter(given))):
            AllowApproval(**given)

    def test_may_change_the_arguments_to_none_at_all(self) -> None:
        assert AllowApproval(arguments={}).arguments == {}

    def test_that_is_denied_takes_a_text(self) -> None:
        given: Any = 3
        with pytest.raises(SdkError, match="message"):
            DenyApproval(message=given)


class TestASignInAnswer:
    def test_takes_any_series_of_ids(self) -> None:
        answer = SignInAnswer(connected=["a"], denied=(name for name in "bc"))
        assert (answer.connected, answer.denied) == (("a",), ("b", "c"))
        assert answer == SignInAnswer(connected=("a",), denied=["b", "c"])

    @pytest.mark.parametrize("given", ["gmail", b"gmail", [1], None, 3])
    def test_refuses_what_are_no_ids(self, given: Any) -> None:
        with pytest.raises(SdkError, match="denied"):
            SignInAnswer(denied=given)

    def test_refuses_a_source_named_twice(self) -> None:
        with pytest.raises(SdkError, match="'a'"):
            SignInAnswer(connected=["a"], denied=["a"])
