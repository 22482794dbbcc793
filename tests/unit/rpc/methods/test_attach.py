"""`rpc.methods.attach`."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from subsessiond.model.commands import Caller, ConfirmStart, FailStart
from subsessiond.model.ids import NodeId
from subsessiond.model.peer import Peer, Spot
from subsessiond.model.rejection import Code
from tests.support.desk import Bench, a_bench, as_node, identity
from tests.support.policies import GUEST, JOINED, a_policy


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Bench]:
    """A desk where children wait to be attached."""
    async with a_bench(tmp_path, a_policy(JOINED, agents=(GUEST,))) as bench:
        yield bench


async def waiting(bench: Bench) -> NodeId:
    """Let a child wait."""
    root = await bench.root()
    brief = {"mission": "Look around."}
    found = await bench.call("subsession.spawn", parentId=root, role="joined", brief=brief)
    assert "subsession attach" in found["warnings"][0]
    return NodeId(found["nodeId"])


def from_process(bench: Bench, pid: int, agent: int = 0) -> Caller:
    """Call as the operator, from a process, maybe below an agent."""
    caller = Caller(why=f"process {pid}")
    spots = (Spot(pid=pid, start_ticks=1),)
    above = identity(agent) if agent else None
    bench.peers.append((caller, Peer(pid=pid, boot_id="boot", line=spots, agent=above)))
    return caller


async def recorded(bench: Bench, node: NodeId) -> None:
    """Wait until a child's process is on record."""
    until = bench.desk.waiting.until
    assert await until(None, lambda tree: tree.nodes[node].identity is not None, 10_000)


async def attached(bench: Bench, node: NodeId, by: Caller, **params: Any) -> Any:
    """Attach, with a runner that lets the node run as soon as it has a process."""
    call = asyncio.create_task(bench.call("subsession.attach", by, nodeId=node, **params))
    await recorded(bench, node)
    await bench.tell(ConfirmStart(node=node, **bench.desk.stamps()))
    return await call


async def test_the_calling_process_becomes_the_child(here: Bench) -> None:
    """It is told what to do and given the token of its environment, once."""
    node = await waiting(here)
    caller = from_process(here, 7)
    answer = await attached(here, node, caller)
    assert answer["opening"].startswith("Look around.")
    assert (answer["nodeId"], answer["pid"]) == (node, 7)
    assert here.desk.tokens.node_of(answer["token"]) == node  # type: ignore[attr-defined]
    known = here.node(node).identity
    assert known is not None
    assert (known.pid, known.container) == (7, "attached")
    assert known.marker == f"SUBSESSION_NODE={node}"
    again = await here.call("subsession.attach", caller, nodeId=node)
    assert "token" not in again
    refused = await here.refusal("subsession.attach", from_process(here, 8), nodeId=node)
    assert refused.code is Code.ALREADY_ATTACHED


async def test_the_agent_above_becomes_it_where_that_is_asked_for(here: Bench) -> None:
    """Where a person's shell is above, nobody is taken."""
    node = await waiting(here)
    refused = await here.refusal(
        "subsession.attach", from_process(here, 7), nodeId=node, above=True
    )
    assert (refused.code, refused.step) == (Code.NOT_ALLOWED, "process")
    answer = await attached(here, node, from_process(here, 7, agent=5), above=True)
    assert answer["pid"] == 5


async def test_looking_attaches_nobody(here: Bench) -> None:
    """Who may attach is shown the brief; so is the child itself, later too; nobody else is."""
    node = await waiting(here)
    answer = await here.call("subsession.attach", nodeId=node, checkOnly=True)
    assert answer["opening"].startswith("Look around.")
    assert answer.keys() == {"nodeId", "opening", "workspace", "socket"}
    assert here.node(node).identity is None
    root = here.node(node).parent
    assert root is not None
    for caller in (as_node(root), as_node("0" * 26)):
        await here.refusal("subsession.attach", caller, nodeId=node, checkOnly=True)
    await attached(here, node, from_process(here, 7))
    answer = await here.call("subsession.attach", as_node(node), checkOnly=True)
    assert answer["nodeId"] == node
    refused = await here.refusal("subsession.attach", nodeId=node, checkOnly=True)
    assert refused.code is Code.ALREADY_ATTACHED


async def test_who_has_no_process_or_names_nobody_is_refused(here: Bench) -> None:
    """A page is no process, and a person is no node."""
    node = await waiting(here)
    refused = await here.refusal("subsession.attach", nodeId=node)
    assert (refused.code, refused.step) == (Code.NOT_ALLOWED, "process")
    assert (await here.refusal("subsession.attach")).code is Code.NOT_FOUND


async def test_a_start_that_fails_is_no_attachment(here: Bench) -> None:
    """A process that has gone before its node could run is told that it did not."""
    node = await waiting(here)
    caller = from_process(here, 7)
    call = asyncio.create_task(here.refusal("subsession.attach", caller, nodeId=node))
    await recorded(here, node)
    await here.tell(FailStart(node=node, why="it had ended", **here.desk.stamps()))
    refused = await call
    assert (refused.code, refused.detail) == (Code.START_FAILED, "it had ended")
