import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from subsessiond.engine.channels import Channels
from subsessiond.model.ids import NodeId
from subsessiond.model.rejection import Code, Rejection
from subsessiond.rpc.mcp.versions import BY_HANDSHAKE, BY_REQUEST
from tests.support.desk import PERSON, Bench, as_node
from tests.support.mcp_agent import Agent


class House:
    """A root with one child, and the agents of both."""

    def __init__(self, bench: Bench, root: str, child: str) -> None:
        self.bench = bench
        self.root, self.child = root, child
        self.parent_agent = Agent(bench, as_node(root), progress_s=0.01)
        self.agent = Agent(bench, as_node(child))


@pytest_asyncio.fixture
async def house(bench: Bench) -> AsyncIterator[House]:
    """Give a child at work, and its parent."""
    root = await bench.root()
    made = House(bench, root, await bench.child(root))
    yield made
    await made.agent.leave()
    await made.parent_agent.leave()


def call(call_id: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """Make a request for a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": call_id, "method": "tools/call", "params": params}


@pytest.mark.parametrize("version", BY_HANDSHAKE)
async def test_a_version_that_is_spoken_is_kept(house: House, version: str) -> None:
    """The agent's own version is agreed to, whichever of ours it is."""
    answer = await house.agent.ask("initialize", protocolVersion=version, capabilities={})
    assert answer["result"]["protocolVersion"] == version
    assert answer["result"]["capabilities"] == {"tools": {}}
    assert "instructions" not in answer["result"]


@pytest.mark.parametrize("version", ["2099-01-01", None, 7, ["x"]])
async def test_any_other_version_gets_our_newest(house: House, version: Any) -> None:
    """The agent decides then whether it can go on."""
    answer = await house.agent.ask("initialize", protocolVersion=version)
    assert answer["result"]["protocolVersion"] == BY_HANDSHAKE[0]


async def test_what_the_tools_are_for_is_told_to_who_was_not_told(house: House) -> None:
    """A child read it in its first words; a root's agent and a stranger read it here."""
    root = (await house.parent_agent.ask("initialize"))["result"]["instructions"]
    assert "subsession_inbox" in root
    stranger = Agent(house.bench, PERSON)
    said = (await stranger.ask("initialize"))["result"]["instructions"]
    assert "belongs to no session" in said
    await stranger.leave()


async def test_the_version_without_a_handshake(house: House) -> None:
    """Discovery, lists and calls say what that version wants; another future one is refused."""
    meta = {"io.modelcontextprotocol/protocolVersion": BY_REQUEST}
    found = (await house.agent.ask("server/discover", _meta=meta))["result"]
    assert found["supportedVersions"] == [BY_REQUEST, *BY_HANDSHAKE]
    assert (found["resultType"], found["cacheScope"], found["ttlMs"]) == ("complete", "private", 0)
    listed = (await house.agent.ask("tools/list", _meta=meta))["result"]
    assert listed["resultType"] == "complete"
    params = {"name": "report", "arguments": {"output": "x"}, "_meta": meta}
    assert (await house.agent.ask("tools/call", **params))["result"]["resultType"] == "complete"
    for version in ("2099-01-01", 7):
        other = {"io.modelcontextprotocol/protocolVersion": version}
        refused = (await house.agent.ask("tools/list", _meta=other))["error"]
        assert refused["code"] == -32022
        assert refused["data"]["supported"][0] == BY_REQUEST
        assert refused["data"].get("requested") == (version if version != 7 else None)


async def test_listing_the_tools_is_the_sign_that_a_channel_is_there(house: House) -> None:
    """A node's own listing is noted; that of its parent, or a mere handshake, is not its."""
    channels = house.bench.desk.channels
    assert isinstance(channels, Channels)
    child = NodeId(house.child)
    await house.parent_agent.ask("tools/list")
    await house.agent.ask("initialize")
    assert not channels.seen(child)
    listed = await house.agent.ask("tools/list")
    assert [tool["name"] for tool in listed["result"]["tools"]] == [
        "report",
        "subsession_checkpoint",
    ]
    assert channels.seen(child)


async def test_small_things_are_answered(house: House) -> None:
    """A ping gets an empty answer; an unknown method the standard error; no id, no answer."""
    assert (await house.agent.ask("ping"))["result"] == {}
    for method in ("resources/list", "prompts/list", "logging/setLevel", "nonsense"):
        assert (await house.agent.ask(method))["error"]["code"] == -32601
    said = len(house.agent.heard)
    await house.agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    await house.agent.send({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "report"}})
    await house.agent.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    await house.agent.send({"jsonrpc": "2.0", "id": 1, "error": {"code": 1}})
    await house.agent.ask("ping")
    assert len(house.agent.heard) == said + 1


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,', -32700),
        (b"[" * 5_000, -32700),
        (b"42", -32600),
        (b"null", -32600),
        (b'"text"', -32600),
        (b"{}", -32600),
        (b"[]", -32600),
        (b"[1]", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["report"]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}', -32602),
        (b"[%b]" % b",".join([b"1"] * 101), -32600),
    ],
)
async def test_odd_input_gets_a_standard_error_and_ends_nothing(
    house: House, raw: bytes, code: int
) -> None:
    """Whatever comes, there is one answer, and the session goes on."""
    await house.agent.send(raw)
    assert (await house.agent.ask("ping"))["result"] == {}
    said = house.agent.heard[0]
    found = said[0] if isinstance(said, list) else said
    assert found["error"]["code"] == code
    assert len(house.agent.heard) == 2


