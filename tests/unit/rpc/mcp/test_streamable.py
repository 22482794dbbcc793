import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from subsessiond.model.ids import NodeId
from subsessiond.model.report import Stage
from subsessiond.rpc.mcp.sessions import MOST
from subsessiond.rpc.mcp.versions import BY_HANDSHAKE
from tests.support.desk import Bench, as_node
from tests.support.loopback import NEW, Reply, call, new_call, new_headers, tool
from tests.support.mcp_agent import Agent
from tests.support.streamed import Site, a_site, of_events, under_way

LIST = call("tools/list")
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
WAIT = {"waitMs": 50_000}


class House:
    """A root with one child, and the port that serves both."""

    def __init__(self, site: Site, root: str, child: str) -> None:
        self.site, self.bench = site, site.bench
        self.root, self.child = root, child

    async def hello(self, node: str, version: str = BY_HANDSHAKE[0]) -> Reply:
        """Begin a session."""
        return await self.site.ask(node, call("initialize", protocolVersion=version))

    async def session(self, node: str) -> str:
        """Begin one and give its id."""
        return (await self.hello(node)).headers["mcp-session-id"]


@pytest_asyncio.fixture
async def house(bench: Bench) -> AsyncIterator[House]:
    """Give a child at work, its parent and the port."""
    root = await bench.root()
    child = await bench.child(root)
    async with a_site(bench, progress_s=0.01) as site:
        yield House(site, root, child)


def names(reply: Reply) -> list[str]:
    """Name the tools of a list."""
    assert reply.status == 200, reply
    return [row["name"] for row in reply.json["result"]["tools"]]


def cancelled(call_id: Any) -> bytes:
    """Take a call back."""
    note = {"method": "notifications/cancelled", "params": {"requestId": call_id}}
    return json.dumps({"jsonrpc": "2.0", **note}).encode()


@pytest.mark.parametrize("version", BY_HANDSHAKE)
async def test_a_session_of_each_version_with_a_handshake(house: House, version: str) -> None:
    """Hello, its notification, a list, a call, the end; afterwards there is none of that name."""
    hello = await house.hello(house.child, version)
    assert hello.json["result"]["protocolVersion"] == version
    own = {"Mcp_Session_Id": hello.headers["mcp-session-id"], "MCP_Protocol_Version": version}
    ready = await house.site.ask(house.child, READY, **own)
    assert (ready.status, ready.body) == (202, b"")
    assert names(await house.site.ask(house.child, LIST, **own)) == [
        "report",
        "subsession_checkpoint",
    ]
    assert house.bench.desk.channels.seen(NodeId(house.child))
    said = await house.site.ask(house.child, tool("report", output="half"), **own)
    assert not said.json["result"]["isError"]
    gone = await house.site.ask(house.child, b"", method="DELETE", **own)
    assert (gone.status, gone.body) == (204, b"")
    for again in (LIST, READY):
        assert (await house.site.ask(house.child, again, **own)).status == 404
    assert (await house.site.ask(house.child, b"", method="DELETE", **own)).status == 404


async def test_the_version_without_a_handshake(house: House) -> None:
    """Discovery, list and call each say all they need; no session is made, or asked for."""
    for method in ("server/discover", "tools/list"):
        headers = new_headers(method) | {"Mcp-Session-Id": "of somebody else"}
        found = await house.site.ask(house.root, new_call(method), **headers)
        assert found.status == 200, found
        assert found.json["result"]["resultType"] == "complete"
        assert "mcp-session-id" not in found.headers
    body = new_call("tools/call", name="subsession_tree", arguments={})
    made = await house.site.ask(house.root, body, **new_headers("tools/call", "subsession_tree"))
    assert house.child in made.json["result"]["content"][0]["text"]
    note = await house.site.ask(house.root, READY, MCP_Protocol_Version=NEW)
    assert note.status == 202


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (new_call("tools/list"), new_headers("tools/call"), 400, -32020),
        (
            new_call("tools/list"),
            new_headers("tools/list") | {"MCP-Protocol-Version": "x"},
            400,
            -32020,
        ),
        (call("tools/list"), new_headers("tools/list"), 400, -32602),
        (new_call("no/such"), new_headers("no/such"), 404, -32601),
        (new_call("tools/call", name="none"), new_headers("tools/call", "none"), 400, -32602),
        (call("tools/list"), {"MCP-Protocol-Version": "2099-01-01"}, 400, -32022),
        (call("no/such"), {}, 200, -32601),
        (call("tools/call", name="none"), {}, 200, -32602),
        (b'{"jsonrpc": "2.0", "id": 5}', {}, 400, -32600),
        (b"7", {}, 400, -32600),
        (b"[]", {}, 400, -32600),
        (b"{", {}, 400, -32700),
        (b"", {}, 400, -32700),
    ],
)
async def test_what_cannot_be_taken_is_said_as_its_version_wants(
    house: House, body: bytes, headers: dict[str, Any], status: int, code: int
) -> None:
    """404 means an unknown method in one version, and a session that is over in the others."""
    reply = await house.site.ask(house.child, body, **headers)
    assert (reply.status, reply.json["error"]["code"]) == (status, code)
    assert reply.headers["content-type"] == "application/json"


