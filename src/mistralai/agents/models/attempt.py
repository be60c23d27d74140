"""One HTTP request to a provider and the reading of its reply, under the bounds of the call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mistralai.agents.models.deadlines import Arrivals
from mistralai.agents.models.failures import connection_failed, status_failure, timed_out

if TYPE_CHECKING:
    from aiohttp import ClientResponse

    from mistralai.agents.authoring.model import ModelEvent
    from mistralai.agents.models.client import ModelClient
    from mistralai.agents.models.deadlines import CallLimits
    from mistralai.agents.models.dialect import Body, ReplyReader
    from mistralai.agents.models.endpoint import Endpoint
    from mistralai.agents.models.failures import CallFailure

LONGEST_ERROR_BYTES = 64 * 1024
ERROR_BODY_SECONDS = 10.0
LAST_BYTES_SECONDS = 0.25
"""Longest wait for the end of a body whose reply has ended: once it is read, the connection can be used again."""


class Attempt:
    """One attempt of a call: open it, ask for events until None, and close it whatever happened."""

    __slots__ = ("_arrivals", "_client", "_end", "_ended", "_first", "_host", "_limits", "_reply", "_response")

    def __init__(
        self, client: ModelClient, reply: ReplyReader, limits: CallLimits, end: float, first: float | None
    ) -> None:
        self._client = client
        self._reply = reply
        self._limits = limits
        self._end = end
        self._first = limits.first if first is None else first
        self._host = ""
        self._response: ClientResponse | None = None
        self._arrivals: Arrivals | None = None
        self._ended = False

    async def open(self, endpoint: Endpoint, body: Body) -> None:
        """Send the request and read the status. Raises CallFailure if it is not 200 or there is no answer."""
        from mistralai.agents.models.transport import BufferPayload, HttpError

        started = asyncio.get_running_loop().time()
        bound = self._end if self._first is None else min(self._end, started + self._first)
        self._host = endpoint.host
        try:
            async with asyncio.timeout_at(bound):
                response = self._response = await self._client.session().post(
                    endpoint.url,
                    data=BufferPayload(body.pieces, body.size),
                    headers=endpoint.headers,
                    proxy=endpoint.proxy,
                    allow_redirects=False,
                )
        except TimeoutError as error:
            raise self._open_failure(error, bound) from None
        except HttpError as error:
            raise connection_failed(self._host, error) from None
        if response.status != 200:
            raise await self._refusal(response, endpoint)
        self._arrivals = Arrivals(response.content, self._limits, started=started, end=self._end, first=self._first)

    async def events(self) -> list[ModelEvent] | None:
        """The events of the next bytes, perhaps none yet; None at the end. Raises CallFailure."""
        if self._ended:
            return None
        from mistralai.agents.models.transport import HttpError

        arrivals, reply = self._arrivals, self._reply
        assert arrivals is not None
        before = reply.chunks
        try:
            data = await arrivals.next()
        except HttpError as error:
            raise connection_failed(self._host, error) from None
        if data:
            events = reply.feed(data)
            if reply.chunks != before:
                arrivals.output_came()
            if not reply.done:
                return events
            await self._read_to_end()
        else:
            events = []
        self._ended = True
        return events + reply.end()

    def close(self) -> None:
        """Give the connection back, or drop it where its reply was not read to the end."""
        if self._arrivals is not None:
            self._arrivals.stop()
        if self._response is not None:
            self._response.close()

    async def _read_to_end(self) -> None:
        from mistralai.agents.models.transport import HttpError

        assert self._response is not None
        content = self._response.content
        if content.is_eof():
            return
        try:
            async with asyncio.timeout(LAST_BYTES_SECONDS):
                while not content.at_eof():
                    await content.readany()
        except (TimeoutError, *HttpError):
            pass  # the reply itself is whole

    def _open_failure(self, error: TimeoutError, bound: float) -> CallFailure:
        if asyncio.get_running_loop().time() < bound:  # the library's own bound on connecting
            return connection_failed(self._host, error)
        if bound == self._end:
            return timed_out("call_timeout", self._limits.call)
        return timed_out("first_output_timeout", self._first or 0.0)

    async def _refusal(self, response: ClientResponse, endpoint: Endpoint) -> CallFailure:
        from mistralai.agents.models.transport import HttpError

        read = bytearray()
        try:
            async with asyncio.timeout(ERROR_BODY_SECONDS):
                while len(read) < LONGEST_ERROR_BYTES and (data := await response.content.readany()):
                    read += data
        except (TimeoutError, *HttpError):
            pass  # the status tells enough
        body = bytes(read[:LONGEST_ERROR_BYTES])
        if endpoint.secret:
            body = body.replace(endpoint.secret.encode(), b"***")
        return status_failure(endpoint.provider, response.status, response.headers, body)
