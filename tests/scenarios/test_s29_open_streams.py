"""S29: nothing that a client leaves open keeps a daemon from stopping in time.

The runs with a second signal and with a signal during the start are in `e2e/test_shutdown.py`.
"""

import asyncio
import json
import signal
import socket
import time
from contextlib import closing

import aiohttp
import pytest

from tests.support.closing import check_closing, marked
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, hire, wait_file

GRACE_MS = 600
STREAMS_S = 1.0
LIMIT_S = 4.0
STUBBORN = "trap '' TERM; echo up >stubborn; while :; do sleep 0.1; done"
UNFINISHED = (
    b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b'Content-Length: 4000\r\n\r\n{"jsonrpc":'
)
IDLE = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n"


def opened(daemon: Daemon, words: bytes) -> socket.socket:
    """Connect and say something."""
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(5)
    one.connect(str(daemon.socket))
    one.sendall(words)
    return one


async def follow(daemon: Daemon, session: aiohttp.ClientSession) -> aiohttp.ClientWebSocketResponse:
    """Open a stream of events."""
    stream = await session.ws_connect("http://localhost/ws")
    ask = {"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {}}
    await stream.send_str(json.dumps(ask))
    assert "result" in json.loads((await stream.receive(timeout=5)).data)
    return stream


async def until_closed(stream: aiohttp.ClientWebSocketResponse) -> float:
    """Read a stream to its end; gives when that was."""
    async for _ in stream:
        pass
    return time.monotonic()


@pytest.mark.scenario("S29")
async def test_a_stop_waits_for_no_client() -> None:
    """With streams, idle connections, half a request and a stubborn child it stops in time."""
    config = {**CONFIG, "subsessiond.toml": f"[processes]\nterm_grace_ms = {GRACE_MS}\n"}
    with Daemon(config=config) as daemon:
        root = daemon.open()
        with StandIn.hire(daemon, root) as child:
            child.report("half way", stage="progress")
        stubborn = hire(daemon, root, "sh", "-c", STUBBORN)
        wait_file(daemon.workspace / "stubborn")
        connector = aiohttp.UnixConnector(path=str(daemon.socket))
        async with aiohttp.ClientSession(connector=connector) as session:
            streams = [await follow(daemon, session) for _ in range(3)]
            with closing(opened(daemon, UNFINISHED)), closing(opened(daemon, IDLE)) as idle:
                assert idle.recv(100).startswith(b"HTTP/1.1 404")
                assert daemon.process is not None
                began = time.monotonic()
                daemon.process.send_signal(signal.SIGTERM)
                ends = await asyncio.gather(*(until_closed(stream) for stream in streams))
                status = await asyncio.to_thread(daemon.process.wait, 20)
                took = time.monotonic() - began
        assert status == 0, daemon.said()
        assert max(ends) - began <= STREAMS_S + 0.5
        assert took <= LIMIT_S
        assert not daemon.socket.exists()
        assert marked([child.node_id, stubborn]) == {}
        daemon.start()
        rows = daemon.rows()
        assert {rows[node]["reason"] for node in (child.node_id, stubborn)} == {"daemon-stopped"}
        check_closing(daemon)


@pytest.mark.scenario("S29")
async def test_a_reader_that_stopped_reading_is_not_waited_for() -> None:
    """A stream whose buffers are full is cut off with the rest."""
    with Daemon(config=CONFIG) as daemon:
        with closing(opened(daemon, b"")) as stuck:
            stuck.sendall(
                b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                b"Sec-WebSocket-Version: 13\r\n\r\n"
            )
            assert stuck.recv(4_096).startswith(b"HTTP/1.1 101")
            ask = b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'
            frame = bytes([0x81, 0x80 | len(ask), 0, 0, 0, 0]) + ask
            stuck.settimeout(0.5)
            try:
                while True:  # answers of some hundred kilobytes that nobody reads
                    stuck.sendall(frame * 20)
            except TimeoutError:
                pass
            assert daemon.process is not None
            began = time.monotonic()
            daemon.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(daemon.process.wait, 20) == 0
            assert time.monotonic() - began <= LIMIT_S
        daemon.start()
        check_closing(daemon)