async def test_a_text_that_is_no_utf8_is_refused_to_the_model(house: House) -> None:
    """As a result of its call, which a model reads; not as a fault of the transport."""
    body = tool("report", output="FILL").replace(b"FILL", b"\\ud800")
    reply = await house.site.ask(house.child, body)
    assert reply.status == 200
    assert reply.json["result"]["isError"]


async def test_a_batch_is_answered_as_one(house: House) -> None:
    """Of the version that has them; what wants no answer gets none."""
    batch = b"[%b, %b, %b]" % (call("ping", 1), READY, call("tools/list", "two"))
    reply = await house.site.ask(house.child, batch, MCP_Protocol_Version="2025-03-26")
    assert {answer["id"] for answer in reply.json} == {1, "two"}
    only = await house.site.ask(house.child, b"[%b]" % READY)
    assert (only.status, only.body) == (202, b"")


async def test_a_client_that_names_no_session_is_served(house: House) -> None:
    """Who it is says its token, and nothing else hangs on a session."""
    assert len(names(await house.site.ask(house.child, LIST))) == 2


async def test_a_session_is_one_nodes(house: House) -> None:
    """With the token of another it is as if there were none, to end it too."""
    own = await house.session(house.child)
    other = await house.site.ask(house.root, LIST, Mcp_Session_Id=own)
    assert other.status == 404
    ended = await house.site.ask(house.root, b"", method="DELETE", Mcp_Session_Id=own)
    assert ended.status == 404
    assert (await house.site.ask(house.child, LIST, Mcp_Session_Id=own)).status == 200
    unnamed = await house.site.ask(house.child, b"", method="DELETE")
    assert unnamed.status == 400


async def test_sessions_are_bounded_for_each_node(house: House) -> None:
    """Who begins for ever loses its own oldest, and nobody else's."""
    kept = await house.session(house.root)
    first = await house.session(house.child)
    for _ in range(MOST):
        last = await house.session(house.child)
    for node, name, status in (
        (house.root, kept, 200),
        (house.child, first, 404),
        (house.child, last, 200),
    ):
        assert (await house.site.ask(node, LIST, Mcp_Session_Id=name)).status == status


async def test_a_token_is_good_as_long_as_its_node_is_there(house: House) -> None:
    """A settled child is told so by its tool; a released one is nobody, and has no session."""
    own = await house.session(house.child)
    await house.bench.say(house.child, "done", Stage.FINAL)
    late = await house.site.ask(house.child, tool("report", output="more"), Mcp_Session_Id=own)
    assert late.json["result"]["structuredContent"]["code"] == "NODE_SETTLED"
    await house.bench.gone(house.child)
    assert (await house.site.ask(house.child, LIST, Mcp_Session_Id=own)).status == 404
    house.site.over.add(house.child)
    assert (await house.site.ask(house.child, LIST, Mcp_Session_Id=own)).status == 401


