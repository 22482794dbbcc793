"""A client of raw bytes on asyncio, cheaper than any server, so that the server is measured."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

MARK = b'"id":1}'
"""How every reply to one of our calls ends."""

STATUS = b"HTTP/1.1 200 OK"
"""How every reply over HTTP begins."""

WARM_S = 0.15


class Driver(asyncio.Protocol):
    """Keeps a number of calls in flight on one connection and counts the replies."""

    def __init__(self, hello: bytes, call: bytes, in_flight: int, mark: bytes = MARK) -> None:
        self._hello, self._call, self._in_flight = hello, call, in_flight
        self._mark = mark
        self._greeted = not hello
        self._tail = b""
        self._called_at = 0.0
        self.replies = 0
        self.times_ms: list[float] = []
        """How long each call took; only kept with one in flight."""

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self.transport = transport
        if self._hello:
            transport.write(self._hello)
        else:
            self._say(self._in_flight)

    def data_received(self, data: bytes) -> None:
        """Count the replies and call again, as often as was answered."""
        if not self._greeted:
            if b" 101 " not in data[:16]:
                self.transport.abort()
                raise ConnectionError(data[:200])
            self._greeted = True
            self._say(self._in_flight)
            return
        data = self._tail + data
        count = data.count(self._mark)
        # What may be the beginning of a mark is looked at again with the next bytes.
        self._tail = data[-len(self._mark) + 1 :] if not data.endswith(self._mark) else b""
        self.replies += count
        if count:
            self._say(count)

    def _say(self, count: int) -> None:
        if self._in_flight == 1:
            now = time.perf_counter()
            self.times_ms.append((now - self._called_at) * 1_000)
            self._called_at = now
        self.transport.write(self._call * count)


Make = Callable[[], Driver]


def http_caller(call: bytes) -> Make:
    """Call over HTTP, one at a time."""
    head = (
        b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n" % len(call)
    )
    return lambda: Driver(b"", head + call, 1)


def ws_caller(call: bytes, in_flight: int = 1, path: bytes = b"/ws", token: str = "") -> Make:
    """Call over a WebSocket, so many at once."""
    bearer = b"Authorization: Bearer %b\r\n" % token.encode() if token else b""
    hello = (
        b"GET %b HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%b\r\n"
    ) % (path, bearer)
    return lambda: Driver(hello, masked(call), in_flight)


def masked(message: bytes) -> bytes:
    """Put a message into a client's frame.

    A mask of zeros changes nothing: masking is the client's cost and not what is measured.
    """
    size = len(message)
    if size < 126:  # noqa: PLR2004  # RFC 6455, 5.2
        return bytes((0x81, 0x80 | size)) + bytes(4) + message
    return bytes((0x81, 0x80 | 126)) + size.to_bytes(2, "big") + bytes(4) + message


async def _connect(where: Path | int, make: Make) -> Driver:
    loop = asyncio.get_running_loop()
    if isinstance(where, Path):
        return (await loop.create_unix_connection(make, str(where)))[1]
    return (await loop.create_connection(make, "127.0.0.1", where))[1]


async def _drive(
    where: Path | int, makes: Sequence[Make], seconds: float
) -> tuple[float, list[float]]:
    callers = [await _connect(where, make) for make in makes]
    await asyncio.sleep(WARM_S)
    seen = [len(one.times_ms) for one in callers]
    before, start = sum(one.replies for one in callers), time.perf_counter()
    await asyncio.sleep(seconds)
    after, end = sum(one.replies for one in callers), time.perf_counter()
    times = [t for one, n in zip(callers, seen, strict=True) for t in one.times_ms[n:]]
    for one in callers:
        one.transport.abort()
    await asyncio.sleep(0)
    if after == before:
        raise ConnectionError(f"{where} answered nothing")
    return (after - before) / (end - start), times


def rate(where: Path | int, makes: Sequence[Make], seconds: float) -> float:
    """Give replies a second over all connections, after a short warm-up.

    Args:
        where: A socket, or a port of loopback.
        makes: One for each connection.
        seconds: How long is counted.
    """
    return asyncio.run(_drive(where, makes, seconds))[0]


def times_ms(path: Path, make: Make, seconds: float) -> list[float]:
    """Give how long each call of one caller took, from its sending to its reply."""
    return asyncio.run(_drive(path, (make,), seconds))[1]
