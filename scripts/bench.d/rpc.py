"""Read calls over HTTP and WebSocket, as ratios to bare aiohttp on a socket of the same kind.

Function-based, so that scripts/bench can import it: `measure()` gives the numbers. Servers run in
processes of their own, one at a time; the client is raw bytes on asyncio, cheaper than any server.
"""

import asyncio
import contextlib
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import structlog
from aiohttp import WSMsgType, web

from subsessiond.model.commands import Caller
from subsessiond.model.view import InfoAnswer
from subsessiond.rpc.server import RpcServer

CALL = b'{"jsonrpc":"2.0","method":"daemon.info","params":{},"id":1}'
INFO = {
    "name": "subsessiond",
    "version": "0.1.0",
    "protocolVersion": 1,
    "pid": 4242,
    "startedAt": 1_790_000_000_000,
    "socket": "/run/user/1000/subsessiond/daemon.sock",
    "stateDir": "/home/user/.local/state/subsessiond",
    "containers": "cgroup",
}
NEEDED = 0.5
"""The share of the ceiling that must be reached."""


# ------------------------------------------------------------------ servers


def serve_bare(path: str, ready: Any) -> None:
    """Serve the ceiling: aiohttp without a router, orjson, nothing else."""
    reply = {"jsonrpc": "2.0", "result": INFO, "id": 1}

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/ws":
            socket = web.WebSocketResponse(compress=False)
            await socket.prepare(request)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    with contextlib.suppress(ConnectionError):
                        await socket.send_str(orjson.dumps(orjson.loads(message.data)).decode())
            return socket
        orjson.loads(await request.read())
        return web.Response(body=orjson.dumps(reply), content_type="application/json")

    async def main() -> None:
        await asyncio.get_running_loop().create_unix_server(
            web.Server(handle, access_log=None), path
        )
        ready.set()
        await asyncio.Event().wait()

    asyncio.run(main())


def serve_ours(path: str, ready: Any) -> None:
    """Serve the same answer through the daemon's own server: caller known, view built."""
    answer = InfoAnswer(
        name=INFO["name"],
        version=INFO["version"],
        protocol_version=1,
        pid=4242,
        started_at=INFO["startedAt"],
        socket=INFO["socket"],
        state_dir=INFO["stateDir"],
        containers=INFO["containers"],
    )
    caller = Caller(may_grant=True, why="bench")

    async def info(_call: Any, _params: Any) -> InfoAnswer:
        return answer

    async def main() -> None:
        server = RpcServer(
            {"daemon.info": info}, lambda _sock, _auth: caller, structlog.get_logger()
        )
        await server.start(Path(path))
        ready.set()
        await asyncio.Event().wait()

    asyncio.run(main())


# ------------------------------------------------------------------ client


class Driver(asyncio.Protocol):
    """Keeps a number of calls in flight on one connection and counts the replies."""

    def __init__(self, hello: bytes, call: bytes, mark: bytes, in_flight: int) -> None:
        self._hello, self._call, self._mark = hello, call, mark
        self._in_flight = in_flight
        self._greeted = not hello
        self._tail = b""
        self.replies = 0

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        transport.write(self._hello or self._call * self._in_flight)

    def data_received(self, data: bytes) -> None:
        """Count the replies and call again, as often as was answered."""
        if not self._greeted:
            self._greeted = True
            self.transport.write(self._call * self._in_flight)
            return
        data = self._tail + data
        count = data.count(self._mark)
        # What may be the beginning of a mark is looked at again with the next bytes.
        self._tail = data[data.rfind(self._mark) + len(self._mark) :] if count else data
        self.replies += count
        if count:
            self.transport.write(self._call * count)


def http_caller() -> Driver:
    """Call over HTTP, one at a time."""
    head = (
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(CALL)
    )
    return Driver(b"", head + CALL, b'"id":1}', 1)


def ws_caller(in_flight: int) -> Callable[[], Driver]:
    """Call over a WebSocket, so many at once."""
    hello = (
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    # A mask of zeros changes nothing: masking is the client's cost and not what is measured.
    masked = bytes((0x81, 0x80 | len(CALL))) + bytes(4) + CALL
    return lambda: Driver(hello, masked, b'"id":1}', in_flight)


async def rate(path: str, make: Callable[[], Driver], connections: int, seconds: float) -> float:
    """Give replies a second, after a short warm-up."""
    loop = asyncio.get_running_loop()
    callers = [(await loop.create_unix_connection(make, path))[1] for _ in range(connections)]
    await asyncio.sleep(0.3)
    before, start = sum(one.replies for one in callers), time.perf_counter()
    await asyncio.sleep(seconds)
    after, end = sum(one.replies for one in callers), time.perf_counter()
    for one in callers:
        one.transport.abort()
    await asyncio.sleep(0)
    return (after - before) / (end - start)


@contextlib.contextmanager
def serving(serve: Callable[[str, Any], None]) -> Iterator[str]:
    """Run a server in a process of its own; give its socket's path."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path, ready = str(Path(folder) / "s"), context.Event()
        process = context.Process(target=serve, args=(path, ready), daemon=True)
        process.start()
        try:
            if not ready.wait(20):
                raise SystemExit("the server did not start")
            yield path
        finally:
            process.terminate()
            process.join(5)


SHAPES: dict[str, tuple[Callable[[], Driver], int]] = {
    "http_16": (http_caller, 16),
    "ws_16": (ws_caller(1), 16),
    "ws_1_of_32": (ws_caller(32), 1),
}


def measure(seconds: float = 1.0, rounds: int = 3) -> dict[str, dict[str, float]]:
    """Measure every shape, ceiling and ours by turns.

    Returns:
        By shape: `ours` and `bare` in calls a second, and their `ratio`, each of the best round.
    """
    best = {name: {"ours": 0.0, "bare": 0.0} for name in SHAPES}
    with serving(serve_bare) as bare, serving(serve_ours) as ours:
        for _ in range(rounds):
            for name, (make, connections) in SHAPES.items():
                for who, path in (("bare", bare), ("ours", ours)):
                    found = asyncio.run(rate(path, make, connections, seconds))
                    best[name][who] = max(best[name][who], found)
    return {name: {**one, "ratio": one["ours"] / one["bare"]} for name, one in best.items()}


def main() -> None:
    """Print the numbers as JSON; fail where a ratio is missed."""
    found = measure()
    print(json.dumps({"needed": NEEDED, **found}, indent=1))
    if any(one["ratio"] < NEEDED for one in found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
