"""S35: odd but legal, or illegal, JSON-RPC. Each case over HTTP and over a WebSocket."""

import asyncio
import contextlib
import io
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, WSMsgType

from tests.support.answers import Answers

pytestmark = pytest.mark.scenario("S35")

NODE = "0" * 26
HEALTH = b'{"jsonrpc":"2.0","method":"daemon.health","id":"alive"}'
LIMIT = 8 * 1024 * 1024
JSON = {"Content-Type": "application/json"}

Ask = Callable[[bytes], Awaitable[Any]]


def call(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    """Make a call."""
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "method": method, **given, **more}


@pytest.fixture(params=["http", "ws"])
async def ask(request: pytest.FixtureRequest, session: ClientSession) -> Any:
    """Give a way to send one message and get what is answered, none for silence.

    Silence on a WebSocket is proven by what comes next: the reply to a call sent right after.
    """
    if request.param == "http":

        async def post(raw: bytes) -> Any:
            async with session.post("/rpc", data=io.BytesIO(raw), headers=JSON) as response:
                body = await response.read()
                assert (response.status == 204) == (body == b"")
                return json.loads(body) if body else None

        yield post
        return
    async with session.ws_connect("/ws", max_msg_size=0) as socket:

        async def send(raw: bytes) -> Any:
            # Bytes as text: a client that sends what is no UTF-8 must be answered too.
            await socket.send_frame(raw, WSMsgType.TEXT)
            await socket.send_frame(HEALTH, WSMsgType.TEXT)
            first = await socket.receive_json(timeout=10)
            if isinstance(first, dict) and first["id"] == "alive":
                return None
            second = await socket.receive_json(timeout=10)
            assert second["id"] == "alive"
            return first

        yield send


CASES: list[tuple[str, Any, Any]] = [
    ("empty body", b"", -32700),
    ("no JSON", b"{", -32700),
    ("NaN", b'{"jsonrpc":"2.0","method":"daemon.health","id":NaN}', -32700),
    ("nested arrays", b"[" * 10_000 + b"]" * 10_000, -32700),
    ("unclosed arrays", b"[" * 10_000, -32700),
    ("a deep parameter", b'{"a":' * 500 + b"1" + b"}" * 500, -32600),
    (
        "no UTF-8",
        b'{"jsonrpc":"2.0","method":"daemon.health","id":1,"params":{"a":"\xff"}}',
        -32602,
    ),
    (
        "surrogate",
        rb'{"jsonrpc":"2.0","method":"daemon.health","id":1,"params":{"a":"\ud800"}}',
        -32602,
    ),
    ("empty batch", [], -32600),
    ("number", 1, -32600),
    ("null", None, -32600),
    ("text", "x", -32600),
    ("batch beyond the bound", [1] * 101, -32600),
    ("unknown method", call("no.such.method", id=1), -32601),
    ("params as list", call("subsession.steer", [NODE, "x"], id=1), -32602),
    ("params as text", call("daemon.health", "x", id=1), -32600),
    ("unknown member", call("daemon.health", id=1, extra=1), -32600),
    ("unknown field", call("daemon.health", {"extra": 1}, id=1), -32602),
    ("wrong types", call("subsession.steer", {"nodeId": 1, "text": []}, id=1), -32602),
    ("id as object", call("daemon.health", id={}), -32600),
    ("a NUL", call("subsession.steer", {"nodeId": NODE, "text": "\0"}, id=1), -32602),
    ("a refusal", call("daemon.stats", id=1), 9003),
    ("a bug", call("daemon.info", id=1), -32603),
    ("too large and malformed", call("subsession.report", {"output": [1] * 1_000_000}, id=1), 2001),
    ("small and malformed", call("subsession.report", {"output": 1}, id=1), 2002),
]