async def test_a_wait_shows_signs_of_life_to_who_asks_for_them(house: House) -> None:
    """They and the answer come as events of one stream; without a token the answer alone comes."""
    asked = {"name": "subsession_inbox", "arguments": WAIT}
    waiting = house.site.asking(
        house.root, call("tools/call", 7, **asked, _meta={"progressToken": "p"})
    )
    plain = house.site.asking(house.root, call("tools/call", 8, **asked))
    deaf = house.site.asking(
        house.root,
        call("tools/call", 9, **asked, _meta={"progressToken": "q"}),
        Accept="application/json",
    )
    await under_way(house.site, 3)
    await house.site.streams.wait()
    await house.bench.say(house.child, "look here", Stage.FINDING)
    first, *_, last = of_events(await waiting)
    assert first["params"] == {"progressToken": "p", "progress": 1}
    assert last["id"] == 7
    assert "look here" in last["result"]["content"][0]["text"]
    for one, call_id in ((plain, 8), (deaf, 9)):
        assert (await one).json["id"] == call_id


async def test_a_call_is_taken_back_by_its_session(house: House) -> None:
    """It ends at once and gets no answer; the same id in another session is another call."""
    own, other = await house.session(house.root), await house.session(house.root)
    asked = call("tools/call", 7, name="subsession_inbox", arguments=WAIT)
    waiting = house.site.asking(house.root, asked, Mcp_Session_Id=own)
    kept = house.site.asking(house.root, asked, Mcp_Session_Id=other)
    await under_way(house.site, 2)
    taken = await house.site.ask(house.root, cancelled(7), Mcp_Session_Id=own)
    assert taken.status == 202
    assert ((await waiting).status, (await waiting).body) == (202, b"")
    await under_way(house.site, 1)
    await house.site.ask(house.root, b"", method="DELETE", Mcp_Session_Id=other)
    assert (await kept).status == 202


async def test_who_hangs_up_takes_its_call_back_in_one_version_only(house: House) -> None:
    """There it says so; in the others a lost connection may be just that, and the call goes on."""
    params = {"name": "subsession_inbox", "arguments": WAIT}
    headers = new_headers("tools/call", "subsession_inbox")
    new = house.site.asking(house.root, new_call("tools/call", **params), **headers)
    await under_way(house.site, 1)
    new.cancel()
    await under_way(house.site, 0)
    old = house.site.asking(house.root, call("tools/call", **params))
    await under_way(house.site, 1)
    old.cancel()
    with pytest.raises(asyncio.CancelledError):
        await old
    assert house.bench.desk.guard.in_flight == 1
    await house.bench.say(house.child, "unread", Stage.FINDING)
    await under_way(house.site, 0)
    again = await house.site.ask(house.root, tool("subsession_inbox"))
    assert "unread" in again.json["result"]["content"][0]["text"]


async def test_what_is_said_to_a_child_rides_on_its_answers_once(house: House) -> None:
    """Whichever way its agent calls."""
    await house.bench.call("subsession.steer", nodeId=house.child, text="mind the gap")
    said = await house.site.ask(house.child, tool("report", output="half"))
    texts = [part["text"] for part in said.json["result"]["content"]]
    assert any("mind the gap" in text for text in texts)
    later = await house.site.ask(house.child, tool("report", output="more"))
    assert "mind the gap" not in later.body.decode()


async def test_both_ways_say_the_same(house: House) -> None:
    """Tools, texts and refusals are those of the pipe, byte for byte."""
    agent = Agent(house.bench, as_node(house.child))
    for method, params in (
        ("tools/list", {}),
        ("tools/call", {"name": "report", "arguments": {"stage": "final"}}),
        ("tools/call", {"name": "subsession_spawn", "arguments": {"role": "worker"}}),
        ("no/such", {}),
    ):
        piped = await agent.ask(method, **params)
        posted = (await house.site.ask(house.child, call(method, piped["id"], **params))).json
        assert posted == piped
    await agent.leave()


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("*/*", 200),
        ("application/*;q=0.5", 200),
        (None, 200),
        ("text/html", 406),
        ("text/event-stream", 406),
    ],
)
async def test_an_answer_comes_in_a_form_its_client_takes(
    house: House, accept: str | None, status: int
) -> None:
    """JSON at least; who takes none is told so."""
    assert (await house.site.ask(house.child, LIST, Accept=accept)).status == status
