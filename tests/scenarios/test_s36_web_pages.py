"""S36: a page in the person's browser cannot drive the daemon by its port.

Not yet: the page of the daemon itself, and what it is served by.
"""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.daemon import Daemon
from tests.support.hire import CONFIG, StandIn
from tests.support.loopback import Reply, Wire, bearer, call, free_port, tool
from tests.support.rawsocket import RawSocket

PORT: Final = free_port()
EVIL: Final = "http://evil.example"
LIST: Final = call("tools/list")
SPAWN: Final = tool("subsession_spawn", role="check", mission="anything")
Headers = dict[str, str | list[str] | None]
"""A header that is none is left out."""


class Yard:
    """A daemon with its port open, a root whose token is known, and one child."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        opened = daemon.call("subsession.open", workspace=str(daemon.workspace))
        self.root, self.token = str(opened["nodeId"]), str(opened["token"])
        self.child = StandIn.hire(daemon, self.root)

    def ask(self, body: bytes, headers: Headers, **more: Any) -> Reply:
        """Make one request on a connection of its own, as the root."""
        with Wire(PORT) as wire:
            return wire.ask(body, {**bearer(self.token), **headers}, **more)

    @property
    def nodes(self) -> set[str]:
        """All there are."""
        return set(self.daemon.rows())


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    """Give a yard."""
    with Daemon(config=CONFIG | {"subsessiond.toml": f"[tcp]\nport = {PORT}\n"}) as daemon:
        yard = Yard(daemon)
        yield yard
        yard.child.close()


def check_nothing_said(reply: Reply, yard: Yard) -> None:
    """Nothing of the tree is told, no cookie is set, and no page of any origin may read it."""
    text = reply.body.decode()
    assert yard.root not in text
    assert yard.child.node_id not in text
    assert "subsession_" not in text
    assert not [name for name in reply.headers if name.startswith("access-control")]
    assert "set-cookie" not in reply.headers


FOREIGN: Final[dict[str, tuple[int, Headers]]] = {
    "simple text": (403, {"Content-Type": "text/plain", "Origin": EVIL}),
    "simple text, no origin": (415, {"Content-Type": "text/plain"}),
    "form": (
        403,
        {"Content-Type": "application/x-www-form-urlencoded", "Origin": EVIL},
    ),
    "form, no origin": (415, {"Content-Type": "application/x-www-form-urlencoded"}),
    "upload, no origin": (415, {"Content-Type": "multipart/form-data; boundary=x"}),
    "no type": (415, {"Content-Type": None}),
    "json of another origin": (403, {"Origin": EVIL}),
    "origin null": (403, {"Origin": "null"}),
    "origin of another port": (403, {"Origin": f"http://127.0.0.1:{PORT + 1}"}),
    "origin of another scheme": (403, {"Origin": f"https://127.0.0.1:{PORT}"}),
    "origin that begins well": (403, {"Origin": f"http://127.0.0.1:{PORT}.evil.example"}),
    "two origins": (403, {"Origin": [f"http://127.0.0.1:{PORT}", EVIL]}),
    "foreign host": (403, {"Host": "evil.example"}),
    "foreign host, right port": (403, {"Host": f"evil.example:{PORT}"}),
    "foreign host and its origin": (
        403,
        {"Host": f"evil.example:{PORT}", "Origin": f"http://evil.example:{PORT}"},
    ),
    "right name, wrong port": (403, {"Host": f"localhost:{PORT + 1}"}),
    "right name, no port": (403, {"Host": "localhost"}),
    "a name below ours": (403, {"Host": f"localhost.evil.example:{PORT}"}),
    "a name above ours": (403, {"Host": f"evil.localhost:{PORT}"}),
    "user in the host": (403, {"Host": f"localhost@evil.example:{PORT}"}),
    "two hosts": (400, {"Host": [f"localhost:{PORT}", "evil.example"]}),
    "all addresses": (403, {"Host": f"0.0.0.0:{PORT}"}),
    "compressed": (415, {"Content-Encoding": "gzip"}),
}


@pytest.mark.scenario("S36")
@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("body", [LIST, SPAWN], ids=["list", "spawn"])
def test_what_a_page_can_send_is_refused(name: str, body: bytes, yard: Yard) -> None:
    """Even with the right token nothing is run, nothing is told, nothing is spawned."""
    status, headers = FOREIGN[name]
    before = yard.nodes
    reply = yard.ask(body, headers)
    assert reply.status == status, reply
    check_nothing_said(reply, yard)
    assert yard.nodes == before


@pytest.mark.scenario("S36")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic {token}"},
        {"Authorization": "Bearer {token}x"},
        {"Authorization": ["Bearer {token}", "Bearer {token}"]},
        {"Cookie": "token={token}"},
        {"X-Token": "{token}"},
    ],
    ids=str,
)
def test_without_a_token_there_is_nothing(headers: Headers, yard: Yard) -> None:
    """Where it belongs or nowhere, once, whole, and as a bearer token."""
    told = json.loads(json.dumps(headers).replace("{token}", yard.token))
    before = yard.nodes
    with Wire(PORT) as wire:
        for body in (LIST, SPAWN):
            reply = wire.ask(body, told)
            assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
            check_nothing_said(reply, yard)
    assert yard.nodes == before


@pytest.mark.scenario("S36")
@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("POST", "/mcp?token={token}", 400),
        ("POST", "/mcp?", 400),
        ("GET", "/mcp?method=tools/list&token={token}", 405),
        ("GET", "/mcp", 405),
        ("HEAD", "/mcp", 405),
        ("OPTIONS", "/mcp", 405),
        ("PUT", "/mcp", 405),
        ("GET", "/", 404),
        ("POST", "/rpc", 404),
        ("POST", "/pipe", 404),
        ("GET", "/ws", 404),
        ("POST", "/mcp/", 404),
        ("POST", "//mcp", 404),
        ("POST", "/%6dcp", 404),
        ("POST", "/mcp/../rpc", 404),
        ("POST", "http://evil.example/mcp", 404),
        ("OPTIONS", "*", 404),
    ],
)
def test_there_is_one_door(method: str, target: str, status: int, yard: Yard) -> None:
    """A read with parameters, a preflight, a token in the address, any other path: refused."""
    headers: Headers = {"Access-Control-Request-Method": "POST"} if method == "OPTIONS" else {}
    before = yard.nodes
    with Wire(PORT) as wire:
        asked = target.replace("{token}", yard.token)
        reply = wire.ask(SPAWN, {**bearer(yard.token), **headers}, method=method, target=asked)
    assert reply.status == status, reply
    check_nothing_said(reply, yard)
    if status == 405:
        assert reply.headers["allow"] == "POST, DELETE"
    assert yard.nodes == before


@pytest.mark.scenario("S36")
def test_a_preflight_of_a_page_is_refused(yard: Yard) -> None:
    """So a browser never sends what would follow."""
    asked: Headers = {"Origin": EVIL, "Access-Control-Request-Headers": "authorization"}
    reply = yard.ask(b"", asked, method="OPTIONS")
    assert reply.status == 403
    check_nothing_said(reply, yard)


@pytest.mark.scenario("S36")
@pytest.mark.parametrize("origin", [EVIL, None])
def test_a_websocket_finds_nobody(origin: str | None, yard: Yard) -> None:
    """Without the page there is none on this port, of whatever origin it is asked for."""
    headers: Headers = {
        "Origin": origin,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    for target in ("/ws", "/mcp"):
        reply = yard.ask(b"", headers, method="GET", target=target)
        assert reply.status in (403, 404, 405)
        check_nothing_said(reply, yard)


@pytest.mark.scenario("S36")
@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
@pytest.mark.parametrize("own", [False, True], ids=["no origin", "own origin"])
def test_every_good_spelling_works_with_its_token(name: str, own: bool, yard: Yard) -> None:
    """A root's token shows a root's tools, a child's a child's; each is its node and no other."""
    headers: Headers = {"Host": f"{name}:{PORT}"}
    if own:
        headers["Origin"] = f"http://{name.lower()}:{PORT}"
    listed = yard.ask(LIST, headers).json["result"]["tools"]
    assert [row["name"] for row in listed][:1] == ["subsession_spawn"]
    with Wire(PORT) as wire:
        theirs = wire.ask(LIST, {**bearer(str(yard.child.token)), **headers}).json
    names = [row["name"] for row in theirs["result"]["tools"]]
    assert names == ["report", "subsession_checkpoint"]


@pytest.mark.scenario("S36")
def test_both_loopback_addresses_and_no_other_are_listened_at(yard: Yard) -> None:
    """What comes from outside this machine finds nothing at this port."""
    if Path("/proc/net/if_inet6").exists():
        with Wire(PORT, "::1") as wire:
            answer = wire.ask(LIST, {"Host": f"[::1]:{PORT}", **bearer(yard.token)})
            assert answer.status == 200
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        # Why 127.0.0.2: it is this machine too, and would answer if all addresses were bound.
        assert sock.connect_ex(("127.0.0.2", PORT)) != 0


@pytest.mark.scenario("S36")
def test_the_socket_is_its_owners_and_needs_no_name(yard: Yard) -> None:
    """No name resolves to a socket, so any `Host` is as good; an `Origin` is refused."""
    mode = yard.daemon.socket.stat().st_mode & 0o777
    assert mode == 0o600
    with RawSocket(yard.daemon.socket) as raw:
        good = raw.post(call("daemon.health"))  # it names a host `daemon`
        assert good.json["result"]["ok"]
        assert raw.post(call("daemon.health"), Origin=EVIL).status == 403
