"""`rpc.methods.open`, `journal` and `subscribe`."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from subsessiond.model.commands import Caller
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer, Spot
from subsessiond.model.rejection import Code
from subsessiond.ports import JournalRecord, WorkspaceBusy
from tests.support.desk import PERSON, Bench, as_node, identity


class Running:
    """A reader that takes what it is sent."""

    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []

    def notify(self, method: str, params: Any) -> None:
        """Keep a note."""
        self.notes.append(msgspec.json.decode(msgspec.json.encode(params)))

    def on_close(self, callback: Any) -> None:
        """Never close."""


async def test_a_root_is_opened_with_a_token_of_its_own(bench: Bench) -> None:
    """Opening gives an id, a token that stands for it, and the cap that holds for its tree."""
    opened = await bench.call("subsession.open", workspace=bench.folder, title="mine")
    assert opened["resumed"] is False
    assert opened["tokenCap"] == bench.desk.limits.root_token_cap
    node = bench.node(opened["nodeId"])
    assert (node.title, node.workspace) == ("mine", bench.folder)
    assert opened["token"] not in str(node)
    assert node.identity is None


async def test_a_root_is_resumed_with_a_new_token(bench: Bench) -> None:
    """Coming back to a root gives it a fresh token, and the old one ends."""
    first = await bench.call("subsession.open", workspace=bench.folder)
    again = await bench.call("subsession.open", workspace=bench.folder, resume=first["nodeId"])
    assert again["resumed"]
    assert again["nodeId"] == first["nodeId"]
    node_of = bench.desk.tokens.node_of  # type: ignore[attr-defined]
    assert node_of(again["token"]) == first["nodeId"]
    assert node_of(first["token"]) is None


async def test_the_agent_above_a_bridge_becomes_the_territory(bench: Bench) -> None:
    """When an MCP bridge opens a root, the agent that started it is recorded with the root."""
    bridge = Caller(why="a bridge")
    bench.peers.append((bridge, Peer(pid=9, agent=identity(50, 50))))
    opened = await bench.call("subsession.open", bridge, workspace=bench.folder)
    assert bench.node(opened["nodeId"]).identity == identity(50, 50)


async def test_a_bridge_that_comes_back_is_its_root(bench: Bench) -> None:
    """A caller that is a live root already is given that root again, never a second one."""
    root = await bench.root()
    for extra in ({}, {"resume": root}):
        opened = await bench.call("subsession.open", as_node(root), workspace=bench.folder, **extra)
        assert (opened["nodeId"], opened["resumed"]) == (root, True)
    assert len(bench.tree.nodes) == 1


async def test_a_bridge_finds_what_another_left_behind(bench: Bench) -> None:
    """Only once the other's agent has gone; both bridges are remembered as the root."""
    seen = []
    for pid in (50, 60, 70):
        by = Caller(why=f"bridge {pid}")
        agent, own = identity(pid, pid), identity(pid + 1, pid)
        bench.peers.append((by, Peer(pid=pid + 1, agent=agent, bridge=own)))
        bench.running.append(agent)
        if pid == 70:
            bench.running.remove(identity(60, 60))
        asked = {"workspace": bench.folder, "resumeDetached": True}
        seen.append(await bench.call("subsession.open", by, **asked))
    assert [one["resumed"] for one in seen] == [False, False, True]
    assert seen[0]["nodeId"] != seen[1]["nodeId"] == seen[2]["nodeId"]
    for pid in (51, 61, 71):
        line = (Spot(pid=pid, start_ticks=pid - 1),)
        found = bench.territories.find(Peer(pid=pid, boot_id="boot", line=line))
        assert found.node_id in (seen[0]["nodeId"], seen[1]["nodeId"])


async def test_a_child_opens_nothing(bench: Bench, tmp_path: Path) -> None:
    """A node cannot open a root elsewhere, and a child cannot open one at all."""
    root = await bench.root()
    child = await bench.child(root)
    other = tmp_path / "other"
    other.mkdir()
    for by, folder in ((root, str(other)), (child, bench.folder)):
        refused = await bench.refusal("subsession.open", as_node(by), workspace=folder)
        assert refused.code is Code.NOT_ALLOWED