async def test_members_nobody_knows_are_let_pass(house: House) -> None:
    """Agents add their own to a message and to `_meta`."""
    await house.agent.send(
        {
            "jsonrpc": "2.0",
            "id": "a",
            "method": "tools/call",
            "trace": 1,
            "params": {
                "name": "report",
                "arguments": {"output": "x"},
                "_meta": {"threadId": "t", "progressToken": {}},
                "task": None,
            },
        }
    )
    assert not (await house.agent.answer("a"))["result"]["isError"]


async def test_a_batch_is_answered_as_one(house: House) -> None:
    """Old versions send several at once; what wants no answer gets none."""
    await house.agent.send(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            call(2, "report", output="x"),
            7,
        ]
    )
    await house.agent.until(lambda: bool(house.agent.heard))
    (batch,) = house.agent.heard
    assert [one["id"] for one in batch] == [1, 2, None]
    said = len(house.agent.heard)
    await house.agent.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    await house.agent.ask("ping")
    assert len(house.agent.heard) == said + 1


async def test_a_wait_that_is_taken_back_gets_no_answer(house: House) -> None:
    """The call ends, nothing is said to it, and others go on; who names no call changes nothing."""
    parent = house.parent_agent
    await parent.send(call("w", "subsession_inbox", waitMs=50_000))
    await parent.ask("ping")
    strangers: tuple[Any, ...] = ("other", None, [], {})
    for request in strangers:
        params = {"requestId": request}
        await parent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    await parent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 7})
    assert house.bench.desk.guard.in_flight == 1
    params = {"requestId": "w", "reason": "enough"}
    await parent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    await parent.ask("ping")
    assert house.bench.desk.guard.in_flight == 0
    assert not [one for one in parent.heard if one.get("id") == "w"]


async def test_two_calls_of_one_name_are_both_answered(house: House) -> None:
    """An agent that uses an id twice gets two answers under it; taking it back means the later."""
    parent = house.parent_agent
    await parent.send(call("w", "subsession_inbox", waitMs=50_000))
    await parent.ask("ping")
    await parent.send(call("w", "subsession_inbox", waitMs=50_000))
    await parent.ask("ping")
    params = {"requestId": "w"}
    await parent.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    await house.agent.text("report", output="found", stage="finding")
    assert "found" in (await parent.answer("w"))["result"]["content"][0]["text"]
    await parent.send([call("w", "subsession_tree"), call("w", "subsession_tree")])
    await parent.until(lambda: isinstance(parent.heard[-1], list))
    assert [answer["id"] for answer in parent.heard[-1]] == ["w", "w"]


async def test_a_wait_says_that_it_goes_on_to_who_wants_to_hear(house: House) -> None:
    """With a token there is progress until the answer comes; the numbers grow."""
    request: Any = call("w", "subsession_inbox", waitMs=50_000)
    request["params"]["_meta"] = {"progressToken": "t"}
    await house.parent_agent.send(request)
    await house.parent_agent.until(lambda: len(house.parent_agent.heard) >= 3)
    assert await house.agent.text("report", output="found", stage="finding")
    answer = await house.parent_agent.answer("w")
    assert "found" in answer["result"]["content"][0]["text"]
    notes = house.parent_agent.heard[:-1]
    assert {note["method"] for note in notes} == {"notifications/progress"}
    assert [note["params"]["progress"] for note in notes] == [*range(1, len(notes) + 1)]
    assert {note["params"]["progressToken"] for note in notes} == {"t"}


async def test_without_a_token_a_wait_is_silent(house: House) -> None:
    """Nothing is pushed to who did not ask for it."""
    await house.parent_agent.send(call("w", "subsession_inbox", waitMs=60))
    answer = await house.parent_agent.answer("w")
    assert answer["result"]["content"][0]["text"] == "No messages."
    assert house.parent_agent.heard == [answer]


async def test_who_may_not_call_is_told_so_by_id(house: House) -> None:
    """A refused caller gets the refusal for each request of a message, and nothing is run."""
    refusal = Rejection(code=Code.NOT_ALLOWED, step="identity", detail="foreign")
    session = house.agent.session

    def refuse(message: Any) -> Any:
        said = session.refuse(json.dumps(message).encode(), refusal)
        return None if said is None else json.loads(said)

    assert refuse(call(3, "report", output="x"))["error"]["data"]["code"] == "NOT_ALLOWED"
    assert refuse({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert [one["id"] for one in refuse([call(1, "report"), {"method": "x"}, call(2, "x")])] == [
        1,
        2,
    ]
    assert json.loads(session.refuse(b"nonsense", refusal) or b"")["error"]["code"] == -32700
    assert house.bench.node(house.child).reports == 0


async def test_a_line_that_was_too_long_is_told(house: House) -> None:
    """It has no id that anybody knows; the limit is in the answer."""
    said = json.loads(house.agent.session.too_long(16))
    assert (said["id"], said["error"]["code"], said["error"]["data"]["limit"]) == (None, -32700, 16)


async def test_a_text_that_cannot_be_written_is_refused_as_the_tools_refuse(house: House) -> None:
    """Half a character in a report is a field to mend, not a broken message."""
    raw = json.dumps(call(5, "report", output="\ud83d")).encode()
    await house.agent.send(raw)
    result = (await house.agent.answer(5))["result"]
    assert result["isError"]
    assert result["structuredContent"]["fields"] == [
        {"path": "output", "problem": "is not valid UTF-8"}
    ]


async def test_a_bug_is_an_incident(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of an exception reaches an agent but a number to look for."""
    toolbox = house.agent.session._toolbox  # noqa: SLF001

    def broken(_call: object) -> Any:
        raise KeyError("hunter2")

    monkeypatch.setattr(toolbox, "shown", broken)
    answer = await house.agent.ask("tools/list")
    assert answer["error"]["code"] == -32603
    assert "hunter2" not in json.dumps(answer)
