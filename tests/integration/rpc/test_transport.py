"""What is served on the socket, to whom, and in which order."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, UnixConnector, WSServerHandshakeError

from subsessiond.model.commands import Caller
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.flow import IN_FLIGHT_MOST
from subsessiond.rpc.refused import Refused
from subsessiond.rpc.server import RpcServer
from tests.support.answers import OPERATOR, Answers, quiet_log

HEALTH = b'{"jsonrpc":"2.0","method":"daemon.health","id":1}'
JSON = {"Content-Type": "application/json"}
NODE = "0" * 26


def message(method: str, call_id: Any, **params: Any) -> str:
    """Write a call."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": call_id})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (JSON, 200),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        (JSON | {"Host": "anything.example"}, 200),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        (JSON | {"Content-Encoding": "gzip"}, 415),
        (JSON | {"Origin": "https://evil.example"}, 403),
        (JSON | {"Origin": "null"}, 403),
        (JSON | {"Expect": "100-continue"}, 200),
    ],
)
@pytest.mark.scenario("S36")
async def test_only_json_from_no_browser_is_served(
    session: ClientSession, headers: dict[str, str], status: int
) -> None:
    """Another content type, a compressed body and any Origin are refused before a method runs."""
    async with session.post("/rpc", data=HEALTH, headers=headers) as response:
        assert response.status == status
        assert ("result" in await response.json()) == (status == 200)
        assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/rpc", 405),
        ("OPTIONS", "/rpc", 405),
        ("POST", "/ws", 405),
        ("GET", "/ws", 400),
        ("POST", "/", 404),
        ("POST", "/rpc?method=daemon.health", 404),
    ],
)
async def test_nothing_else_is_served(
    session: ClientSession, method: str, target: str, status: int
) -> None:
    """Other paths and verbs answer by their status."""
    async with session.request(method, target, data=HEALTH, headers=JSON) as response:
        assert response.status == status


async def test_a_browser_gets_no_websocket(session: ClientSession) -> None:
    """A handshake with an Origin is refused."""
    with pytest.raises(WSServerHandshakeError, match="403"):
        await session.ws_connect("/ws", headers={"Origin": "http://localhost"})


async def test_messages_of_one_stream_begin_in_their_order(
    session: ClientSession, answers: Answers
) -> None:
    """Calls, batches and calls that wait begin as they came; replies come as they are ready."""
    async with session.ws_connect("/ws") as stream:
        await stream.send_str(message("subsession.cancel", "waits", nodeId=NODE))
        batch = [
            json.loads(message("subsession.steer", i, nodeId=NODE, text=str(i))) for i in (1, 2)
        ]
        await stream.send_str(json.dumps(batch))
        await stream.send_str(message("subsession.steer", 3, nodeId=NODE, text="3"))
        assert [one["id"] for one in await stream.receive_json(timeout=10)] == [1, 2]
        assert (await stream.receive_json(timeout=10))["id"] == 3
        assert answers.begun == [NODE, "1", "2", "3"]
        answers.gate.set()
        assert (await stream.receive_json(timeout=10))["id"] == "waits"


async def test_calls_in_flight_are_bounded(session: ClientSession, answers: Answers) -> None:
    """More calls than the bound wait unread, and are served when there is room."""
    count = IN_FLIGHT_MOST + 20
    async with session.ws_connect("/ws") as stream, session.ws_connect("/ws") as other:
        for number in range(count):
            await stream.send_str(message("subsession.cancel", number, nodeId=NODE))
        for _ in range(200):  # the other stream is served meanwhile
            await other.send_str(HEALTH.decode())
            assert (await other.receive_json(timeout=10))["result"]["ok"]
        assert len(answers.begun) == IN_FLIGHT_MOST
        answers.gate.set()
        ids = [(await stream.receive_json(timeout=10))["id"] for _ in range(count)]
        assert ids == list(range(count))


