"""What any program of this machine can do to the port of loopback, without a token and with one."""

import contextlib
import socket
import struct
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.closing import check_closing
from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn, wait_for
from tests.support.loopback import Wire, bearer, call, free_port, tool

PORT: Final = free_port()
LIST: Final = call("tools/list")
MIB: Final = 1024 * 1024
MOST: Final = 256
"""Connections that the port lets in."""


class Yard:
    """A daemon with its port open, and a root whose token is known."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        self.root, self.token = str(opened["nodeId"]), str(opened["token"])

    def check_serves(self) -> None:
        """Somebody with a token is served at once, and so is the socket."""
        with Wire(PORT) as wire:
            assert wire.ask(LIST, bearer(self.token)).status == 200
        assert self.daemon.call("daemon.health")["ok"]

    @property
    def memory_bytes(self) -> int:
        """Resident memory of the daemon."""
        process = self.daemon.process
        assert process is not None
        with open(f"/proc/{process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * 4096


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    """Give a yard; nothing is left of it."""
    with Daemon(config=CONFIG | {"subsessiond.toml": f"[tcp]\nport = {PORT}\n"}) as daemon:
        yield Yard(daemon)
        check_closing(daemon)


def head(*lines: str, method: str = "POST") -> bytes:
    """Write the head of a request, whose end is left to the caller."""
    good = (f"{method} /mcp HTTP/1.1", f"Host: 127.0.0.1:{PORT}", "Content-Type: application/json")
    return "\r\n".join([*good, *lines]).encode() + b"\r\n"


def status_of(raw: bytes) -> int:
    """Send bytes and give the status they are answered with; 0 where they are hung up on."""
    with Wire(PORT) as wire:
        try:
            wire.send(raw)
            return wire.read().status
        except (AssertionError, ConnectionError):
            return 0


def test_a_token_is_one_nodes_and_ends_with_it(yard: Yard) -> None:
    """Another's is another; what its child may not, it may not; once released it is nobody's."""
    with StandIn.hire(yard.daemon, yard.root) as child, Wire(PORT) as wire:
        mine = bearer(str(child.token))
        told = wire.ask(tool("subsession_spawn", role="check", mission="x"), mine).json["result"]
        assert told["isError"]
        own = wire.ask(tool("subsession_node", nodeId=yard.root), mine).json["result"]
        assert own["structuredContent"]["code"] in ("NOT_FOUND", "NOT_ALLOWED")
        final = tool("report", output="done", stage="final", outcome="completed")
        assert not wire.ask(final, mine).json["result"]["isError"]
        wait_for(yard.daemon, child.node_id, "released")
        late = wire.ask(LIST, mine)
        assert late.status == 401
        assert child.node_id not in late.body.decode()


@pytest.mark.parametrize("part", [-1, 1, 20], ids=["longer", "shorter", "half"])
def test_a_forged_token_is_nobodys_however_near(yard: Yard, part: int) -> None:
    """What it begins like makes no difference to its answer."""
    forged = f"{yard.token}x" if part < 0 else yard.token[:-part]
    with Wire(PORT) as wire:
        near, far = (wire.ask(LIST, bearer(token)) for token in (forged, "x"))
    assert (near.status, near.body) == (far.status, far.body)
    assert near.status == 401


def test_the_port_knows_nothing_of_the_rest(yard: Yard) -> None:
    """A token grants nothing beside its node's tools: methods of the wire are not served there."""
    with Wire(PORT) as wire:
        for method in ("subsession.tree", "daemon.shutdown", "subsession.release", "rpc.discover"):
            reply = wire.ask(call(method), bearer(yard.token))
            assert reply.json["error"]["code"] == -32601
    yard.check_serves()


@pytest.mark.parametrize(
    "raw",
    [
        head("X: a\r\nHost: evil.example", "Content-Length: 0") + b"\r\n",
        head("Content-Length: 5", "Content-Length: 7") + b"\r\n",
        head("Content-Length: 5", "Transfer-Encoding: chunked") + b"\r\n0\r\n\r\n",
        head("Content-Length: -1") + b"\r\n",
        head("Transfer-Encoding: chunked, identity") + b"\r\n",
        head("X : a") + b"\r\n",
        head("X: a\nAuthorization: Bearer x") + b"\r\n",
        head("X: a\rY: b") + b"\r\n",
        head("X: a\0b") + b"\r\n",
        b"POST /mcp HTTP/1.1\r\n\r\n",
        b"POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\0" * 64,
    ],
    ids=[
        "a header in a header",
        "two lengths",
        "length and chunks",
        "length below nothing",
        "two codings",
        "space before the colon",
        "bare line feed",
        "bare return",
        "nul",
        "no host",
        "no host, old",
        "unknown version",
        "no version",
        "tls",
        "http 2",
        "nothing",
    ],
)
def test_what_is_no_good_request_is_refused(yard: Yard, raw: bytes) -> None:
    """No header smuggles another in, no length contradicts itself, nothing else is spoken."""
    raw += b"\r\n\r\n" if not raw.endswith(b"\r\n\r\n") else b""
    assert status_of(raw) in (0, 400, 401, 403, 505)
    yard.check_serves()


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("Host", 403),
        ("Origin", 403),
        ("Content-Type", 415),
        ("Authorization", 401),
        ("Accept", 406),
        ("MCP-Protocol-Version", 400),
        ("Mcp-Session-Id", 404),
        ("X-Other", 200),
    ],
)
def test_bytes_of_no_text_in_a_header_are_refused_as_others(
    yard: Yard, name: str, status: int
) -> None:
    """They break nothing, and are never given back."""
    with Wire(PORT) as wire:
        reply = wire.ask(LIST, {**bearer(yard.token), name: "\udcff\udc80"})
    assert reply.status == status
    assert b"\xff" not in reply.body


