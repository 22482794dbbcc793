"""Serves JSON-RPC on a unix socket: `POST /rpc`, `GET /ws` for WebSockets, `POST /pipe` for lines.

Transport alone: what a message means is `rpc.dispatch`, who sent it is the given `identify`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from aiohttp import hdrs, web
from structlog.typing import FilteringBoundLogger

from subsessiond.model.commands import Caller
from subsessiond.rpc.call import Call, Handler
from subsessiond.rpc.dispatch import Answers, Dispatcher
from subsessiond.rpc.door import Door, connections_most
from subsessiond.rpc.pipe import LinePipe, LineSpeaker
from subsessiond.rpc.refusals import (
    JSON,
    STREAMS_MOST,
    broken,
    is_json,
    refusal,
    too_many_streams,
)
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.running import Running
from subsessiond.rpc.socketfile import SocketFile, listen
from subsessiond.rpc.watched import WatchedServer, silent
from subsessiond.rpc.websocket import MESSAGE_MOST_BYTES, WebSocket

Identify = Callable[[Any, str | None], Awaitable[Caller] | Caller]
"""Tells who is calling, by the connection's socket and its `Authorization` header; may raise
`Refused`. Asked once a message: whoever answers keeps what is costly."""

OpenSession = Callable[[Running], LineSpeaker]
"""Makes what answers the lines of one pipe; it keeps its calls with what it is given."""

_LINGER_S = 2.0
"""How long the rest of a refused body is read and dropped, so that the answer can be read."""

_STREAMS_S = 0.4
"""How long calls may go on, once the server stops, before the streams they came by are closed."""

_BODY_S = 30.0
"""How long a body may take to come; on one machine, from anybody who means it, it takes ms."""

_NOBODY = "nobody"
"""Whoever is refused, and may hold no more than a node."""


class RpcServer:
    """Serves one socket. Start once, stop once."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        identify: Identify,
        log: FilteringBoundLogger,
        open_session: OpenSession | None = None,
    ) -> None:
        self._dispatcher = Dispatcher(handlers, log)
        self._identify = identify
        self._log = log
        self._open_session = open_session
        self._running = Running()
        self._streams: dict[WebSocket | LinePipe, str | None] = {}
        self._door = Door(connections_most())
        self._reading: set[asyncio.Transport] = set()
        self._http_calls = 0
        self._http_idle = asyncio.Event()
        self._socket: SocketFile | None = None
        self._listener: asyncio.Server | None = None
        self._web: web.Server | None = None

    async def start(self, path: Path, *, holds_lock: bool = False) -> None:
        """Serve at a path.

        Args:
            path: Of the socket. It is made for its owner alone.
            holds_lock: Whether the caller holds the lock of the state directory, and may
                therefore remove a leftover without a listener.

        Raises:
            SocketFault: something stands at the path that may not be removed.
        """
        self._socket = await asyncio.to_thread(listen, path, holds_lock=holds_lock)
        self._web = WatchedServer(
            self._door,
            self._handle,
            access_log=None,
            logger=silent(),
            auto_decompress=False,
            tcp_keepalive=False,
            lingering_time=_LINGER_S,
        )
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_unix_server(self._web, sock=self._socket.sock)

    async def stop(self, grace_ms: int = 2_000) -> None:
        """Take no more calls, let those under way end, then end them; idempotent.

        Streams end within a second, whatever the grace. Idle connections and half-sent bodies are
        not waited for. The socket file goes if it is still the one that was made here.

        Args:
            grace_ms: How long calls over HTTP may go on.
        """
        if self._listener is None or self._web is None or self._socket is None:
            return
        listener, self._listener = self._listener, None
        listener.close()
        self._socket.remove()
        self._web.pre_shutdown()
        for transport in tuple(self._reading):
            transport.abort()
        grace_s = grace_ms / 1000
        await self._running.settle(min(grace_s, _STREAMS_S))
        await asyncio.gather(*(stream.close() for stream in tuple(self._streams)))
        await self._settle_http(grace_s - _STREAMS_S)
        await self._running.stop()
        # Why so short: nothing is left that could end by itself.
        await self._web.shutdown(timeout=0.01)

    async def _settle_http(self, seconds: float) -> None:
        if self._http_calls == 0 or seconds <= 0:
            return
        self._http_idle.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._http_idle.wait()
        except TimeoutError:
            pass

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._route(request)
        except (ConnectionError, web.HTTPException):
            raise  # gone, or told
        except Exception:  # noqa: BLE001  # the last place where a bug of the transport ends
            incident = token_hex(8)
            self._log.exception("rpc.bug", incident=incident, method=request.method)
            return broken(incident)

    async def _route(self, request: web.BaseRequest) -> web.StreamResponse:
        # Why Origin alone: only browsers send it, and no page has business on this socket. Its
        # file is the owner's, so no name in Host can be a trick here.
        if hdrs.ORIGIN in request.headers:
            return refusal(403, "origin", "browsers are not served on this socket")
        path, method = request.raw_path, request.method
        if path == "/rpc" and method == hdrs.METH_POST:
            return await self._post(request)
        if path == "/ws" and method == hdrs.METH_GET:
            return await self._follow(request)
        if path == "/pipe" and method == hdrs.METH_POST:
            return await self._pipe(request)
        known = {"/rpc": hdrs.METH_POST, "/ws": hdrs.METH_GET, "/pipe": hdrs.METH_POST}
        if path in known:
            return web.Response(status=405, headers={hdrs.ALLOW: known[path]})
        return web.Response(status=404)

    async def _post(self, request: web.BaseRequest) -> web.StreamResponse:
        if not is_json(request):
            return refusal(415, "content-type", "must be application/json, not compressed")
        raw = await self._read(request)
        if raw is None:
            return refusal(413, "", "is too large", limit=MESSAGE_MOST_BYTES)
        who, answers = await self._split(request, raw)
        del raw  # the call may wait for a minute, and needs these bytes no more
        line = request.transport
        self._http_calls += 1
        self._door.begins(line, who)
        try:
            reply = await self._dispatcher.finish(answers)
        finally:
            self._door.ends(line)
            self._http_calls -= 1
            if self._http_calls == 0:
                self._http_idle.set()
        return web.Response(status=204) if reply is None else web.Response(body=reply, headers=JSON)

    async def _split(self, request: web.BaseRequest, raw: bytes) -> tuple[str | None, Answers]:
        """Tell who sent a message, and split it into calls, none of which has begun."""
        try:
            caller = self._who(request)()
            if not isinstance(caller, Caller):
                caller = await caller
        except Refused as refused:
            return _NOBODY, Answers(ready=self._dispatcher.refuse(raw, refused.rejection))
        return caller.node_id, self._dispatcher.split(raw, Call(caller))

    def _who(self, request: web.BaseRequest) -> Callable[[], Awaitable[Caller] | Caller]:
        transport = request.transport
        sock = None if transport is None else transport.get_extra_info("socket")
        return partial(self._identify, sock, request.headers.get(hdrs.AUTHORIZATION))

    async def _follow(self, request: web.BaseRequest) -> web.StreamResponse:
        return await self._hold(
            request,
            lambda: WebSocket(request, self._dispatcher, self._who(request), self._running),
        )

    async def _pipe(self, request: web.BaseRequest) -> web.StreamResponse:
        line, session = request.transport, self._open_session
        if line is None:
            raise ConnectionResetError
        if session is None:
            return await _turned_away(request, web.Response(status=404))
        try:
            answer = await self._hold(
                request,
                lambda: LinePipe(
                    request,
                    session(self._running),
                    self._who(request),
                    self._running,
                    partial(self._door.holds, line),
                ),
            )
        finally:
            self._door.holds_none(line)
        return await _turned_away(request, answer) if isinstance(answer, web.Response) else answer

    async def _hold(
        self, request: web.BaseRequest, stream_of: Callable[[], WebSocket | LinePipe]
    ) -> web.StreamResponse:
        """Serve a stream to its end, unless its node has as many as it may."""
        who, _ = await self._split(request, b"[]")
        if who is not None and sum(one == who for one in self._streams.values()) >= (STREAMS_MOST):
            return too_many_streams()
        stream = stream_of()
        self._streams[stream] = who
        self._door.begins(request.transport, who)
        try:
            return await stream.serve()
        finally:
            del self._streams[stream]

    async def _read(self, request: web.BaseRequest) -> bytes | None:
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
            async with asyncio.timeout(_BODY_S):
                return await _bounded(request, body, partial(self._door.holds, transport))
        except TimeoutError:
            transport.abort()
            raise ConnectionResetError from None
        finally:
            self._reading.discard(transport)
            self._door.holds_none(transport)


async def _turned_away(request: web.BaseRequest, answer: web.Response) -> web.Response:
    """Answer and hang up: what follows has no end that could be waited for."""
    await answer.prepare(request)
    await answer.write_eof()
    if request.transport is not None:
        request.transport.close()
    return answer


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
