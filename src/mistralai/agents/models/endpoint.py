"""Where a provider's calls go, with the key: read from the environment, checked, and kept until that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mistralai.agents.values.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Endpoint:
    """One provider's address. The key is in the headers and is never shown."""

    __slots__ = ("headers", "host", "provider", "proxy", "secret", "url")

    def __init__(self, *, provider: str, url: str, headers: Mapping[str, str], secret: str | None) -> None:
        self.provider: str = provider
        """The provider as errors name it: `Mistral`."""
        self.url: str = url
        self.headers: Mapping[str, str] = headers
        self.secret: str | None = secret
        """The key, to be removed from what a server says; None if there is none."""
        parts = urlsplit(url)
        self.host: str = parts.hostname or ""
        self.proxy: str | None = _proxy_for(parts.scheme, self.host)
        """The proxy that the environment sets for the address; None to connect directly."""

    def __repr__(self) -> str:
        return f"Endpoint({self.provider!r}, host={self.host!r})"


class EndpointSource:
    """Reads a provider's endpoint again whenever one of its variables changed."""

    __slots__ = ("_endpoint", "_given", "_read", "_variables")

    def __init__(self, variables: tuple[str, ...], read: Callable[[Mapping[str, str]], Endpoint]) -> None:
        self._variables = variables
        self._read = read
        self._given: list[str | None] = []
        self._endpoint: Endpoint | None = None

    def endpoint(self, environ: Mapping[str, str]) -> Endpoint:
        """The endpoint. Raises SdkError if the environment holds no valid one."""
        given = [environ.get(name) for name in self._variables]
        if self._endpoint is None or self._given != given:
            self._endpoint = self._read(environ)
            self._given = given
        return self._endpoint


def base_url(environ: Mapping[str, str], variable: str, default: str) -> str:
    """The base URL in a variable, without a slash at its end. Raises SdkError if it is no HTTP URL."""
    text = (environ.get(variable) or "").strip() or default
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise SdkError(f"The environment variable {variable} holds no HTTP URL. Set it to one such as {default}.")
    return text.rstrip("/")


def checked_key(environ: Mapping[str, str], variable: str) -> str | None:
    """The key in a variable; None if there is none. Raises SdkError if it cannot be sent in a header."""
    key = (environ.get(variable) or "").strip()
    if not key:
        return None
    if not key.isascii() or not key.isprintable():
        raise SdkError(f"The environment variable {variable} holds characters that no key has. Copy the key again.")
    return key


def _proxy_for(scheme: str, host: str) -> str | None:
    from urllib.request import getproxies_environment, proxy_bypass

    proxies = getproxies_environment()
    if not proxies or host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    proxy = proxies.get(scheme) or proxies.get("all")
    return proxy if proxy and proxy.startswith(("http://", "https://")) else None
