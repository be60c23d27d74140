"""Tests of tool annotations: MCP's hints, in both spellings."""

from __future__ import annotations

from typing import Any

import pytest

from mistralai.agents.values.annotations import ToolAnnotations
from mistralai.agents.values.errors import SdkError

CAMEL: Any = {"readOnlyHint": True, "openWorldHint": False}


class TestToolAnnotations:
    def test_say_nothing_by_default(self) -> None:
        hints = ToolAnnotations()
        assert (hints.title, hints.read_only_hint, hints.destructive_hint) == (None, None, None)
        assert (hints.idempotent_hint, hints.open_world_hint) == (None, None)

    def test_take_both_spellings(self) -> None:
        wanted = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        assert ToolAnnotations(**CAMEL) == ToolAnnotations.from_data({**CAMEL, "newHint": 1}) == wanted

    def test_refuse_a_hint_given_in_both(self) -> None:
        with pytest.raises(TypeError, match="both"):
            ToolAnnotations(read_only_hint=True, **CAMEL)

    def test_refuse_a_hint_nobody_knows(self) -> None:
        unheard: Any = {"harmless": True}
        with pytest.raises(TypeError, match="harmless"):
            ToolAnnotations(**unheard)

    @pytest.mark.parametrize("given", [{"read_only_hint": "yes"}, {"title": 3}, {"destructive_hint": 1}])
    def test_refuse_a_value_by_its_name(self, given: dict[str, Any]) -> None:
        with pytest.raises(SdkError, match=next(iter(given))):
            ToolAnnotations(**given)
