"""The checks of an agent's arguments. Each raises SdkError that names the argument; none calls anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mistralai.agents.values.errors import SdkError, UnsupportedAgentFeatureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mistralai.agents.authoring.declaration import ToolDeclaration
    from mistralai.agents.authoring.hook import Hook

_CHOICES = {
    "permission_mode": ("auto", "ask", "deny"),
    "tool_errors": ("model", "raise"),
    "reasoning_effort": ("off", "minimal", "low", "medium", "high", "max"),
    "provider": ("mistral", "openai", "anthropic"),
}


def check_model(owner: str, model: Any) -> None:
    """A name, or an object with the Model port's `stream`."""
    if isinstance(model, str) and model.strip():
        return
    if isinstance(model, str | type) or not callable(getattr(model, "stream", None)):
        raise SdkError(f"{owner}: model is {model!r}. Pass a model's name, or an object with a stream method.")


def check_name(owner: str, name: Any) -> None:
    """One line that can be part of an address."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or "/" in name or len(name) > 128:
        raise SdkError(f"{owner}: name is {name!r}. Pass one line of at most 128 characters, without a slash.")


def check_text(owner: str, argument: str, value: Any) -> None:
    """A string or None."""
    if value is not None and not isinstance(value, str):
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass a string, or None.")


def check_choice(owner: str, argument: str, value: Any, *, optional: bool = False) -> None:
    """One of the words the argument knows."""
    if optional and value is None:
        return
    if not isinstance(value, str) or value not in _CHOICES[argument]:
        *most, last = (f'"{choice}"' for choice in _CHOICES[argument])
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass {', '.join(most)} or {last}.")


def check_count(owner: str, argument: str, value: Any) -> None:
    """A whole number above 0, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass a whole number above 0, or None.")


def check_seconds(owner: str, argument: str, value: Any) -> None:
    """A number above 0, or None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass a number of seconds above 0, or None.")


def check_temperature(owner: str, value: Any, provider: str) -> None:
    """A number from 0 to 2, or None; nothing for a provider that takes none."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise SdkError(f"{owner}: temperature is {value!r}. Pass a number from 0 to 2, or None.")
    if provider == "anthropic":
        raise SdkError(f'{owner}: temperature is {value!r}, which provider "anthropic" does not take. Leave it out.')


def check_instance(owner: str, argument: str, value: Any, kind: type, *, optional: bool = False) -> None:
    """An instance of a class."""
    if not (isinstance(value, kind) or (optional and value is None)):
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass an agents.{kind.__name__}(...).")


def listed(owner: str, argument: str, value: Any) -> tuple[Any, ...]:
    """The items of a list argument."""
    if not isinstance(value, list | tuple):
        raise SdkError(f"{owner}: {argument} is {value!r}. Pass a list.")
    return tuple(cast("Sequence[Any]", value))


def checked_tools(owner: str, value: Any) -> tuple[ToolDeclaration, ...]:
    """The tools of `tools=`."""
    given = listed(owner, "tools", value)
    if not given:
        return ()
    from mistralai.agents.authoring.declaration import ToolDeclaration

    for one in given:
        if not isinstance(one, ToolDeclaration):
            advice = "Decorate the function with @agents.tool." if callable(one) else "Pass functions made tools."
            raise SdkError(f"{owner}: tools has {one!r}, which is not a tool. {advice}")
        one.check_declared()
    return given


def checked_hooks(owner: str, argument: str, value: Any) -> tuple[Hook, ...]:
    """The hooks of `hooks=` or `guardrails=`."""
    given = listed(owner, argument, value)
    if not given:
        return ()
    from mistralai.agents.authoring.hook import Hook

    for one in given:
        if isinstance(one, type) and issubclass(one, Hook):
            raise SdkError(f"{owner}: {argument} has the class {one.__name__}. Pass an instance: {one.__name__}().")
        if not isinstance(one, Hook):
            raise SdkError(f"{owner}: {argument} has {one!r}, which is not a hook. Subclass agents.Hook.")
        try:
            one.dump_state()
        except ValueError as error:
            raise SdkError(
                f"{owner}: {argument} has a {type(one).__name__} whose fields cannot be saved as JSON: {error}. "
                "Declare a field that is no state with Field(exclude=True)."
            ) from error
    return given


def check_unique_tools(owner: str, tools: Iterable[ToolDeclaration]) -> None:
    """No two tools of one ID or one name that the model sees."""
    ids: set[str] = set()
    names: set[str] = set()
    for tool in tools:
        for seen, key, what in ((ids, tool.id, "ID"), (names, tool.name, "name")):
            if key in seen:
                raise SdkError(f"{owner}: two tools have the {what} {key!r}. Give one of them another name=.")
            seen.add(key)


def checked_connectors(owner: str, value: Any) -> tuple[Any, ...]:
    """The connectors of `connectors=`."""
    from mistralai.agents.authoring.connectors import AllConnectors, Connector

    given = listed(owner, "connectors", value)
    names: set[str] = set()
    for one in given:
        if isinstance(one, str):
            raise SdkError(f"{owner}: connectors has {one!r}. Pass agents.connector({one!r}).")
        if not isinstance(one, Connector | AllConnectors):
            raise SdkError(f"{owner}: connectors has {one!r}. Pass agents.connector(...) or agents.all_connectors().")
        if isinstance(one, Connector):
            if one.name in names:
                raise SdkError(f"{owner}: connectors names {one.name!r} twice. Name it once.")
            names.add(one.name)
    return given


def refuse_unbuilt(owner: str, given: dict[str, Any]) -> None:
    """Refuse the arguments that ask for what this version cannot do, rather than run without it."""
    for argument, value in given.items():
        if value:
            raise UnsupportedAgentFeatureError(
                f"{owner}: {argument}= is not available in this version. Leave it out to run the agent without it."
            )
