"""Tests of callbacks: what a client tool call and an approval's context give on their own."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.callbacks import OpenClientToolCall
from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import replace
from mistralai.agents.values.requests import ApprovalCallbackContext

from .samples import CALL, OPEN


class TestRunningAClientToolCall:
    async def test_without_a_stub_says_to_read_the_arguments(self) -> None:
        call = OpenClientToolCall[[], str](**OPEN, kind="client_tool", call=CALL)
        with pytest.raises(SdkError, match=r"client\.where.*Read call\.arguments"):
            await call.run(lambda: "Lyon")

    async def test_goes_through_the_runner_it_was_given(self) -> None:
        async def runner(fn: Any) -> Any:
            return fn() + "!"

        call = replace(OpenClientToolCall[[], str](**OPEN, kind="client_tool", call=CALL), _runner=runner)
        assert await call.run(lambda: "Lyon") == "Lyon!"


class TestTheContextOfAnApproval:
    def test_reads_an_input_by_its_class(self) -> None:
        context = ApprovalCallbackContext(session_id="s", root_session_id="r", turn_id="t")

        def find(cls: type[Any]) -> Any:
            return cls(3)

        assert replace(context, _inputs=find).input(str) == "3"

    def test_names_the_class_of_an_input_it_lacks(self) -> None:
        context = ApprovalCallbackContext(session_id="s", root_session_id="r", turn_id="t")
        with pytest.raises(SdkError, match="str"):
            context.input(str)