@pytest.mark.parametrize("path", ["nowhere", "file"])
async def test_a_workspace_is_a_folder_that_is_there(
    bench: Bench, tmp_path: Path, path: str
) -> None:
    """A missing folder or a file is a bad field, told without its path."""
    (tmp_path / "file").write_text("x")
    (fault,) = await bench.faults_of("subsession.open", workspace=str(tmp_path / path))
    assert fault.path == "workspace"
    assert fault.problem.startswith("cannot be opened: ")
    assert path not in fault.problem.removeprefix("cannot be opened: No such file")


async def test_a_folder_that_nobody_can_look_at_now_is_no_bad_field(bench: Bench) -> None:
    """A disk that does not answer says nothing of the path: the same call may pass later."""
    bench.workspace.fault = WorkspaceBusy("looking at /secret took longer than 0.2 s")
    refused = await bench.refusal("subsession.open", workspace=bench.folder)
    assert (refused.code, refused.step, refused.retry_after_ms) == (Code.BUSY, "workspace", 1_000)
    assert "secret" not in refused.message


def record(n: int, size: int = 1) -> JournalRecord:
    """Make a line of a journal."""
    return JournalRecord(n=n, at_ms=5, kind="checkpoint", body={"state": "s" * size})


async def test_a_journal_is_read_in_pages(bench: Bench) -> None:
    """Pages begin at a line and say where the next begins, until there is none."""
    child = NodeId(await bench.child(await bench.root()))
    bench.journals.records[child] = [record(n) for n in range(1, 6)]
    page = await bench.call("subsession.journal", nodeId=child, first=2, limit=3)
    assert [line["n"] for line in page["records"]] == [2, 3, 4]
    assert page["next"] == 5
    last = await bench.call("subsession.journal", nodeId=child, first=5, limit=3)
    assert [line["n"] for line in last["records"]] == [5]
    assert "next" not in last


async def test_a_successor_reads_its_predecessors_journal(bench: Bench) -> None:
    """A successor reads what is before it in its line, within 4,000 tokens, and nobody else's."""
    root = await bench.root()
    child, sibling = await bench.child(root), await bench.child(root)
    await bench.finish(child)
    answer = await bench.call("subsession.succeed", as_node(root), childId=child)
    heir = answer["nodeId"]
    bench.journals.records[NodeId(child)] = [record(1), record(2, 200_000), record(3)]
    page = await bench.call("subsession.journal", as_node(heir), nodeId=child)
    assert [line["n"] for line in page["records"]] == [1]
    page = await bench.call("subsession.journal", as_node(heir), nodeId=child, first=page["next"])
    assert [(line["n"], line["body"], line["cut"]) for line in page["records"]] == [(2, {}, True)]
    page = await bench.call("subsession.journal", as_node(heir), nodeId=child, first=page["next"])
    assert page["records"][0]["n"] == 3
    for by, target in ((heir, sibling), (heir, heir), (root, child), (sibling, child)):
        refused = await bench.refusal("subsession.journal", as_node(by), nodeId=target)
        assert refused.code is Code.NOT_FOUND


async def test_events_need_a_websocket(bench: Bench) -> None:
    """Over plain HTTP there is nowhere to push to, and that is said."""
    (fault,) = await bench.faults_of("events.subscribe")
    assert fault.path == "transport"
    assert "WebSocket" in fault.problem


async def test_a_reader_hears_what_happens(bench: Bench) -> None:
    """A subscribed connection is told of every event from then on, as its caller may hear it."""
    root = await bench.root()
    operator, parent = Running(), Running()
    await bench.raw("events.subscribe", PERSON, operator)  # type: ignore[arg-type]
    await bench.raw("events.subscribe", as_node(root), parent)  # type: ignore[arg-type]
    child = await bench.child(root)
    await bench.finish(child)
    types = [note["type"] for note in operator.notes]
    assert types[0] == "node.admitted"
    assert "report.accepted" in types
    heard = [note["type"] for note in parent.notes]
    assert heard == [
        "node.admitted",
        "node.started",
        "node.settled",
        "message.staged",
        "node.released",
    ]