@pytest.mark.parametrize(
    ("message", "code"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
async def test_it_is_refused_and_the_server_goes_on(ask: Ask, message: Any, code: int) -> None:
    """One error reply with the right code and no internals; the next call is answered."""
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    reply = await ask(raw)
    assert reply["error"]["code"] == code
    assert reply.keys() == {"jsonrpc", "error", "id"}
    assert "Traceback" not in json.dumps(reply)
    assert await ask(HEALTH.replace(b"alive", b"next")) == {
        "jsonrpc": "2.0",
        "result": {"ok": True, "seq": 7},
        "id": "next",
    }


@pytest.mark.parametrize("call_id", [None, 1.5, "x" * 1_000_000, 0, -1])
async def test_odd_ids_come_back(ask: Ask, call_id: Any) -> None:
    """Null, a fraction and a very long text are ids."""
    reply = await ask(json.dumps(call("daemon.health", id=call_id)).encode())
    assert (reply["id"], reply["result"]["ok"]) == (call_id, True)


async def test_repeated_ids_are_the_callers_business(ask: Ask) -> None:
    """Two calls with one id get two replies."""
    replies = await ask(json.dumps([call("daemon.health", id=1)] * 2).encode())
    assert [one["id"] for one in replies] == [1, 1]


async def test_of_repeated_keys_the_last_wins(ask: Ask) -> None:
    """A member given twice counts once."""
    reply = await ask(b'{"jsonrpc":"2.0","method":"x","method":"daemon.health","id":1,"id":2}')
    assert (reply["id"], reply["result"]["ok"]) == (2, True)


async def test_a_batch_is_answered_element_by_element(ask: Ask, answers: Answers) -> None:
    """A call, a notification and garbage: two replies; the notification ran."""
    steer = call("subsession.steer", {"nodeId": NODE, "text": "t"})
    replies = await ask(json.dumps([call("daemon.health", id=1), steer, "x"]).encode())
    assert [one["id"] for one in replies] == [1, None]
    assert replies[1]["error"]["code"] == -32600
    assert answers.begun == ["t"]


async def test_notifications_are_checked_run_and_not_answered(ask: Ask, answers: Answers) -> None:
    """Alone or in a batch, good or bad, they get nothing at all."""
    good = call("subsession.steer", {"nodeId": NODE, "text": "t"})
    bad = call("subsession.steer", {"nodeId": "../../x", "text": "u"})
    for message in (good, bad, [good, bad], call("daemon.info"), call("no.such.method")):
        assert await ask(json.dumps(message).encode()) is None
    assert answers.begun == ["t", "t"]


async def test_a_body_just_under_the_limit_is_served(ask: Ask) -> None:
    """Eight MiB are read, parsed and judged by their content."""
    head = b'{"jsonrpc":"2.0","method":"subsession.report","id":1,"params":{"output":"'
    tail = b'"}}'
    reply = await ask(head + b"x" * (LIMIT - len(head) - len(tail)) + tail)
    assert reply["error"]["data"]["code"] == "REPORT_TOO_LARGE"


@pytest.mark.parametrize("extra", [1, 4 * 1024 * 1024])
@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_body_over_the_limit_is_refused_over_http(
    path: Path, extra: int, is_chunked: bool
) -> None:
    """With or without its length said beforehand: the refusal arrives, and the same connection
    serves on.
    """
    head = b"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    body, size = b"x" * (LIMIT + extra), LIMIT + extra
    large = head + b"Content-Length: %d\r\n\r\n" % size + body
    if is_chunked:
        large = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (size, body)
    good = head + b"Content-Length: %d\r\n\r\n" % len(HEALTH) + HEALTH
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(large + good)
    async with asyncio.timeout(20):
        refusal = await reader.readuntil(b"}")
        while not refusal.endswith(b'"id":null}'):
            refusal += await reader.readuntil(b"}")
        answer = await reader.readuntil(b'"id":"alive"}')
    assert refusal.startswith(b"HTTP/1.1 413 ")
    assert b'"limit":%d' % LIMIT in refusal
    assert answer.startswith(b"HTTP/1.1 200 ")
    writer.close()
    await writer.wait_closed()


async def test_a_message_over_the_limit_ends_its_websocket_alone(session: ClientSession) -> None:
    """The stream is closed with the code for it; another one goes on."""
    async with session.ws_connect("/ws") as other, session.ws_connect("/ws") as socket:
        with contextlib.suppress(ConnectionError):  # it may hang up before all is sent
            await socket.send_str("x" * (LIMIT + 1))
        message = await socket.receive(timeout=10)
        assert (message.type, message.data) == (WSMsgType.CLOSE, 1009)
        await other.send_str(HEALTH.decode())
        assert (await other.receive_json(timeout=10))["result"]["ok"]
