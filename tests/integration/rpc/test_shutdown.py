"""S29: nothing that a client does or leaves undone delays the end."""

import asyncio
import json
import time
from pathlib import Path

import pytest
from aiohttp import ClientSession, UnixConnector, WSMsgType

from subsessiond.rpc.server import RpcServer
from tests.support.answers import OPERATOR, Answers, quiet_log

pytestmark = pytest.mark.scenario("S29")

NODE = "0" * 26
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
HALF = (
    b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: 99\r\n\r\n{"
)
WAITING = json.dumps(
    {"jsonrpc": "2.0", "method": "subsession.cancel", "params": {"nodeId": NODE}, "id": 1}
).encode()


async def serve(path: Path, answers: Answers) -> RpcServer:
    """Serve at a path."""
    server = RpcServer(answers.handlers(), lambda _sock, _authorization: OPERATOR, quiet_log())
    await server.start(path, holds_lock=True)
    return server


async def test_idle_streams_and_half_sent_bodies_are_not_waited_for(folder: Path) -> None:
    """Streams that answer, a reader that does not, an idle connection, half a request: all end."""
    path, answers = folder / "s", Answers()
    server = await serve(path, answers)
    connector = UnixConnector(str(path))
    writers = []
    async with ClientSession("http://localhost", connector=connector) as session:
        streams = [await session.ws_connect("/ws") for _ in range(3)]
        for first in (b"", HALF, UPGRADE):
            reader, writer = await asyncio.open_unix_connection(str(path))
            writer.write(first)
            writers.append(writer)
            if first == UPGRADE:  # this one will neither read nor say goodbye
                await reader.readuntil(b"\r\n\r\n")
                for _ in range(50):
                    body = json.dumps(
                        {"jsonrpc": "2.0", "method": "events.subscribe", "id": 1}
                        | {"params": {"afterSeq": 1_000}}
                    ).encode()
                    writer.write(bytes((0x81, 0x80 | len(body))) + bytes(4) + body)
        await streams[0].send_str('{"jsonrpc":"2.0","method":"daemon.health","id":1}')
        assert (await streams[0].receive_json(timeout=10))["result"]["ok"]
        readers = [asyncio.ensure_future(one.receive(timeout=10)) for one in streams]
        start = time.monotonic()
        await server.stop(grace_ms=10_000)
        took = time.monotonic() - start
        goodbyes = await asyncio.gather(*readers)
        assert [one.type for one in goodbyes] == [WSMsgType.CLOSE] * 3
        assert [one.data for one in goodbyes] == [1001] * 3
        for one in streams:
            await one.close()
    for writer in writers:
        writer.close()
    assert took < 2
    assert not path.exists()


async def test_a_call_under_way_may_end_within_the_grace(folder: Path) -> None:
    """Its answer is still delivered, and new callers find nobody."""
    path, answers = folder / "s", Answers()
    server = await serve(path, answers)
    reader, writer = await asyncio.open_unix_connection(str(path))
    head = HALF.replace(b"99\r\n\r\n{", b"%d\r\n\r\n" % len(WAITING))
    writer.write(head + WAITING)
    end = asyncio.get_running_loop().time() + 10
    while asyncio.get_running_loop().time() < end:
        if answers.begun:
            break
        await asyncio.sleep(0)
    stopping = asyncio.create_task(server.stop(grace_ms=10_000))
    await asyncio.sleep(0)
    with pytest.raises(FileNotFoundError):
        await asyncio.open_unix_connection(str(path))
    answers.gate.set()
    async with asyncio.timeout(5):
        answer = await reader.read()
        await stopping
    assert answer.endswith(b'"id":1}')
    writer.close()


@pytest.mark.parametrize("way", ["http", "ws"])
async def test_a_call_that_does_not_end_is_ended(folder: Path, way: str) -> None:
    """After the grace it is cancelled and its connection closed."""
    path, answers = folder / "s", Answers()
    server = await serve(path, answers)
    reader, writer = await asyncio.open_unix_connection(str(path))
    if way == "ws":
        writer.write(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(bytes((0x81, 0x80 | len(WAITING))) + bytes(4) + WAITING)
    else:
        writer.write(HALF.replace(b"99\r\n\r\n{", b"%d\r\n\r\n" % len(WAITING)) + WAITING)
    end = asyncio.get_running_loop().time() + 10
    while asyncio.get_running_loop().time() < end:
        if answers.begun:
            break
        await asyncio.sleep(0)
    assert answers.begun == [NODE]
    start = time.monotonic()
    await server.stop(grace_ms=500)
    assert time.monotonic() - start < 2
    async with asyncio.timeout(5):
        await reader.read()
    assert answers.ended == 0
    writer.close()
