"""Connectors and MCP servers, as an agent's definition names them. Connecting to them is on a higher floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mistralai.agents.values.errors import SdkError
from mistralai.agents.values.record import fresh, record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@record
class Connector:
    """A connector of the connector directory, by name. Made by `agents.connector`. Public page: Connectors."""

    name: str
    """Its name in the directory."""
    run_as: str | None = None
    """Whose credentials it uses; None for the user's."""
    auto_auth: bool = True
    """Whether the agent asks the user to sign in where that is needed."""
    credentials_name: str | None = None
    """Which of several stored credentials to use; None for the default."""
    allow_mcp_ui: bool = False
    """Whether its tools may send user interface resources."""


@record
class AllConnectors:
    """Every connector of the directory but some. Made by `agents.all_connectors`. Public page: Connectors."""

    exclude: Sequence[str] = ()
    """Names that are left out."""
    max_connectors: int | None = None
    """The most to use; None for no bound."""
    auto_auth: bool = True
    """Whether the agent asks the user to sign in where that is needed."""
    allow_mcp_ui: bool = False
    """Whether their tools may send user interface resources."""


def connector(
    name: str,
    *,
    run_as: str | None = None,
    auto_auth: bool = True,
    credentials_name: str | None = None,
    allow_mcp_ui: bool = False,
) -> Connector:
    """Name a connector for `connectors=`. An unknown name does not fail the session: a Notice says so."""
    _check_text("connector", "name", name)
    for key, text in (("run_as", run_as), ("credentials_name", credentials_name)):
        if text is not None:
            _check_text("connector", key, text)
    _check_flag("connector", "auto_auth", auto_auth)
    _check_flag("connector", "allow_mcp_ui", allow_mcp_ui)
    return Connector(
        name=name, run_as=run_as, auto_auth=auto_auth, credentials_name=credentials_name, allow_mcp_ui=allow_mcp_ui
    )


def all_connectors(
    exclude: Sequence[str] = (),
    max_connectors: int | None = None,
    auto_auth: bool = True,
    allow_mcp_ui: bool = False,
) -> AllConnectors:
    """Name every connector of the directory, for `connectors=`."""
    names = _texts("all_connectors", "exclude", exclude)
    limit: Any = max_connectors
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise SdkError(
            f"all_connectors: max_connectors is {limit!r}. Pass a whole number above 0, or None for no bound."
        )
    _check_flag("all_connectors", "auto_auth", auto_auth)
    _check_flag("all_connectors", "allow_mcp_ui", allow_mcp_ui)
    return AllConnectors(exclude=names, max_connectors=limit, auto_auth=auto_auth, allow_mcp_ui=allow_mcp_ui)


@record
class RemoteMCP:
    """An MCP server reached over HTTP. Public page: MCP."""

    url: str
    """Its address: https, or http on this machine."""
    auth_header_env_vars: Mapping[str, str] = fresh(default_factory=dict[str, str])
    """Header name to the environment variable that holds its value: `{"Authorization": "MY_TOKEN"}`."""
    startup_timeout_seconds: float = 30
    """The longest wait for the connection and the list of tools."""
    tool_timeout_seconds: float = 300
    """The longest wait for one call."""
    disabled_tools: Sequence[str] = ()
    """Names of its tools that the agent does not get."""

    def __post_init__(self) -> None:
        _check_text("RemoteMCP", "url", self.url)
        if not self.url.startswith(("https://", "http://")):
            raise SdkError(f"RemoteMCP: url is {self.url!r}. Pass an http or https address.")
        object.__setattr__(self, "disabled_tools", _texts("RemoteMCP", "disabled_tools", self.disabled_tools))
        _check_texts("RemoteMCP", "auth_header_env_vars", self.auth_header_env_vars)
        for name in ("startup_timeout_seconds", "tool_timeout_seconds"):
            check_positive("RemoteMCP", name, getattr(self, name))


@record
class StdioMCP:
    """An MCP server started as a process, spoken to over its standard input and output. Public page: MCP."""

    command: str
    """The program to start."""
    args: Sequence[str] = ()
    """Its arguments."""
    env: Mapping[str, str] = fresh(default_factory=dict[str, str])
    """Its environment variables, beside a small safe set."""
    startup_timeout_seconds: float = 30
    """The longest wait for the process and the list of tools."""
    tool_timeout_seconds: float = 300
    """The longest wait for one call."""
    disabled_tools: Sequence[str] = ()
    """Names of its tools that the agent does not get."""

    def __post_init__(self) -> None:
        _check_text("StdioMCP", "command", self.command)
        object.__setattr__(self, "args", _texts("StdioMCP", "args", self.args))
        object.__setattr__(self, "disabled_tools", _texts("StdioMCP", "disabled_tools", self.disabled_tools))
        _check_texts("StdioMCP", "env", self.env)
        for name in ("startup_timeout_seconds", "tool_timeout_seconds"):
            check_positive("StdioMCP", name, getattr(self, name))


def check_positive(owner: str, name: str, value: Any) -> None:
    """Raise SdkError unless the value is a number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise SdkError(f"{owner}: {name} is {value!r}. Pass a number above 0.")


def _check_text(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise SdkError(f"{owner}: {name} is {value!r}. Pass a string.")


def _check_flag(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise SdkError(f"{owner}: {name} is {value!r}. Pass True or False.")


def _texts(owner: str, name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, list | tuple | set | frozenset):
        held = tuple(cast("Sequence[object]", given))
        if all(isinstance(one, str) for one in held):
            return cast("tuple[str, ...]", held)
    raise SdkError(f"{owner}: {name} is {given!r}. Pass a list of strings.")


def _check_texts(owner: str, name: str, given: Any) -> None:
    if not isinstance(given, dict) or not all(
        isinstance(key, str) and isinstance(value, str) for key, value in cast("dict[object, object]", given).items()
    ):
        raise SdkError(f'{owner}: {name} is not a dict of strings. Pass one, such as {{"NAME": "value"}}.')
