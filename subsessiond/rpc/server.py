"""Serves JSON-RPC on a unix socket: `POST /rpc`, `GET /ws` for WebSockets, `POST /pipe` for lines.

Transport alone: what a message means is `rpc.dispatch`, who sent it is the given `identify`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
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
    is_json,
    refusal,
    too_many_streams,
)
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.running import Running
from subsessiond.rpc.site import Site
from subsessiond.rpc.socketfile import SocketFile, listen
from subsessiond.rpc.tcp.listener import TcpListener
from subsessiond.rpc.websocket import MESSAGE_MOST_BYTES, WebSocket

Identify = Callable[[Any, str | None], Awaitable[Caller] | Caller]
"""Tells who is calling, by the connection's socket and its `Authorization` header; may raise
`Refused`. Asked once a message: whoever answers keeps what is costly."""

OpenSession = Callable[[Running], LineSpeaker]
"""Makes what answers the lines of one pipe; it keeps its calls with what it is given."""

_STREAMS_S = 0.4
"""How long calls may go on, once the server stops, before the streams they came by are closed."""

_NOBODY = "nobody"
"""Whoever is refused, and may hold no more than a node."""


class RpcServer:
    """Serves one socket, and has a port of loopback beside it. Start once, stop once."""

    def __init__(
        self,
        handlers: Mapping[str, Handler],
        identify: Identify,
        log: FilteringBoundLogger,
        open_session: OpenSession | None = None,
        beside: TcpListener | None = None,
    ) -> None:
        self._dispatcher = Dispatcher(handlers, log)
        self._identify = identify
        self._log = log
        self._open_session = open_session
        self._beside = beside
        self._running = Running()
        self._streams: dict[WebSocket | LinePipe, str | None] = {}
        self._door = Door(connections_most())
        self._site = Site(self._route, log, self._door, self._running)
        self._socket: SocketFile | None = None

    async def start(self, path: Path, *, holds_lock: bool = False) -> None:
        """Serve at a path.

        Args:
            path: Of the socket. It is made for its owner alone.
            holds_lock: Whether the caller holds the lock of the state directory, and may
                therefore remove a leftover without a listener.

        Raises:
            SocketFault: something stands at the path that may not be removed, or has the port
                that was chosen.
        """
        if self._beside is not None:
            await self._beside.start()
        self._socket = await asyncio.to_thread(listen, path, holds_lock=holds_lock)
        loop = asyncio.get_running_loop()
        await self._site.open(partial(loop.create_unix_server, sock=self._socket.sock))

    async def stop(self, grace_ms: int = 2_000) -> None:
        """Take no more calls, on loopback neither, let those under way end, then end them.

        Streams end within a second, whatever the grace. Idle connections and half-sent bodies are
        not waited for. The socket file goes if it is still the one that was made here. Idempotent.

        Args:
            grace_ms: How long calls over HTTP may go on.
        """
        if self._beside is None:
            await self._stop(grace_ms)
            return
        beside = asyncio.ensure_future(self._beside.stop(grace_ms))
        try:
            await self._stop(grace_ms)
        finally:
            await beside

    async def _stop(self, grace_ms: int) -> None:
        if self._socket is None or not self._site.close():
            return
        self._socket.remove()
        grace_s = grace_ms / 1000
        await self._running.settle(min(grace_s, _STREAMS_S))
        await asyncio.gather(*(stream.close() for stream in tuple(self._streams)))
        await self._site.settle(grace_s - _STREAMS_S)
        await self._running.stop()
        await self._site.end()

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
        raw = await self._site.read(request)
        if raw is None:
            return refusal(413, "", "is too large", limit=MESSAGE_MOST_BYTES)
        who, answers = await self._split(request, raw)
        del raw  # the call may wait for a minute, and needs these bytes no more
        with self._site.call(request, who):
            reply = await self._dispatcher.finish(answers)
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


async def _turned_away(request: web.BaseRequest, answer: web.Response) -> web.Response:
    """Answer and hang up: what follows has no end that could be waited for."""
    await answer.prepare(request)
    await answer.write_eof()
    if request.transport is not None:
        request.transport.close()
    return answer