def test_heads_are_bounded(yard: Yard) -> None:
    """Ten thousand headers, one without end, a path without end: hung up on long before."""
    before = yard.memory_bytes
    for line in ("X-{}: a\r\n", "X: {}" + "a" * 60_000, "X-{}: " + "a" * 8_000 + "\r\n"):
        with Wire(PORT) as wire, contextlib.suppress(ConnectionError):
            wire.send(head())
            for n in range(10_000):
                wire.send(line.format(n).encode())
    assert status_of(b"POST /" + b"a" * MIB + b" HTTP/1.1\r\n\r\n") in (0, 400, 414)
    yard.check_serves()
    assert yard.memory_bytes - before < 16 * MIB


def test_a_body_without_a_token_is_not_waited_for(yard: Yard) -> None:
    """However long it says it is, and however slowly it would come."""
    with Wire(PORT) as wire:
        assert wire.ask(None, {"Content-Length": str(8 * MIB)}).status == 401
    with Wire(PORT) as wire:
        assert wire.ask(None, {"Transfer-Encoding": "chunked"}).status == 401


@pytest.mark.parametrize("headers", [{"Content-Length": str(8 * MIB + 1)}, {}], ids=["said", "not"])
def test_a_body_beyond_the_limit_is_refused(yard: Yard, headers: dict[str, Any]) -> None:
    """By what it says of itself at once; in chunks without end once there is more than may be."""
    with Wire(PORT) as wire:
        if headers:
            assert wire.ask(None, {**bearer(yard.token), **headers}).status == 413
            return
        chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
        wire.send(head("Transfer-Encoding: chunked", f"Authorization: Bearer {yard.token}"))
        wire.send(b"\r\n")
        with contextlib.suppress(ConnectionError):
            for _ in range(8 * MIB // 65_536 + 8):
                wire.send(chunk)
            assert wire.read().status == 413
    yard.check_serves()


def test_the_largest_body_is_taken(yard: Yard) -> None:
    """Exactly as long as may be: what is wrong with it is said by the tool."""
    fill = tool("subsession_steer", nodeId="a" * 26, text="FILL")
    whole = fill.replace(b"FILL", b"x" * (8 * MIB - len(fill) + 4))
    assert len(whole) == 8 * MIB
    with Wire(PORT) as wire:
        reply = wire.ask(whole, bearer(yard.token))
    assert reply.status == 200
    assert reply.json["result"]["isError"]


def test_many_connections_leave_room_for_the_next(yard: Yard) -> None:
    """The oldest idle ones go, half a request or none; who calls meanwhile is answered."""
    with contextlib.ExitStack() as stack:
        begun = stack.enter_context(Wire(PORT))
        wait = call("tools/call", name="subsession_inbox", arguments={"waitMs": 2_000})
        body = [f"Content-Length: {len(wait)}", f"Authorization: Bearer {yard.token}"]
        begun.send(head(*body) + b"\r\n" + wait)
        idle = [stack.enter_context(Wire(PORT)) for _ in range(MOST + 40)]
        for wire in idle[::2]:
            with contextlib.suppress(ConnectionError):
                wire.send(head())
        yard.check_serves()
        assert idle[0].is_closed()
        assert begun.read().status == 200


def test_who_hangs_up_in_the_middle_leaves_nothing(yard: Yard) -> None:
    """Reset in the head, in the body, and while the answer is made."""
    calls = call("tools/call", name="subsession_inbox", arguments={"waitMs": 100})
    whole = head(f"Content-Length: {len(calls)}", f"Authorization: Bearer {yard.token}")
    whole += b"\r\n" + calls
    for size in (10, len(whole) - 5, len(whole)):
        for _ in range(20):
            sock = socket.create_connection(("127.0.0.1", PORT), 20)
            sock.sendall(whole[:size])
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
    yard.check_serves()
