"""Bytes of hostile callers: what they are answered, and what they leave in the logs."""

import asyncio
import logging
import socket
from pathlib import Path
from typing import Any

import pytest

from subsessiond.engine.tokens import Tokens
from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.refusals import STREAMS_MOST
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.server import RpcServer
from subsessiond.rpc.websocket import MESSAGE_MOST_BYTES
from tests.support.answers import Answers, quiet_log
from tests.support.trees import node_id

HEALTH = b'{"jsonrpc":"2.0","id":1,"method":"daemon.health"}'
HEAD = b"POST /rpc HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\n"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

pytestmark = pytest.mark.scenario("S20")


def ask(*headers: bytes) -> bytes:
    """Give the bytes of one call."""
    named = b"".join(b"%b\r\n" % header for header in headers)
    return HEAD + named + b"Content-Length: %d\r\n\r\n" % len(HEALTH) + HEALTH


async def said(path: Path, raw: bytes) -> bytes:
    """Send bytes on a connection of their own, and give the first line of the answer."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(raw)
    line = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return line


def by_token(_sock: Any, authorization: str | None) -> Caller:
    """Identify by what stands in the header, as the real one does."""
    if authorization is not None and Tokens().node_of(authorization) is None:
        raise Refused(Rejection(code=Code.NOT_ALLOWED, step="identity"))
    return Caller()


async def test_a_token_of_any_bytes_is_just_no_token(folder: Path) -> None:
    """Bytes that are no text are refused like any wrong token."""
    server = RpcServer(Answers().handlers(), by_token, quiet_log())
    await server.start(folder / "s", holds_lock=True)
    assert b" 200 " in await said(folder / "s", ask(b"Authorization: Bearer \xff\xfe"))
    await server.stop()


async def test_a_bug_before_any_method_has_an_incident(folder: Path) -> None:
    """What nobody foresaw is answered as a bug and told once; the next caller is served."""

    def identify(_sock: Any, authorization: str | None) -> Caller:
        if authorization:
            raise LookupError("secret words")
        return Caller()

    log = quiet_log()
    server = RpcServer(Answers().handlers(), identify, log)
    await server.start(folder / "s", holds_lock=True)
    reader, writer = await asyncio.open_unix_connection(folder / "s")
    writer.write(ask(b"Authorization: Bearer x", b"Connection: close"))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert b'"incident"' in answer
    assert b"secret" not in answer
    assert b" 200 " in await said(folder / "s", ask())
    await server.stop()


async def test_who_hangs_up_leaves_nothing_in_the_log(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Callers that send no HTTP, or hang up with pongs unread, write no log line each."""
    caplog.set_level(logging.DEBUG)
    for raw in (b"\x00\xff\r\n\r\n", HEAD + b"Content-Length: 9\r\n\r\nhalf"):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(str(path))
            sock.sendall(raw)
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(UPGRADE)
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"\x89\x80\0\0\0\0" * 10_000)
    await reader.read(2)
    writer.transport.abort()
    assert b" 200 " in await said(path, ask())
    assert not [one for one in caplog.records if one.name != "asyncio"]


async def test_half_sent_bodies_take_bounded_memory(path: Path) -> None:
    """Of twenty bodies of 7 MiB that never end, most are sent away; others are served."""
    half = HEAD + b"Content-Length: %d\r\n\r\n" % MESSAGE_MOST_BYTES + b" " * (7 * 1024 * 1024)
    held = []
    for _ in range(20):
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(half)
        await writer.drain()
        held.append((reader, writer))
    assert b" 200 " in await said(path, ask())
    gone = 0
    for reader, writer in held:
        try:
            async with asyncio.timeout(0.05):
                gone += not await reader.read(1)
        except TimeoutError:
            pass
        except ConnectionError:
            gone += 1
        writer.transport.abort()
    assert gone >= 10


async def test_a_node_has_so_many_streams(folder: Path) -> None:
    """One more than it may have is refused; the person's are not counted."""
    callers = iter([Caller(node_id=node_id(2))] * (STREAMS_MOST + 1) + [Caller()])
    server = RpcServer(Answers().handlers(), lambda *_: next(callers), quiet_log())
    await server.start(folder / "s", holds_lock=True)
    held = []
    for expected in [b" 101 "] * STREAMS_MOST + [b" 503 ", b" 101 "]:
        reader, writer = await asyncio.open_unix_connection(folder / "s")
        writer.write(UPGRADE)
        assert expected in await reader.readline()
        held.append(writer)
    for writer in held:
        writer.transport.abort()
    await server.stop()
