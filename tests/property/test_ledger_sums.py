"""Whatever a parent is shown, in whatever order: the parts make up the whole, to the byte."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from subsessiond.core.ledger import split
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part, Why
from subsessiond.model.report import Stage
from tests.support.desk import Bench, a_bench, as_node
from tests.support.mcp_agent import Agent
from tests.support.policies import a_policy
from tests.support.trees import node_id

parts = st.lists(
    st.builds(
        Part,
        node=st.sampled_from((None, node_id(2), node_id(3))),
        why=st.sampled_from(Why),
        size=st.integers(0, 10**6),
    ),
    max_size=12,
)


@given(parts, st.integers(0, 10**4))
def test_a_whole_is_shared_exactly_and_evenly(given_parts: list[Part], frame: int) -> None:
    """No byte is lost or made; nobody's share of the frame is more than one byte larger."""
    whole = sum(part.size for part in given_parts) + frame
    found = split(whole, given_parts)
    assert sum(part.size for part in found) == whole
    if given_parts:
        shares = [new.size - old.size for old, new in zip(given_parts, found, strict=True)]
        assert max(shares) - min(shares) <= 1
        assert shares == sorted(shares, reverse=True)


CHILDREN = 3
steps = st.lists(
    st.tuples(
        st.sampled_from(("say", "say", "inbox", "ack", "tree", "node", "steer", "spawn", "junk")),
        st.integers(0, CHILDREN - 1),
        st.text(min_size=1, max_size=30),
    ),
    max_size=12,
)

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "inbox": ("subsession_inbox", {"acknowledge": False}),
    "ack": ("subsession_inbox", {}),
    "tree": ("subsession_tree", {}),
    "spawn": ("subsession_spawn", {"role": "worker", "mission": "w", "checkOnly": True}),
    "junk": ("subsession_node", {"nodeId": "no id"}),
}


async def play(bench: Bench, moves: list[tuple[str, int, str]]) -> None:
    """Let a parent do all of this, and hold the ledger to what it was given."""
    root = await bench.root()
    agent = Agent(bench, as_node(root))
    children = [await bench.child(root, ownedGlobs=[f"{n}/**"]) for n in range(CHILDREN)]
    shown = 0
    for what, number, text in moves:
        child = children[number]
        if what == "say":
            await bench.say(child, text, Stage.FINDING)
            continue
        name, arguments = CALLS.get(what, ("", {}))
        if what in ("node", "steer"):
            more = {"text": text} if what == "steer" else {}
            name, arguments = f"subsession_{what}", {"nodeId": child, **more}
        result = await agent.tool(name, **arguments)
        shown += sum(len(part["text"].encode()) for part in result["content"])
        shown += len(msgspec.json.encode(data)) if (data := result.get("structuredContent")) else 0
    accounts = (await bench.desk.ledger.of([NodeId(n) for n in (root, *children)])).values()
    assert sum(a.mail + a.again + a.answers + a.general for a in accounts) == shown
    await agent.leave()


@given(steps)
@settings(max_examples=40, deadline=None)
def test_all_that_is_shown_is_counted_once(moves: list[tuple[str, int, str]]) -> None:
    """Mail, repeats, looks, refusals, interleaved as they come: the accounts add up to the texts
    that the parent's agent received.
    """

    async def run() -> None:
        policy = a_policy(spawn_burst=1_000)
        with tempfile.TemporaryDirectory() as folder:
            async with a_bench(Path(folder), policy) as bench:
                await play(bench, moves)

    asyncio.run(run())
