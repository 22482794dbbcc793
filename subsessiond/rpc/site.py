"""One HTTP server, on whatever socket: who is connected, what is half sent, what is under way.

What a request means is the given `route`; this owns what every request costs and how all of them
end.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from secrets import token_hex
from typing import Any, Final

from aiohttp import hdrs, web
from structlog.typing import FilteringBoundLogger

from subsessiond.rpc.door import Door
from subsessiond.rpc.refusals import broken
from subsessiond.rpc.running import Running
from subsessiond.rpc.watched import WatchedServer, silent
from subsessiond.rpc.websocket import MESSAGE_MOST_BYTES

Route = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
"""Answers a request."""

Listen = Callable[[web.Server], Awaitable[asyncio.Server]]
"""Begins to listen, with a server as its factory of protocols."""

_LINGER_S: Final = 2.0
"""How long the rest of a refused body is read and dropped, so that the answer can be read."""

BODY_S: Final = 30.0
"""How long a body may take to come; on one machine, from anybody who means it, it takes ms."""


class Site:
    """Serves requests. Open once, close once.

    Args:
        route: Answers them.
        log: Hears of what is a bug.
        door: Keeps the connections.
        running: Keeps the calls.
        body_s: How long a body may take to come.
        options: More for aiohttp's server.
    """

    def __init__(
        self,
        route: Route,
        log: FilteringBoundLogger,
        door: Door,
        running: Running,
        *,
        body_s: float = BODY_S,
        **options: Any,
    ) -> None:
        self.door = door
        self.running = running
        self._route = route
        self._log = log
        self._body_s = body_s
        self._options = options
        self._reading: set[asyncio.Transport] = set()
        self._calls = 0
        self._idle = asyncio.Event()
        self._listeners: list[asyncio.Server] = []
        self._web: web.Server | None = None

    async def open(self, *listen: Listen) -> None:
        """Serve what comes in by these."""
        self._web = WatchedServer(
            self.door,
            self._answer,
            access_log=None,
            logger=silent(),
            auto_decompress=False,
            tcp_keepalive=False,
            lingering_time=_LINGER_S,
            **self._options,
        )
        for begin in listen:
            self._listeners.append(await begin(self._web))

    def close(self) -> bool:
        """Take nothing more, and let go of what is half sent; false when there is nothing to close.

        Calls under way go on; idle connections are not waited for.
        """
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.close()
        if not listeners or self._web is None:
            return False
        self._web.pre_shutdown()
        for transport in tuple(self._reading):
            transport.abort()
        return True

    async def settle(self, seconds: float) -> None:
        """Wait at most so long for the calls under way to end by themselves."""
        if self._calls == 0 or seconds <= 0:
            return
        self._idle.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            pass

    async def end(self) -> None:
        """End every connection that is left."""
        if self._web is not None:
            # Why so short: nothing is left that could end by itself.
            await self._web.shutdown(timeout=0.01)

    @contextmanager
    def call(self, request: web.BaseRequest, who: str | None) -> Iterator[None]:
        """Know, for the length of a block, that a call of somebody is under way."""
        line = request.transport
        self._calls += 1
        self.door.begins(line, who)
        try:
            yield
        finally:
            self.door.ends(line)
            self._calls -= 1
            if self._calls == 0:
                self._idle.set()

    async def read(self, request: web.BaseRequest) -> bytes | None:
        """Read a body; none when it is larger than may be."""
        if (request.content_length or 0) > MESSAGE_MOST_BYTES:
            return None
        if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        transport = request.transport
        if transport is None:
            raise ConnectionResetError
        self._reading.add(transport)
        try:
            body = await request.content.readany()
            if request.content.at_eof():
                return body if len(body) <= MESSAGE_MOST_BYTES else None
            async with asyncio.timeout(self._body_s):
                return await _bounded(request, body, partial(self.door.holds, transport))
        except TimeoutError:
            transport.abort()
            raise ConnectionResetError from None
        finally:
            self._reading.discard(transport)
            self.door.holds_none(transport)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._route(request)
        except (ConnectionError, web.HTTPException):
            raise  # gone, or told
        except Exception:  # noqa: BLE001  # the last place where a bug of the transport ends
            incident = token_hex(8)
            self._log.exception("rpc.bug", incident=incident, method=request.method)
            return broken(incident)


async def _bounded(
    request: web.BaseRequest, body: bytes, holds: Callable[[int], None]
) -> bytes | None:
    chunks, size = [body], len(body)
    try:
        while size <= MESSAGE_MOST_BYTES:
            holds(size)
            chunk = await request.content.readany()
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
            size += len(chunk)
    finally:
        chunks.clear()  # the fault of a connection that was lost would keep them for a while
    return None
