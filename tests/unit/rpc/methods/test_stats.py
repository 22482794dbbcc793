"""`subsession.stats`."""

from typing import Any

from subsessiond.engine.ledger import Ledger
from subsessiond.model.commands import Sweep
from subsessiond.model.ids import NodeId
from subsessiond.model.ledger import Part, Stream, Why
from subsessiond.model.rejection import Code
from tests.support.desk import PERSON, Bench
from tests.support.trees import node_id


def show(bench: Bench, child: str, size: int = 10) -> None:
    """Let the parent be shown something of a child."""
    parent = bench.node(child).parent
    assert parent is not None
    part = Part(node=NodeId(child), why=Why.MAIL, size=size)
    bench.desk.ledger.show(parent, size, (part,))


async def stats(bench: Bench, **params: Any) -> Any:
    """Read the ledger."""
    return await bench.call("subsession.stats", PERSON, **params)


def names(answer: Any) -> list[str]:
    """Name the rows of a page."""
    return [row["nodeId"] for row in answer["rows"]]


async def close_and_forget(bench: Bench, root: str, child: str) -> None:
    """Close a root with one child, and let both leave memory."""
    await bench.finish(child)
    await bench.call("subsession.close", PERSON, nodeId=root)
    bench.clock.move(bench.desk.limits.root_kept_ms + 1)
    await bench.tell(Sweep(**bench.desk.stamps()))
    assert NodeId(root) not in bench.tree.nodes


async def test_everything_in_memory_is_one_table(bench: Bench) -> None:
    """A row a child, and the sums of each root that has any."""
    roots = [await bench.root(), await bench.root()]
    empty = await bench.root()
    children = [await bench.child(root, ownedGlobs=[f"{n}/**"]) for n, root in enumerate(roots)]
    show(bench, children[1])
    found = await stats(bench)
    assert names(found) == children
    assert [root["rootId"] for root in found["roots"]] == roots
    assert [row["shownBytes"] for row in found["rows"]] == [0, 10]
    (own,) = (await stats(bench, nodeId=empty))["roots"]
    assert (own["rootId"], own["children"]) == (empty, 0)


async def test_a_node_is_shown_with_all_below_it(bench: Bench) -> None:
    """The sums stay those of the whole tree."""
    root = await bench.root()
    lead = await bench.child(root, role="lead", ownedGlobs=["src/**"])
    below = await bench.child(lead, ownedGlobs=["src/a"])
    beside = await bench.child(root, ownedGlobs=["docs/**"])
    found = await stats(bench, nodeId=lead)
    assert names(found) == [lead, below]
    assert found["roots"][0]["children"] == 3
    assert names(await stats(bench, nodeId=beside)) == [beside]
    assert names(await stats(bench, nodeId=root)) == [lead, below, beside]


async def test_pages_follow_each_other(bench: Bench) -> None:
    """Each names the one after it; the last names none."""
    root = await bench.root()
    children = [await bench.child(root, ownedGlobs=[f"{n}/**"]) for n in range(3)]
    first = await stats(bench, limit=2)
    assert (names(first), first["next"]) == (children[:2], children[1])
    rest = await stats(bench, limit=2, after=first["next"])
    assert (names(rest), "next" in rest) == (children[2:], False)
    assert rest["roots"][0]["children"] == 3


async def test_a_closed_root_is_read_from_the_store(bench: Bench) -> None:
    """Once its tree has left memory its figures are those that it had."""
    root = await bench.root()
    child = await bench.child(root)
    ledger = bench.desk.ledger
    assert isinstance(ledger, Ledger)
    ledger.stream(NodeId(child), Stream.PRINTED, 250_000)
    show(bench, child)
    before = await stats(bench, nodeId=root)
    await close_and_forget(bench, root, child)
    ledger.stop()
    await ledger.run()
    after = await stats(bench, nodeId=root)
    assert after["roots"][0]["state"] == "released"
    for name in ("transcriptBytes", "shownBytes", "ratio"):
        assert after["rows"][0][name] == before["rows"][0][name]
    assert names(await stats(bench, nodeId=child)) == [child]
    assert await stats(bench) == {"rows": [], "roots": []}


async def test_what_is_not_there_is_not_found(bench: Bench) -> None:
    """A name that nobody has is refused."""
    refused = await bench.refusal("subsession.stats", nodeId=node_id(77))
    assert refused.code is Code.NOT_FOUND
