"""Tests of the errors: their one base, and that they travel between processes."""

from __future__ import annotations

import pickle

import pytest

from mistralai.agents.values import errors
from mistralai.agents.values.errors import AgentsError, ExperimentalWarning, SdkError, ToolError

RAISED = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, AgentsError)]


class TestTheErrorsOfStableCalls:
    @pytest.mark.parametrize("error", RAISED, ids=lambda error: error.__name__)
    def test_are_documented_and_can_be_pickled(self, error: type[AgentsError]) -> None:
        assert error.__doc__
        assert str(pickle.loads(pickle.dumps(error("what happened")))) == "what happened"

    def test_of_arguments_are_value_errors(self) -> None:
        assert issubclass(SdkError, ValueError)


class TestToolError:
    def test_holds_what_the_model_reads(self) -> None:
        assert ToolError("no such alert").message == str(ToolError("no such alert")) == "no such alert"
        assert pickle.loads(pickle.dumps(ToolError("x"))).message == "x"

    def test_is_the_users_own_and_not_ours(self) -> None:
        assert not issubclass(ToolError, AgentsError)


class TestExperimentalWarning:
    def test_is_a_warning_to_users(self) -> None:
        assert issubclass(ExperimentalWarning, UserWarning)


class TestTheNameOfAnError:
    """A traceback shows an error as it is imported, not where it happens to be written."""

    def test_is_the_public_one(self) -> None:
        assert f"{SdkError.__module__}.{SdkError.__qualname__}" == "mistralai.agents.SdkError"