async def test_a_caller_who_is_gone_does_not_end_his_call(
    session: ClientSession, answers: Answers
) -> None:
    """What was begun goes on when its stream breaks."""
    async with session.ws_connect("/ws") as stream:
        await stream.send_str(message("subsession.cancel", 1, nodeId=NODE))
        await stream.send_str(HEALTH.decode())
        await stream.receive_json(timeout=10)
        assert answers.begun == [NODE]
    answers.gate.set()
    async with asyncio.timeout(10):
        end = asyncio.get_running_loop().time() + 10
        while asyncio.get_running_loop().time() < end:
            if answers.ended:
                break
            await asyncio.sleep(0)
    assert answers.ended == 1


async def test_a_reader_that_stops_reading_hurts_nobody(session: ClientSession, path: Path) -> None:
    """Its notifications are dropped for a resync; others are served; it can come back."""
    reader, writer = await asyncio.open_unix_connection(str(path), limit=1 << 26)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    await reader.readuntil(b"\r\n\r\n")
    reader._transport.pause_reading()  # type: ignore[attr-defined]  # noqa: SLF001 - stop reading
    body = message("events.subscribe", 1, afterSeq=900).encode()
    for _ in range(100):
        writer.write(bytes((0x81, 0x80 | len(body))) + bytes(4) + body)
    for _ in range(50):
        async with session.post("/rpc", data=HEALTH, headers=JSON) as response:
            assert response.status == 200
    reader._transport.resume_reading()  # type: ignore[attr-defined]  # noqa: SLF001
    seen = b""
    async with asyncio.timeout(20):
        while seen.count(b'"resync":false') < 100:
            seen += await reader.read(1 << 20)
    assert b"events.resync" in seen
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("is_slow", [False, True])
async def test_callers_are_identified_by_socket_and_header(folder: Path, is_slow: bool) -> None:
    """Each message is attributed, whether the answer comes at once or after a while."""
    seen: list[tuple[bool, str | None]] = []

    def identify(sock: Any, authorization: str | None) -> Any:
        seen.append((isinstance(sock.fileno(), int), authorization))
        if authorization == "Bearer bad":
            raise Refused(Rejection(code=Code.NOT_ALLOWED, step="caller"))

        async def later() -> Caller:
            await asyncio.sleep(0)
            return OPERATOR

        return later() if is_slow else OPERATOR

    server = RpcServer(Answers().handlers(), identify, quiet_log())
    await server.start(folder / "own", holds_lock=True)
    connector = UnixConnector(str(folder / "own"))
    async with ClientSession("http://localhost", connector=connector) as session:
        for token, code in (("good", None), ("bad", 9002)):
            headers = {"Authorization": f"Bearer {token}"}
            async with session.post("/rpc", data=HEALTH, headers=JSON | headers) as response:
                assert (await response.json()).get("error", {}).get("code") == code
            async with session.ws_connect("/ws", headers=headers) as stream:
                await stream.send_str(HEALTH.decode())
                assert (await stream.receive_json()).get("error", {}).get("code") == code
    await server.stop()
    # Why three: a stream is attributed at its beginning too, for it holds a place.
    assert seen == [(True, "Bearer good")] * 3 + [(True, "Bearer bad")] * 3


@pytest.mark.scenario("S28")
async def test_the_socket_file_goes_with_the_server(folder: Path) -> None:
    """Served twice in a row at one path; a file that took the path's place stays."""
    path = folder / "own"
    for _ in range(2):
        server = RpcServer(Answers().handlers(), lambda _s, _a: OPERATOR, quiet_log())
        await server.start(path)
        await server.stop()
        await server.stop()
        assert not path.exists()
    server = RpcServer(Answers().handlers(), lambda _s, _a: OPERATOR, quiet_log())
    await server.start(path)
    path.unlink()
    path.write_text("another's")
    await server.stop()
    assert path.read_text() == "another's"


async def test_foreign_bytes_get_an_http_error(path: Path, session: ClientSession) -> None:
    """What is no HTTP ends its own connection and nothing else."""
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, str(path))
        await loop.sock_sendall(client, b"\x16\x03\x01 no http\r\n\r\n")
        answer = await loop.sock_recv(client, 4096)
    assert answer.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    assert b"Traceback" not in answer
    async with session.post("/rpc", data=HEALTH, headers=JSON) as response:
        assert response.status == 200
