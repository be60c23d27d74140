"""The toolbox: the tools of one agent by every name they go by, and what the model is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from mistralai.agents.authoring.client_tool import ClientTool
from mistralai.agents.authoring.json_kinds import DEEPEST, is_deeper
from mistralai.agents.authoring.model import ModelTool
from mistralai.agents.authoring.tool import Tool
from mistralai.agents.core.facts import RequestedCall, ToolCard
from mistralai.agents.core.json_copy import copied
from mistralai.agents.values.wire import to_data

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.model import ModelToolCall

type AnyTool = Tool[..., Any] | ClientTool[..., Any]


class Toolbox:
    """The tools of an agent. Built once, shared by its sessions."""

    __slots__ = ("_by_id", "_by_name", "_cards", "for_model", "names")

    def __init__(self, tools: Iterable[ToolDeclaration]) -> None:
        self._by_name: dict[str, AnyTool] = {}
        self._by_id: dict[str, AnyTool] = {}
        for tool in cast("Iterable[AnyTool]", tools):
            self._by_name[tool.name] = tool
            self._by_id[tool.id] = tool
        self.for_model: tuple[ModelTool, ...] = tuple(
            ModelTool(name=tool.name, description=tool.description or "", input_schema=copied(tool.input_schema))
            for tool in self._by_name.values()
            if tool.model_access != "programmatic"
        )
        """What every request to the model offers, in a fixed order."""
        self.names: tuple[str, ...] = tuple(tool.name for tool in self.for_model)
        self._cards: dict[str, ToolCard] = {}

    def find(self, tool_id: str) -> AnyTool:
        """Return the tool of a full id. An agent without it could not have opened the session."""
        return self._by_id[tool_id]

    def card(self, tool_id: str) -> ToolCard:
        """Return what a person is shown of a tool; the same object each time."""
        if (card := self._cards.get(tool_id)) is None:
            tool = self._by_id[tool_id]
            card = self._cards[tool_id] = ToolCard(
                id=tool.id,
                name=tool.name,
                description=tool.description or "",
                annotations=_annotations(tool),
                input_schema=tool.input_schema,
            )
        return card

    def resolve(self, call: ModelToolCall, call_id: str, entry_id: str) -> RequestedCall:
        """Read a call of the model: which tool it names, and what its arguments say."""
        arguments, problem = _arguments(call.arguments)
        tool = self._by_name.get(call.name)
        if tool is None or tool.model_access == "programmatic":
            tool_id = call.name
            known = ", ".join(offered.name for offered in self.for_model)
            problem = f"There is no tool {call.name!r}. " + (
                f"The tools are: {known}." if known else "You have no tools."
            )
        else:
            tool_id = tool.id
        return RequestedCall(
            call_id=call_id,
            name=call.name,
            tool_id=tool_id,
            arguments=arguments,
            raw=call.arguments,
            entry_id=entry_id,
            problem=problem,
        )


def _arguments(raw: str) -> tuple[Any, str | None]:
    if not raw.strip():
        return {}, None
    try:
        arguments = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        return raw, f"The arguments are not valid JSON: {error}."
    if raw.count("[") + raw.count("{") > DEEPEST and is_deeper(arguments, DEEPEST):
        return raw, f"The arguments hold arrays and objects in each other, more than {DEEPEST} deep."
    return arguments, None


def _annotations(tool: AnyTool) -> dict[str, Any]:
    data: Any = to_data(tool.annotations)
    return {key: value for key, value in data.items() if value is not None}
