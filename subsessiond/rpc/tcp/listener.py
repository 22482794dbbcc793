"""Owns the port: bound once, at the start or at the first need, on loopback and nowhere else."""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from aiohttp import web
from structlog.typing import FilteringBoundLogger

from subsessiond.rpc.door import Door
from subsessiond.rpc.running import Running
from subsessiond.rpc.site import BODY_S, Site
from subsessiond.rpc.socketfile import BACKLOG, SocketFault
from subsessiond.rpc.tcp.gate import refuse_form, refuse_stranger

CONNECTIONS_MOST: Final = 256
"""More than all live children of one daemon hold, and few enough to be nothing."""

HEADERS_MOST: Final = 64
HEADER_MOST_BYTES: Final = 8_190
"""Of one line."""

IDLE_S: Final = 75.0
"""Longer than a client waits before it uses a connection again."""

_TRIES: Final = 8
"""Free ports that are tried until one is free at both addresses."""

_ABSENT: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
"""What a system without the newer protocol says."""

Answer = Callable[[Site, web.BaseRequest], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Route:
    """What is served at one path."""

    methods: tuple[str, ...]
    answer: Answer
    """Is given only requests that passed the gate; who sent them is its own to find out."""


class TcpListener:
    """Serves routes on one port of loopback.

    Args:
        port: Which; none takes a free one at the first need.
        log: Hears of what is a bug.
        idle_s: How long a connection may say nothing, or take over the head of a request.
        body_s: How long a body may take to come.
    """

    def __init__(
        self,
        port: int | None,
        log: FilteringBoundLogger,
        *,
        idle_s: float = IDLE_S,
        body_s: float = BODY_S,
    ) -> None:
        self._patience = {"keepalive_timeout": idle_s, "body_s": body_s}
        self._wanted = port
        self._log = log
        self._routes: Mapping[str, Route] = {}
        self._methods: Mapping[str, tuple[str, ...]] = {}
        self.running = Running()
        """Keeps the calls of every route."""
        self._site: Site | None = None
        self._opening = asyncio.Lock()
        self._is_over = False
        self.port: int | None = None
        """None until it is bound."""

    def serve(self, routes: Mapping[str, Route]) -> None:
        """Serve these; said once, before anything is opened."""
        self._routes = dict(routes)
        self._methods = {path: route.methods for path, route in routes.items()}

    async def start(self) -> None:
        """Open the port where one was chosen.

        Raises:
            SocketFault: another program has it.
        """
        if self._wanted is not None:
            await self.open()

    async def open(self) -> int:
        """Give the port, bound by now.

        Raises:
            SocketFault: it cannot be bound, or the daemon stops.
        """
        async with self._opening:
            if self._is_over:
                raise SocketFault("the daemon stops and opens no port any more")
            if self.port is None:
                socks = bind(self._wanted)
                # Why before: the first request may come while the second socket is opened.
                self._site, self.port = self._make_site(), int(socks[0].getsockname()[1])
                begin = asyncio.get_running_loop().create_server
                await self._site.open(*(partial(begin, sock=sock) for sock in socks))
                self._log.info("serving on loopback", port=self.port)
            return self.port

    async def address(self, path: str) -> str:
        """Give the address of a route; the port is bound by then.

        Raises:
            SocketFault: as `open`.
        """
        return f"http://127.0.0.1:{await self.open()}{path}"

    async def stop(self, grace_ms: int = 2_000) -> None:
        """Take no more, let calls under way end, then end them; idempotent."""
        async with self._opening:
            self._is_over = True
        if self._site is None or not self._site.close():
            return
        await self._site.settle(grace_ms / 1000)
        await self.running.stop()
        await self._site.end()

    def _make_site(self) -> Site:
        return Site(
            self._answer,
            self._log,
            # Why so: here the kernel names no process, so each connection stands for itself.
            Door(CONNECTIONS_MOST, process_of=lambda line: line),
            self.running,
            handler_cancellation=True,
            **self._patience,
            max_headers=HEADERS_MOST,
            max_line_size=HEADER_MOST_BYTES,
            max_field_size=HEADER_MOST_BYTES,
        )

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        assert self._site is not None
        assert self.port is not None
        refused = refuse_stranger(request, self.port) or refuse_form(request, self._methods)
        if refused is not None:
            return refused
        return await self._routes[request.raw_path].answer(self._site, request)


def bind(port: int | None) -> tuple[socket.socket, ...]:
    """Listen at both loopback addresses, at the older one alone where there is no other.

    Why both: whoever is told `localhost` may try either, and another user's program at the other
    one would be shown the token.

    Raises:
        SocketFault: no port that is free at both could be had.
    """
    for _ in range(_TRIES):
        first = _listen(socket.AF_INET, "127.0.0.1", port or 0)
        try:
            second = _listen(socket.AF_INET6, "::1", first.getsockname()[1])
        except OSError as fault:
            if fault.errno in _ABSENT:
                return (first,)
            first.close()
            if port is not None:
                raise _taken(port, fault) from fault
        else:
            return first, second
    raise SocketFault("no port is free at both loopback addresses")


def _listen(family: int, host: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
        sock.setblocking(False)  # noqa: FBT003  # its only parameter
    except BaseException as fault:
        sock.close()
        if isinstance(fault, OSError) and family == socket.AF_INET and port:
            raise _taken(port, fault) from fault
        raise
    return sock


def _taken(port: int, fault: OSError) -> SocketFault:
    return SocketFault(f"port {port} of loopback cannot be had: {fault.strerror}")
