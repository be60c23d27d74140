"""Tests of token usage and its limits."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.usage import TokenUsage, UsageLimits


class TestTokenUsage:
    def test_of_two_calls_can_be_added(self) -> None:
        one = TokenUsage(input_tokens=1, output_tokens=2, total_tokens=3, reasoning_tokens=1)
        two = TokenUsage(input_tokens=10, output_tokens=20, total_tokens=30, cached_input_tokens=5)
        assert one + two == TokenUsage(
            input_tokens=11, output_tokens=22, total_tokens=33, cached_input_tokens=5, reasoning_tokens=1
        )


class TestUsageLimits:
    @pytest.mark.parametrize("limit", [-1, 1.5, "3", True])
    def test_refuse_what_is_no_count_by_name(self, limit: Any) -> None:
        with pytest.raises(SdkError, match="tool_calls"):
            UsageLimits(tool_calls=limit)

    def test_bound_nothing_by_default(self) -> None:
        assert UsageLimits() == UsageLimits(model_calls=None, total_tokens=None)
